// A wave makes tables from the waiting tickets, by age and rating. A wave runs every two seconds,
// and also soon after new tickets that can complete a table.
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

// The ratings that the matcher uses. The ratings service must answer once for each ticket. Until
// then, the player's last known rating counts, or kPriorRating if there is none. Not thread-safe.
class RatingBook {
 public:
  // Returns the players of two kinds of tickets: those for which the ratings service has not
  // answered yet, and those of a player whose rating on the ladder of `player_count` is not known.
  std::vector<PlayerId> Missing(absl::Span<const Ticket> tickets, int player_count) const;

  void Learn(absl::Span<const Ticket> tickets, const Ratings& ratings, int player_count);

  int Of(PlayerId player, int player_count) const;

 private:
  absl::flat_hash_map<std::pair<PlayerId, int>, int> known_;
  absl::flat_hash_set<TicketId> asked_;  // The tickets for which the ratings service has answered.
};

// The players whom each player of a wave blocks.
using BlockLists = absl::flat_hash_map<PlayerId, std::vector<PlayerId>>;

// Works on the background thread, one wave at a time. Every replica computes every wave. So it can
// tell its players why they wait, and can become the host of a queue at once. Only the host of a
// queue places the queue's tables.
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
    std::map<std::string, std::vector<Ticket>> tickets;  // By queue, oldest first.
    BlockLists blocks;
    int answers_missing = 0;
  };

  // Runs every kLookEvery, if no wave runs. If a watched ticket no longer waits, shows it to its
  // watchers. If a queue that this replica hosts has new tickets, and enough tickets for a table,
  // begins a wave at once.
  void Look();
  void Begin();
  void AskRatings();
  void Rated(std::uint64_t wave, int player_count, const absl::StatusOr<Ratings>& ratings,
             const std::vector<Ticket>& tickets);
  // Runs the second part of a wave, when all ratings have arrived or kRatingsWaitMax has passed.
  void Finish(std::uint64_t wave);
  void MatchQueue(const Queue& queue, const std::vector<Bot>& bots,
                  const std::vector<Ticket>& tickets, const BlockLists& blocks);
  void Place(const Queue& queue, const std::vector<Bot>& bots, const std::vector<Ticket>& tickets,
             const std::vector<matching::MatchedTable>& tables);
  // Returns the bots that may fill free seats and have no live ticket. Returns none if the store is
  // away.
  std::vector<Bot> FreeFillers(const std::vector<Bot>& bots);
  // Adds and removes gauges, so that the metric queue_active has one gauge for each of `queues`.
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
  // For each queue, the number of tickets that waited after the last wave.
  std::map<std::string, int> waiting_;
  std::map<std::string, prometheus::Gauge*> active_;  // By queue.
  RatingBook book_;
};

}  // namespace tarot::matchmaking_service
