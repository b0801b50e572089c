// A matchmaking process in one thread and virtual time, for the tests of app/: the store outlives
// it, the other services are fakes.
#pragma once

#include <prometheus/registry.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "libs/base/entropy.h"
#include "libs/testkit/manual_time.h"
#include "services/matchmaking/app/population_job.h"
#include "services/matchmaking/app/seating.h"
#include "services/matchmaking/app/ticket_service.h"
#include "services/matchmaking/app/wave_job.h"
#include "services/matchmaking/storage/fake_ticket_store.h"

namespace tarot::matchmaking_service {

// Runs jobs from the timer, never inside TryRun.
class TimerPool final : public WorkerPool {
 public:
  explicit TimerPool(Scheduler& scheduler) : scheduler_(scheduler) {}
  bool TryRun(absl::AnyInvocable<void()> job) override {
    if (full) return false;
    scheduler_.After(absl::ZeroDuration(), std::move(job));
    return true;
  }

  bool full = false;

 private:
  Scheduler& scheduler_;
};

class FakeTableClient final : public TableClient {
 public:
  void CreateTable(const Queue& queue, const PlannedTable& table, Done done) override {
    asked.emplace_back(queue, table);
    if (answer) done(*answer);
  }

  std::optional<absl::Status> answer = absl::OkStatus();  // None: it never comes.
  std::vector<std::pair<Queue, PlannedTable>> asked;
};

class FakeRatingClient final : public RatingClient {
 public:
  void GetRatings(const std::vector<PlayerId>& players, int, Done done) override {
    ++questions;
    if (before_answer) before_answer();
    if (silent) return;
    if (!failure.ok()) return done(failure);
    Ratings answer;
    for (const PlayerId player : players) {
      const auto rating = ratings.find(player);
      answer[player] = rating == ratings.end() ? 1500 : rating->second;
    }
    done(std::move(answer));
  }

  std::map<PlayerId, int> ratings;
  absl::Status failure;
  bool silent = false;
  std::function<void()> before_answer;
  int questions = 0;
};

// What survives the process: time, the store, the other services.
struct World {
  testkit::ManualTime time;
  SeededEntropy entropy{11};
  FakeTicketStore store;
  FakeTableClient tables;
  FakeRatingClient ratings;
};

struct Process {
  explicit Process(World& w, std::size_t population_size = 0)
      : world(w),
        bots(*w.store.ListBots()),
        placer(w.time, jobs, w.store, w.tables, lobby, metrics, report, hosts, queues),
        waves(w.time, jobs, w.entropy, w.store, w.ratings, placer, lobby, metrics, report, hosts,
              queues, Fillers(bots, population_size)),
        population(w.time, jobs, w.entropy, w.store, report, hosts, queues,
                   {bots.begin(), bots.begin() + static_cast<std::ptrdiff_t>(population_size)}),
        tickets(w.time, w.entropy, w.store, lobby, queues) {
    waves.Start();
    population.Start();
  }

  Ticket Join(PlayerId player, const std::string& queue = "ranked4") {
    const absl::StatusOr<TicketView> view =
        tickets.Create({.player = player,
                        .display_name = "Zoë",
                        .queue = queue,
                        .request_id = RequestId{world.entropy.NewUuid()}});
    return view.ok() ? view->ticket : Ticket();
  }

  // A person with a rating, waiting.
  Ticket JoinNew(int rating = 1500, const std::string& queue = "ranked4") {
    const PlayerId player{world.entropy.NewUuid()};
    world.ratings.ratings[player] = rating;
    return Join(player, queue);
  }

  // As the store knows it now.
  Ticket Now(const Ticket& ticket) { return world.store.Get({ticket.id})->at(0); }

  World& world;
  const std::vector<Queue> queues = *world.store.ListQueues();
  const std::vector<Bot> bots;
  std::vector<std::string> reports;
  const Report report = [this](absl::string_view what, const absl::Status&) {
    reports.push_back(std::string(what));
  };
  bool is_host = true;  // Of everything.
  const Hosts hosts = [this](const std::string&) { return is_host; };
  prometheus::Registry registry;
  Metrics metrics{registry};
  TimerPool pool{world.time};
  Jobs jobs{world.time, pool};
  Lobby lobby{world.time};
  TablePlacer placer;
  WaveJob waves;
  PopulationJob population;
  TicketService tickets;
};

}  // namespace tarot::matchmaking_service
