#include "services/matchmaking/storage/pg_room_store.h"

#include <atomic>
#include <pqxx/pqxx>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/base/check.h"
#include "libs/pg/migrate.h"
#include "libs/testkit/pg_fixture.h"
#include "migrations/matchmaking_migrations.h"
#include "services/matchmaking/storage/pg_player_store.h"
#include "services/matchmaking/storage/pg_ticket_store.h"
#include "services/matchmaking/storage/pool.h"
#include "services/matchmaking/testing/player_store_contract.h"
#include "services/matchmaking/testing/room_store_contract.h"

namespace tarot::matchmaking_service {
namespace {

struct PgFactory {
  static TestStores Make() { return Make(testkit::PgCluster::Shared().NewDatabase()); }
  static TestStores Make(const std::string& dsn) {
    static auto& registry = *new prometheus::Registry;
    TAROT_CHECK(pg::Migrate(dsn, "matchmaking", Migrations()).ok());
    const auto pool = MakePool(dsn, 8, registry);
    return {.tickets = MakePgTicketStore(pool),
            .rooms = MakePgRoomStore(pool),
            .players = MakePgPlayerStore(pool)};
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Pg, RoomStoreContract, PgFactory);
INSTANTIATE_TYPED_TEST_SUITE_P(Pg, PlayerStoreContract, PgFactory);

// Eight persons try to join the three free seats of one room at the same time. Then one person
// tries to join two rooms at the same time.
TEST(PgRoomStoreTest, GivesEachSeatToOneOfManyPersons) {
  const TestStores stores = PgFactory::Make();
  OsEntropy entropy;
  const auto person = [&] {
    return RoomSeat{.player = PlayerId{entropy.NewUuid()},
                    .request_id = RequestId{entropy.NewUuid()}};
  };
  const absl::Time now = absl::FromUnixSeconds(1'800'000'000);
  for (int round = 0; round < 20; ++round) {
    Room room{.id = RoomId{entropy.NewUuid()},
              .code = absl::StrCat("CODE", round),
              .terms = {.rule_set = "fft", .move_limit = absl::Seconds(9)},
              .seats = std::vector<RoomSeat>(4),
              .create_time = now};
    room.seats[0] = person();
    ASSERT_EQ(stores.rooms->CreateRoom(room)->outcome, CreatedRoom::Outcome::kCreated);
    std::atomic<int> joined = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, me = person()] {
        while (true) {
          Room seen = stores.rooms->GetRooms({room.id})->at(0);
          const std::optional<int> seat = seen.FreeSeat();
          if (!seat) return;
          seen.Seat(*seat, me);
          joined += stores.rooms->ChangeRoom(seen, now).value() == RoomChange::kDone;
          if (stores.rooms->GetRooms({room.id})->at(0).SeatOf(me.player)) return;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    const Room full = stores.rooms->GetRooms({room.id})->at(0);
    EXPECT_EQ(joined, 3);
    EXPECT_FALSE(full.FreeSeat());
    EXPECT_EQ(full.revision, 3);
  }
}

// Two players send each other friend requests and block each other, all at the same time. At the
// end there is a block or a request, but never both. No call fails because of another call.
TEST(PgPlayerStoreTest, RunsChangesOfOnePairOneAfterTheOther) {
  const TestStores stores = PgFactory::Make();
  OsEntropy entropy;
  const absl::Time now = absl::FromUnixSeconds(1'800'000'000);
  for (int round = 0; round < 30; ++round) {
    const PlayerId ada{entropy.NewUuid()}, bea{entropy.NewUuid()};
    const auto change = [&](PlayerId one, PlayerId other) {
      for (int i = 0; i < 3; ++i) {
        EXPECT_THAT(stores.players->AskFriend(one, other, /*accepts=*/false, now), testkit::IsOk());
        EXPECT_THAT(stores.players->Block(one, other, now), testkit::IsOk());
        if (i == 2) break;  // The block that was stored last stays.
        EXPECT_THAT(stores.players->Unblock(one, other), testkit::IsOk());
      }
    };
    std::thread thread([&] { change(bea, ada); });
    change(ada, bea);
    thread.join();
    for (const PlayerId reader : {ada, bea}) {
      const auto known = stores.players->ListFriends({.player = reader, .size = 10});
      ASSERT_EQ(known->size(), 1);
      EXPECT_EQ(known->at(0).relation, Relation::kBlocked);
    }
  }
}

// A replica of an older version reads a rule set with values that it does not know.
TEST(PgRoomStoreTest, SkipsARoomThatANewerVersionHasWritten) {
  const std::string dsn = testkit::PgCluster::Shared().NewDatabase();
  const TestStores stores = PgFactory::Make(dsn);
  OsEntropy entropy;
  std::vector<Room> rooms;
  for (const char* code : {"CODE1", "CODE2"}) {
    rooms.push_back({.id = RoomId{entropy.NewUuid()},
                     .code = code,
                     .visibility = RoomVisibility::kOpen,
                     .terms = {.rule_set = "fft", .move_limit = absl::Seconds(9)},
                     .seats = std::vector<RoomSeat>(4),
                     .create_time = absl::FromUnixSeconds(1'800'000'000)});
    Room& room = rooms.back();
    room.seats[0] = {.player = PlayerId{entropy.NewUuid()},
                     .request_id = RequestId{entropy.NewUuid()}};
    ASSERT_EQ(stores.rooms->CreateRoom(room)->outcome, CreatedRoom::Outcome::kCreated);
    room.table = TableId{entropy.NewUuid()};
    room.start_request_id = RequestId{entropy.NewUuid()};
    const PlannedTable table{.id = room.table,
                             .terms = room.terms,
                             .seats = {{.player = room.seats[0].player}},
                             .create_time = room.create_time};
    ASSERT_EQ(stores.rooms->StartMatch(room, table)->outcome, RoomStart::Outcome::kStarted);
  }
  pqxx::connection connection(dsn);
  pqxx::nontransaction tx(connection);
  for (const char* table : {"rooms", "tables"}) {
    tx.exec0(absl::StrCat("UPDATE matchmaking.", table, " SET rule_values = 'unknown=1'",
                          " WHERE table_id = '", rooms[0].table.ToString(), "'"));
  }
  const auto found = stores.rooms->GetRooms({rooms[0].id, rooms[1].id});
  ASSERT_TRUE(found.ok());
  ASSERT_EQ(found->size(), 1u);
  EXPECT_EQ(found->at(0).id, rooms[1].id);
  EXPECT_EQ(stores.rooms->ListRooms({.size = 10})->size(), 1u);
  const auto placed = stores.tickets->ListPlaced();
  ASSERT_TRUE(placed.ok());
  ASSERT_EQ(placed->size(), 1u);
  EXPECT_EQ(placed->at(0).id, rooms[1].table);
}

// Two replicas mark the same rooms as used. The first replica marks the rooms because players watch
// them. The second replica marks them because their matches run. Neither statement may fail because
// of a deadlock.
TEST(PgRoomStoreTest, MarksRoomsFromManyReplicas) {
  const TestStores stores = PgFactory::Make();
  OsEntropy entropy;
  const absl::Time now = absl::FromUnixSeconds(1'800'000'000);
  std::vector<RoomId> ids;
  for (int i = 0; i < 60; ++i) {
    Room room{.id = RoomId{entropy.NewUuid()},
              .code = absl::StrCat("CODE", i),
              .terms = {.rule_set = "fft", .move_limit = absl::Seconds(9)},
              .seats = std::vector<RoomSeat>(1),
              .create_time = now};
    room.seats[0] = {.player = PlayerId{entropy.NewUuid()},
                     .request_id = RequestId{entropy.NewUuid()}};
    ASSERT_TRUE(stores.rooms->CreateRoom(room).ok());
    room.table = TableId{entropy.NewUuid()};
    room.start_request_id = RequestId{entropy.NewUuid()};
    const PlannedTable table{.id = room.table,
                             .terms = room.terms,
                             .seats = {{.player = room.seats[0].player}},
                             .create_time = now};
    ASSERT_EQ(stores.rooms->StartMatch(room, table)->outcome, RoomStart::Outcome::kStarted);
    ids.push_back(room.id);
  }
  std::vector<std::thread> threads;
  for (int replica = 0; replica < 4; ++replica) {
    threads.emplace_back([&, replica] {
      for (int i = 1; i <= 50; ++i) {
        const absl::Time time = now + absl::Seconds(i);
        const absl::Status status =
            replica % 2 == 0 ? stores.rooms->TouchRooms(ids, time)
                             : stores.rooms->SweepRooms(time, now - absl::Minutes(9), now).status();
        EXPECT_TRUE(status.ok()) << status;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(PgRoomStoreTest, SeatsAPersonInOneOfTwoRooms) {
  const TestStores stores = PgFactory::Make();
  OsEntropy entropy;
  const absl::Time now = absl::FromUnixSeconds(1'800'000'000);
  for (int round = 0; round < 20; ++round) {
    const RoomSeat guest = {.player = PlayerId{entropy.NewUuid()},
                            .request_id = RequestId{entropy.NewUuid()}};
    std::atomic<int> joined = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i) {
      Room room{.id = RoomId{entropy.NewUuid()},
                .code = absl::StrCat("CODE", round, "-", i),
                .terms = {.rule_set = "fft", .move_limit = absl::Seconds(9)},
                .seats = std::vector<RoomSeat>(4),
                .create_time = now};
      room.seats[0] = {.player = PlayerId{entropy.NewUuid()},
                       .request_id = RequestId{entropy.NewUuid()}};
      ASSERT_EQ(stores.rooms->CreateRoom(room)->outcome, CreatedRoom::Outcome::kCreated);
      room.Seat(1, guest);
      threads.emplace_back([&, room] {
        joined += stores.rooms->ChangeRoom(room, now).value() == RoomChange::kDone;
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(joined, 1);
  }
}

// The sweep must also delete the game tables that the rules service refused to start.
TEST(PgRoomStoreTest, ForgetsRefusedTablesAfterTheirRoom) {
  const std::string dsn = testkit::PgCluster::Shared().NewDatabase();
  const TestStores stores = PgFactory::Make(dsn);
  OsEntropy entropy;
  const absl::Time now = absl::FromUnixSeconds(1'800'000'000);
  Room room{.id = RoomId{entropy.NewUuid()},
            .code = "CODE1",
            .terms = {.rule_set = "fft", .move_limit = absl::Seconds(9)},
            .seats = std::vector<RoomSeat>(3),
            .create_time = now};
  room.seats[0] = {.player = PlayerId{entropy.NewUuid()},
                   .request_id = RequestId{entropy.NewUuid()}};
  ASSERT_EQ(stores.rooms->CreateRoom(room)->outcome, CreatedRoom::Outcome::kCreated);
  room.table = TableId{entropy.NewUuid()};
  room.start_request_id = RequestId{entropy.NewUuid()};
  const PlannedTable table{.id = room.table,
                           .terms = room.terms,
                           .seats = {{.player = room.seats[0].player}},
                           .create_time = now};
  ASSERT_EQ(stores.rooms->StartMatch(room, table)->outcome, RoomStart::Outcome::kStarted);
  ASSERT_TRUE(stores.tickets->Refuse({table.id}).ok());
  const auto count = [&] {
    pqxx::connection connection(dsn);
    pqxx::work tx(connection);
    return tx.exec1("SELECT count(*) FROM matchmaking.tables")[0].as<int>();
  };
  const auto sweep = [&](absl::Duration after) {
    const absl::Time time = now + after;
    const auto swept =
        stores.rooms->SweepRooms(time, time - absl::Minutes(10), time - absl::Hours(1));
    EXPECT_TRUE(swept.ok()) << swept.status();
  };
  sweep(absl::Minutes(11));
  EXPECT_EQ(count(), 1) << "A repeat of the start may still find the room.";
  sweep(absl::Minutes(90));
  EXPECT_EQ(count(), 0);
}

}  // namespace
}  // namespace tarot::matchmaking_service
