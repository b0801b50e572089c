// Tests two replicas that share one Postgres. Each replica has its own threads. Even if both
// replicas believe that they host every queue, the database gives each ticket to only one of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "libs/base/error.h"
#include "libs/base/real_clock.h"
#include "libs/pg/migrate.h"
#include "libs/testkit/pg_fixture.h"
#include "libs/testkit/status_matchers.h"
#include "migrations/matchmaking_migrations.h"
#include "services/matchmaking/app/population_job.h"
#include "services/matchmaking/app/queue_catalog.h"
#include "services/matchmaking/app/room_service.h"
#include "services/matchmaking/app/ticket_service.h"
#include "services/matchmaking/app/wave_job.h"
#include "services/matchmaking/storage/pg_player_store.h"
#include "services/matchmaking/storage/pg_room_store.h"
#include "services/matchmaking/storage/pg_ticket_store.h"
#include "services/matchmaking/storage/pool.h"
#include "services/matchmaking/testing/fake_ticket_store.h"

namespace tarot::matchmaking_service {
namespace {

using testkit::IsOk;

// A fake rules service that both replicas call. It makes every table, but leaves every third
// request without an answer.
class SharedRules final : public TableClient, public MatchEnds {
 public:
  void CreateTables(const std::vector<PlannedTable>& tables, Done done) override {
    Answers answers;
    for (const PlannedTable& table : tables) {
      const std::lock_guard lock(mutex_);
      const auto [known, is_new] = tables_.emplace(table.id, table);
      EXPECT_EQ(known->second.seats, table.seats)
          << "a repeated request differs from the first one";
      const bool lost = ++calls_ % 3 == 0;
      answers.emplace_back(table.id, lost ? absl::UnavailableError("lost") : absl::OkStatus());
    }
    done(answers);
  }
  absl::StatusOr<std::optional<std::vector<PlayerId>>> FindLeftPlayers(TableId) override {
    return std::nullopt;
  }
  std::map<TableId, PlannedTable> Tables() {
    const std::lock_guard lock(mutex_);
    return tables_;
  }

 private:
  std::mutex mutex_;
  int calls_ = 0;
  std::map<TableId, PlannedTable> tables_;
};

class SameRating final : public RatingClient {
 public:
  void GetRatings(const std::vector<PlayerId>& players, int, Done done) override {
    Ratings ratings;
    for (const PlayerId player : players) ratings[player] = 1500;
    done(std::move(ratings));
  }
};

struct Matcher {
  Matcher(const std::string& dsn, RealScheduler& scheduler, SharedRules& rules)
      : pool(MakePool(dsn, 4, registry)),
        store(MakePgTicketStore(pool)),
        room_store(MakePgRoomStore(pool)),
        player_store(MakePgPlayerStore(pool)),
        executor(scheduler, thread),
        placer(clock, executor, *store, rules, cells, lobby, metrics, report, hosts),
        waves(clock, executor, entropy, *store, ratings, placer, cells, lobby, metrics, report,
              hosts, catalog),
        tickets(clock, entropy, *store, lobby, catalog, rules),
        rooms(clock, entropy, *room_store, *player_store, seen, catalog, executor, placer, cells,
              tickets, metrics, report, hosts) {
    EXPECT_THAT(catalog.Refresh(), IsOk());
    waves.Start();
    rooms.Start();
  }
  ~Matcher() {
    executor.Stop();
    thread.Stop();
  }

  RealClock clock;
  OsEntropy entropy;
  prometheus::Registry registry;
  Metrics metrics{registry};
  const std::shared_ptr<pg::Pool> pool;
  const std::unique_ptr<TicketStore> store;
  const std::unique_ptr<RoomStore> room_store;
  const std::unique_ptr<PlayerStore> player_store;
  const Report report = [](absl::string_view, const absl::Status&) {};
  const Hosts hosts = [](const std::string&) { return true; };
  ThreadWorkerPool thread{1, 4096};
  Executor executor;
  QueueCatalog catalog{*store, 0};
  Lobby lobby{clock};
  SameRating ratings;
  CellChooser cells{{0}, metrics};
  TablePlacer placer;
  WaveJob waves;
  TicketService tickets;
  SeenPlayers seen{clock, *player_store};
  RoomService rooms;
};

TEST(PgReplicasTest, TwoActiveMatchersSeatEachPlayerOnce) {
  const std::string dsn = testkit::PgCluster::Shared().NewDatabase();
  ASSERT_THAT(pg::Migrate(dsn, "matchmaking", Migrations()), IsOk());
  prometheus::Registry registry;
  ASSERT_THAT(MakePgTicketStore(MakePool(dsn, 1, registry))->WriteCatalog(TestCatalog()), IsOk());
  RealScheduler scheduler;
  SharedRules rules;
  Matcher one(dsn, scheduler, rules), two(dsn, scheduler, rules);

  constexpr int kPlayers = 400;
  std::vector<std::vector<Ticket>> joined(2);
  std::vector<std::set<TicketId>> cancelled(2);
  std::vector<std::thread> crowds;
  for (std::size_t side = 0; side < 2; ++side) {
    crowds.emplace_back([&, side] {
      Matcher& matcher = side == 0 ? one : two;
      for (int i = 0; i < kPlayers / 2; ++i) {
        const auto view =
            matcher.tickets.Create({.player = PlayerId{matcher.entropy.NewUuid()},
                                    .display_name = "P",
                                    .queue = "ranked4",
                                    .request_id = RequestId{matcher.entropy.NewUuid()}});
        ASSERT_THAT(view, IsOk());
        joined[side].push_back(view->ticket);
        if (i % 10 != 9) continue;
        const Ticket& back = joined[side][joined[side].size() - 5];
        if (matcher.tickets.Cancel(back.player, back.id).ok()) cancelled[side].insert(back.id);
      }
    });
  }
  for (std::thread& crowd : crowds) crowd.join();

  std::vector<TicketId> ids;
  for (std::size_t side = 0; side < 2; ++side) {
    for (const Ticket& ticket : joined[side]) {
      if (!cancelled[side].contains(ticket.id)) ids.push_back(ticket.id);
    }
  }
  const std::size_t left_over = ids.size() % 4;
  const auto matched = [&] {
    std::vector<Ticket> tickets = one.store->Get(ids).value();
    std::erase_if(tickets, [](const Ticket& t) { return t.state != TicketState::kMatched; });
    return tickets;
  };
  for (int tenths = 0; tenths < 300 && matched().size() + left_over < ids.size(); ++tenths) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  const std::vector<Ticket> seated = matched();
  EXPECT_EQ(seated.size(), ids.size() - left_over);

  std::map<PlayerId, int> seats;
  for (const auto& [id, table] : rules.Tables()) {
    for (const PlannedSeat& seat : table.seats) ++seats[seat.player];
  }
  for (const Ticket& ticket : seated) EXPECT_EQ(seats[ticket.player], 1);
  EXPECT_EQ(seats.size(), seated.size())
      << "a player sits at a table, but the ticket is not matched";
  EXPECT_GT(one.metrics.Tables("ranked4", Metrics::kMade).Value() *
                two.metrics.Tables("ranked4", Metrics::kMade).Value(),
            0)
      << "only one replica made tables, so this proves nothing";
}

// Waits until `done` returns true.
template <typename Done>
void WaitUntil(const Done& done) {
  const absl::Time deadline = absl::Now() + absl::Seconds(60);
  while (!done()) {
    ASSERT_LT(absl::Now(), deadline);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

// Two replicas serve each room. The number of persons who try to join a room is larger than its
// number of seats. Some of these persons use the first replica, and the others use the second
// replica. Then one replica stores the match and dies before it requests the table. The other
// replica requests the table, and the match runs.
TEST(PgReplicasTest, RoomsPlayAlthoughTheReplicaThatStartsThemDies) {
  const std::string dsn = testkit::PgCluster::Shared().NewDatabase();
  ASSERT_THAT(pg::Migrate(dsn, "matchmaking", Migrations()), IsOk());
  RealScheduler scheduler;
  SharedRules rules;
  Matcher survivor(dsn, scheduler, rules);
  auto dying = std::make_unique<Matcher>(dsn, scheduler, rules);
  const auto new_player = [&] { return PlayerId{survivor.entropy.NewUuid()}; };
  const auto new_request = [&] { return RequestId{survivor.entropy.NewUuid()}; };

  constexpr int kRooms = 10;
  std::vector<RoomId> ids;
  std::vector<PlayerId> hosts;
  for (int i = 0; i < kRooms; ++i) {
    hosts.push_back(new_player());
    const auto view = dying->rooms.Create(
        {.host = hosts.back(),
         .display_name = "Host",
         .request_id = new_request(),
         .terms = {.rule_set = "club", .deal_count = 1, .move_limit = absl::Seconds(9)},
         .player_count = 4});
    ASSERT_THAT(view, IsOk());
    ids.push_back(view->room.id);
    std::atomic<int> joined = 0, full = 0;
    std::vector<std::thread> crowd;
    for (int guest = 0; guest < 8; ++guest) {
      RoomService& rooms = guest % 2 == 0 ? survivor.rooms : dying->rooms;
      crowd.emplace_back([&, player = new_player(), request = new_request()] {
        const auto seat = rooms.Join({.player = player,
                                      .display_name = "Guest",
                                      .request_id = request,
                                      .code = view->room.code});
        joined += seat.ok();
        full += GetErrorDetails(seat.status()).reason == "ROOM_FULL";
      });
    }
    for (std::thread& thread : crowd) thread.join();
    EXPECT_EQ(joined, 3);
    EXPECT_EQ(full, 5);
  }
  dying->executor.Stop();  // From now on, this replica loses each task that requests a table.
  for (int i = 0; i < kRooms; ++i) {
    const auto started = dying->rooms.StartMatch(hosts[static_cast<std::size_t>(i)],
                                                 ids[static_cast<std::size_t>(i)], new_request());
    ASSERT_THAT(started, IsOk());
  }
  dying = nullptr;
  const auto playing = [&] {
    const std::vector<Room> now = survivor.room_store->GetRooms(ids).value();
    return std::count_if(now.begin(), now.end(),
                         [](const Room& room) { return room.state == RoomState::kPlaying; });
  };
  WaitUntil([&] { return playing() == kRooms; });
  EXPECT_EQ(rules.Tables().size(), static_cast<std::size_t>(kRooms));
  const std::vector<Room> played = survivor.room_store->GetRooms(ids).value();
  for (const Room& room : played) EXPECT_TRUE(rules.Tables().contains(room.table));
}

}  // namespace
}  // namespace tarot::matchmaking_service
