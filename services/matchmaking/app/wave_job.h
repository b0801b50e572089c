// Waves turn waiting tickets into tables, by their ratings. A wave runs every two seconds, and soon
// after a ticket that can complete a table.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "libs/base/clock.h"
#include "libs/base/entropy.h"
#include "libs/matching/matcher.h"
#include "services/matchmaking/app/executor.h"
#include "services/matchmaking/app/lobby.h"
#include "services/matchmaking/app/queue_catalog.h"
#include "services/matchmaking/app/table_placer.h"
#include "services/matchmaking/app/ticket_service.h"
#include "services/matchmaking/app/upstreams.h"
#include "services/matchmaking/metrics.h"

namespace tarot::matchmaking_service {

// The ratings that matching uses. The ratings service is asked once per ticket. While it does not
// answer, the last known rating or the prior is used. Use this class on one thread at a time.
class RatingBook {
 public:
  // Returns the players whose ratings have not been read since their tickets came.
  std::vector<PlayerId> Missing(absl::Span<const Ticket> tickets, int player_count) const;

  void Learn(absl::Span<const Ticket> tickets, const Ratings& ratings, int player_count);

  int Of(PlayerId player, int player_count) const;

 private:
  absl::flat_hash_map<std::pair<PlayerId, int>, int> known_;
  absl::flat_hash_set<TicketId> asked_;  // The tickets for which the player's rating has been read.
};

// Works on the background thread, one wave at a time. Every replica computes every wave, so that it
// can tell its watchers why they wait, and can become the host of a queue at once. Only the host of
// a queue places its tables.
class WaveJob {
 public:
  WaveJob(Clock& clock, Executor& executor, Entropy& entropy, TicketStore& store,
          RatingClient& ratings, TablePlacer& placer, Lobby& lobby, Metrics& metrics, Report report,
          Hosts hosts, QueueCatalog& catalog);

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

  // Runs between the waves. It shows the watched tickets that do not wait any more. If new tickets,
  // of any replica, can complete a table, it begins a wave at once.
  void Look();
  void Begin();
  void AskRatings();
  void Rated(std::uint64_t wave, int player_count, const absl::StatusOr<Ratings>& ratings,
             const std::vector<Ticket>& tickets);
  // Runs the second part of a wave, after the ratings arrived or kRatingsWaitMax has passed.
  void Finish(std::uint64_t wave);
  void MatchQueue(const Queue& queue, const std::vector<Bot>& bots,
                  const std::vector<Ticket>& tickets);
  void Place(const Queue& queue, const std::vector<Bot>& bots, const std::vector<Ticket>& tickets,
             const std::vector<matching::MatchedTable>& tables);
  // Returns the bots that may fill seats and have no live ticket of their own. Returns none if the
  // store is away.
  std::vector<Bot> FreeFillers(const std::vector<Bot>& bots);
  // Keeps one gauge for each queue of the catalog.
  void KeepGauges(const std::vector<Queue>& queues);
  absl::StatusOr<std::vector<Ticket>> Watched();

  Clock& clock_;
  Executor& executor_;
  Entropy& entropy_;
  TicketStore& store_;
  RatingClient& ratings_;
  TablePlacer& placer_;
  Lobby& lobby_;
  Metrics& metrics_;
  const Report report_;
  const Hosts hosts_;
  QueueCatalog& catalog_;

  std::uint64_t wave_count_ = 0;
  std::optional<Wave> wave_;  // The wave that runs.
  // The number of tickets that the last wave left in each queue.
  std::map<std::string, int> waiting_;
  std::map<std::string, prometheus::Gauge*> active_;  // One gauge for each queue.
  RatingBook book_;
};

}  // namespace tarot::matchmaking_service
