#include "services/matchmaking/storage/pg_room_store.h"

#include <atomic>
#include <thread>
#include <vector>

#include "libs/base/check.h"
#include "libs/pg/migrate.h"
#include "libs/testkit/pg_fixture.h"
#include "migrations/matchmaking_migrations.h"
#include "services/matchmaking/storage/pg_ticket_store.h"
#include "services/matchmaking/storage/pool.h"
#include "services/matchmaking/testing/room_store_contract.h"

namespace tarot::matchmaking_service {
namespace {

struct PgFactory {
  static TestStores Make() {
    static auto& registry = *new prometheus::Registry;
    const std::string dsn = testkit::PgCluster::Shared().NewDatabase();
    TAROT_CHECK(pg::Migrate(dsn, "matchmaking", Migrations()).ok());
    const auto pool = MakePool(dsn, 8, registry);
    return {.tickets = MakePgTicketStore(pool), .rooms = MakePgRoomStore(pool)};
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Pg, RoomStoreContract, PgFactory);

// Eight persons join the last free seats of one room at the same time, through one revision or the
// next, and one person joins two rooms at the same time.
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

}  // namespace
}  // namespace tarot::matchmaking_service
