// Every two seconds, and soon after a ticket that can fill a table: tickets that wait, and their
// ratings, become tables.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "libs/base/clock.h"
#include "libs/base/entropy.h"
#include "services/matchmaking/app/jobs.h"
#include "services/matchmaking/app/lobby.h"
#include "services/matchmaking/app/rating_book.h"
#include "services/matchmaking/app/rating_client.h"
#include "services/matchmaking/app/table_placer.h"
#include "services/matchmaking/app/ticket_store.h"
#include "services/matchmaking/metrics.h"

namespace tarot::matchmaking_service {

// Works on the background thread; one wave at a time. Every replica makes every wave, so that it
// can tell its watchers why they wait and take a queue over at once; a queue's tables are placed by
// its host alone.
class WaveJob {
 public:
  // `fillers` take the free seats of casual tables, unless they play elsewhere.
  WaveJob(Clock& clock, Jobs& jobs, Entropy& entropy, TicketStore& store, RatingClient& ratings,
          TablePlacer& placer, Lobby& lobby, Metrics& metrics, Report report, Hosts hosts,
          std::vector<Queue> queues, std::vector<Bot> fillers);

  // Begins the waves.
  void Start();

 private:
  struct Wave {
    std::uint64_t number = 0;
    absl::Time start_time;
    std::map<std::string, std::vector<Ticket>> tickets;  // By queue, oldest first.
    int answers_missing = 0;
  };

  // Between the waves: whether tickets came, to any replica, that can fill a table now, and which
  // watched tickets have a table or none any more.
  void Look();
  void Begin();
  void AskRatings();
  void Rated(std::uint64_t wave, int player_count, const absl::StatusOr<Ratings>& ratings,
             const std::vector<Ticket>& tickets);
  // The second part, once ratings are there or have kept us waiting for too long.
  void Finish(std::uint64_t wave);
  void MatchQueue(const Queue& queue, const std::vector<Ticket>& tickets);
  void Place(const Queue& queue, const std::vector<Ticket>& tickets,
             const std::vector<matching::MatchedTable>& tables);
  // Fillers without a live ticket of their own; none when the store does not tell.
  std::vector<Bot> FreeFillers();
  absl::StatusOr<std::vector<Ticket>> Watched();

  Clock& clock_;
  Jobs& jobs_;
  Entropy& entropy_;
  TicketStore& store_;
  RatingClient& ratings_;
  TablePlacer& placer_;
  Lobby& lobby_;
  Metrics& metrics_;
  const Report report_;
  const Hosts hosts_;
  const std::vector<Queue> queues_;
  const std::vector<Bot> fillers_;

  std::uint64_t wave_count_ = 0;
  std::optional<Wave> wave_;                          // While one is under way.
  std::map<std::string, int> waiting_;                // By queue: left by the last wave.
  std::map<std::string, prometheus::Gauge*> active_;  // By queue.
  RatingBook book_;
};

}  // namespace tarot::matchmaking_service
