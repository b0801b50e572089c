// Declares the job that runs the waves. A wave makes tables from the waiting tickets, by age and
// rating. A wave runs every two seconds, and also soon after new tickets that can complete a table.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libs/base/clock.h"
#include "libs/base/entropy.h"
#include "libs/matching/matcher.h"
#include "services/matchmaking/app/cell_chooser.h"
#include "services/matchmaking/app/executor.h"
#include "services/matchmaking/app/lobby.h"
#include "services/matchmaking/app/queue_catalog.h"
#include "services/matchmaking/app/queue_wave.h"
#include "services/matchmaking/app/table_placer.h"
#include "services/matchmaking/app/ticket_service.h"
#include "services/matchmaking/app/upstreams.h"
#include "services/matchmaking/app/waiting_tickets.h"
#include "services/matchmaking/metrics.h"

namespace tarot::matchmaking_service {

// The job runs on the background thread, one wave at a time. Every replica computes the waves of
// all queues. So each replica can tell its players why they wait, and can become the host of a
// queue at once. Only the host of a queue stores the tables of the queue and requests them.
class WaveJob {
 public:
  WaveJob(Clock& clock, Executor& executor, Entropy& entropy, TicketStore& store,
          RatingClient& ratings, TablePlacer& placer, CellChooser& cells, Lobby& lobby,
          Metrics& metrics, Report report, Hosts hosts, QueueCatalog& catalog);

  // Starts the waves.
  void Start();

 private:
  struct Wave {
    std::uint64_t number = 0;
    absl::Time start_time;
    std::shared_ptr<const Catalog> catalog;
    std::map<std::string, std::vector<Ticket>> tickets;  // The tickets of each queue, oldest first.
    int answers_missing = 0;
  };

  // Runs every kLookEvery. While a wave runs, does nothing. If a watched ticket no longer waits,
  // shows the ticket to its watchers. If a queue that this replica hosts has new tickets and enough
  // tickets for a table, begins a wave at once.
  void Look();
  void Begin();
  void AskRatings();
  void Rated(std::uint64_t wave, int player_count, const absl::StatusOr<Ratings>& ratings,
             const std::vector<Ticket>& tickets);
  // Makes the tables of the wave. This function is called when all ratings have arrived, and again
  // when kRatingsWaitMax has passed. The second of these calls does nothing.
  void Finish(std::uint64_t wave);
  void MatchQueue(const Queue& queue, const Catalog& catalog, std::vector<Ticket> tickets);
  // Counts the people of a hosted queue whose wait became long since the last wave.
  void CountLongWaits(const Queue& queue, const std::vector<Ticket>& tickets);
  void Place(const Queue& queue, const std::vector<Bot>& bots, const std::vector<Ticket>& tickets,
             const std::vector<matching::MatchedTable>& tables);
  // Stores the tables with one statement, and requests them from the rules service. If the store
  // does not answer, returns false.
  bool PlaceBatch(std::vector<PlannedTable> batch);
  // Returns the bots that may fill free seats and have no live ticket. If the store does not
  // answer, returns no bots.
  std::vector<Bot> FreeFillers(const std::vector<Bot>& bots);
  // Adds and removes gauges. After the call, each queue of `queues` has its gauges, and no other
  // queue has any.
  void KeepGauges(const std::vector<Queue>& queues);
  absl::StatusOr<std::vector<Ticket>> Watched();

  Clock& clock_;
  Executor& executor_;
  Entropy& entropy_;
  TicketStore& store_;
  RatingClient& ratings_;
  TablePlacer& placer_;
  CellChooser& cells_;
  Lobby& lobby_;
  Metrics& metrics_;
  const Report report_;
  const Hosts hosts_;
  QueueCatalog& catalog_;

  std::uint64_t wave_count_ = 0;
  std::optional<Wave> wave_;  // The wave that runs.
  WaitingTickets waiting_;
  // For each queue, the number of tickets that waited after the last wave.
  std::map<std::string, int> left_over_;
  // The gauges of a queue in the metrics queue_active and tickets_waiting.
  struct QueueGauges {
    bool ranked;  // The label `kind` of tickets_waiting says whether the queue is ranked.
    prometheus::Gauge* active;
    prometheus::Gauge* tickets_waiting;
  };
  std::map<std::string, QueueGauges> gauges_;  // By the id of the queue.
  // hosted_waves_[queue] is the time of the last wave of a queue that this replica hosts. A new
  // host counts only the waits that become long after it has become the host. The previous host has
  // counted the earlier waits.
  std::map<std::string, absl::Time> hosted_waves_;
  RatingBook book_;
};

}  // namespace tarot::matchmaking_service
