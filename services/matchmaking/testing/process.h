// Defines a matchmaking process in one thread and virtual time, for the tests of app/. The store
// outlives the process. The other services are fakes.
#pragma once

#include <prometheus/registry.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "libs/base/cell.h"
#include "libs/base/check.h"
#include "libs/base/entropy.h"
#include "libs/testkit/manual_time.h"
#include "services/matchmaking/app/friend_service.h"
#include "services/matchmaking/app/population_job.h"
#include "services/matchmaking/app/room_service.h"
#include "services/matchmaking/app/seen_players.h"
#include "services/matchmaking/app/ticket_service.h"
#include "services/matchmaking/app/wave_job.h"
#include "services/matchmaking/testing/fake_player_store.h"

namespace tarot::matchmaking_service {

// A WorkerPool that runs each job as a task of the scheduler, and never inside TryRun.
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

class FakeTableClient final : public TableClient,
                              public CapacityClient,
                              public DealCounter,
                              public MatchEnds {
 public:
  void CreateTables(const std::vector<PlannedTable>& tables, TableClient::Done done) override {
    Answers answers;
    const int cell = CellOf(tables.at(0).id.uuid);
    const bool cell_answers = answer && !silent_cells.contains(cell);
    for (const PlannedTable& table : tables) {
      asked.push_back(table);
      TAROT_CHECK(CellOf(table.id.uuid) == cell);
      if (cell_answers) answers.emplace_back(table.id, *answer);
    }
    batches.push_back(tables.size());
    if (cell_answers) return done(answers);
    unanswered.push_back([tables, done](const absl::Status& status) {
      Answers late;
      for (const PlannedTable& table : tables) late.emplace_back(table.id, status);
      done(late);
    });
  }

  void GetCapacity(int cell, CapacityClient::Done done) override {
    if (silent_cells.contains(cell)) return done(absl::UnavailableError("away"));
    done(free_tables.at(cell));
  }

  absl::StatusOr<int> CountDeals(const Caller&, TableId) override { return deals; }

  absl::StatusOr<std::optional<std::vector<PlayerId>>> FindLeftPlayers(TableId table) override {
    if (!match_end_failure.ok()) return match_end_failure;
    const auto found = over.find(table);
    if (found == over.end()) return std::nullopt;
    return found->second;
  }

  // over[table] are the persons who left the match of the table. A match whose table is missing in
  // this map runs.
  std::map<TableId, std::vector<PlayerId>> over;
  absl::Status match_end_failure;  // If this is an error, FindLeftPlayers returns it.

  absl::StatusOr<int> deals = 1;                          // The answer of CountDeals.
  std::optional<absl::Status> answer = absl::OkStatus();  // If unset, no answer arrives.
  std::set<int> silent_cells;                             // Cells that do not answer.
  std::map<int, std::uint64_t> free_tables;               // The answer of each cell to GetCapacity.
  std::vector<PlannedTable> asked;
  std::vector<std::size_t> batches;  // The number of tables of each request so far.
  // The requests that have no answer yet, oldest first. A call of unanswered[i](status) answers
  // request i.
  std::vector<std::function<void(const absl::Status&)>> unanswered;
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

// The objects that outlive a process: the time, the store and the other services.
struct ProcessEnvironment {
  testkit::ManualTime time;
  SeededEntropy entropy{11};
  FakePlayerStore store;
  FakeTableClient tables;
  FakeRatingClient ratings;
};

struct Process {
  explicit Process(ProcessEnvironment& e, std::size_t population_size = 0,
                   const std::vector<int>& open_cells = {0})
      : environment(e),
        catalog(e.store, population_size),
        cells(open_cells, metrics),
        placer(e.time, executor, e.store, e.tables, cells, lobby, metrics, report, hosts),
        waves(e.time, executor, e.entropy, e.store, e.ratings, placer, cells, lobby, metrics,
              report, hosts, catalog),
        population(e.time, executor, e.entropy, e.store, report, hosts, catalog),
        tickets(e.time, e.entropy, e.store, lobby, catalog, e.tables),
        seen(e.time, e.store),
        rooms(e.time, e.entropy, e.store, e.store, seen, catalog, executor, placer, cells, tickets,
              metrics, report, hosts),
        friends(e.time, e.store, seen, catalog, e.tables) {
    TAROT_CHECK(catalog.Refresh().ok());
    cells.Start(executor, e.tables);
    waves.Start();
    population.Start();
    rooms.Start();
  }

  Ticket Join(PlayerId player, const std::string& queue = "ranked4") {
    const absl::StatusOr<TicketView> view =
        tickets.Create({.player = player,
                        .display_name = "Zoë",
                        .queue = queue,
                        .request_id = RequestId{environment.entropy.NewUuid()}});
    return view.ok() ? view->ticket : Ticket();
  }

  // Does the same as Join(), but `player` joins as a person of the room `party`.
  absl::StatusOr<TicketView> JoinAsParty(PlayerId player, const std::string& queue, RoomId party) {
    TAROT_ASSIGN_OR_RETURN(const int size, rooms.PartySize(player, party));
    return tickets.Create({.player = player,
                           .display_name = "Zoë",
                           .queue = queue,
                           .request_id = RequestId{environment.entropy.NewUuid()},
                           .party = party,
                           .party_size = size});
  }

  // Makes a person with this rating, and a ticket of this person.
  Ticket JoinNew(int rating = 1500, const std::string& queue = "ranked4") {
    const PlayerId player{environment.entropy.NewUuid()};
    environment.ratings.ratings[player] = rating;
    return Join(player, queue);
  }

  // Returns the ticket as it is in the store now.
  Ticket Now(const Ticket& ticket) { return environment.store.Get({ticket.id})->at(0); }

  ProcessEnvironment& environment;
  const std::vector<Bot> bots = TestCatalog().bots;
  std::vector<std::string> reports;
  const Report report = [this](absl::string_view what, const absl::Status&) {
    reports.push_back(std::string(what));
  };
  bool is_host = true;  // If true, this process hosts every key.
  const Hosts hosts = [this](const std::string&) { return is_host; };
  prometheus::Registry registry;
  Metrics metrics{registry};
  TimerPool pool{environment.time};
  Executor executor{environment.time, pool};
  QueueCatalog catalog;
  Lobby lobby{environment.time};
  CellChooser cells;
  TablePlacer placer;
  WaveJob waves;
  PopulationJob population;
  TicketService tickets;
  SeenPlayers seen;
  RoomService rooms;
  FriendService friends;
};

}  // namespace tarot::matchmaking_service
