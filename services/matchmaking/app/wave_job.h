// Every two seconds: tickets that wait, and their ratings, become tables.
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

namespace tarot::matchmaking {

// Works on the background thread; one wave at a time.
class WaveJob {
 public:
  WaveJob(Clock& clock, Jobs& jobs, Entropy& entropy, TicketStore& store, RatingClient& ratings,
          TablePlacer& placer, Lobby& lobby, Metrics& metrics, Report report,
          std::vector<Queue> queues, std::vector<Bot> bots);

  // Begins the waves.
  void Start();

  // A ticket has come: if a table can be filled now, the next wave comes soon. Any thread.
  void Joined(const std::string& queue);

 private:
  struct Wave {
    std::uint64_t number = 0;
    absl::Time start_time;
    std::map<std::string, std::vector<Ticket>> tickets;  // By queue, oldest first.
    int answers_missing = 0;
  };

  void Begin();
  void AskRatings();
  void Rated(std::uint64_t wave, int player_count, const absl::StatusOr<Ratings>& ratings,
             const std::vector<Ticket>& tickets);
  // The second part, once ratings are there or have kept us waiting for too long.
  void Finish(std::uint64_t wave);
  void MatchQueue(const Queue& queue, const std::vector<Ticket>& tickets);
  void ShowWatched();

  Clock& clock_;
  Jobs& jobs_;
  Entropy& entropy_;
  TicketStore& store_;
  RatingClient& ratings_;
  TablePlacer& placer_;
  Lobby& lobby_;
  Metrics& metrics_;
  const Report report_;
  const std::vector<Queue> queues_;
  const std::vector<Bot> bots_;

  std::uint64_t wave_count_ = 0;
  std::optional<Wave> wave_;  // While one is under way.
  bool soon_ = false;         // An extra wave is on its way.
  std::map<std::string, int> waiting_;
  RatingBook book_;
};

}  // namespace tarot::matchmaking
