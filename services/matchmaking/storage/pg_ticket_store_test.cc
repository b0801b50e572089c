#include "services/matchmaking/storage/pg_ticket_store.h"

#include <atomic>
#include <pqxx/pqxx>
#include <thread>

#include "absl/strings/str_cat.h"
#include "libs/base/check.h"
#include "libs/pg/migrate.h"
#include "libs/testkit/pg_fixture.h"
#include "migrations/matchmaking_migrations.h"
#include "services/matchmaking/storage/pool.h"
#include "services/matchmaking/testing/ticket_store_contract.h"

namespace tarot::matchmaking_service {
namespace {

using ::testing::SizeIs;

prometheus::Registry& Registry() {
  static auto& registry = *new prometheus::Registry;
  return registry;
}

std::string NewDatabase() {
  const std::string dsn = testkit::PgCluster::Shared().NewDatabase();
  TAROT_CHECK(pg::Migrate(dsn, "matchmaking", Migrations()).ok());
  return dsn;
}

struct PgFactory {
  static std::unique_ptr<TicketStore> Make() {
    return MakePgTicketStore(MakePool(NewDatabase(), 4, Registry()));
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Pg, TicketStoreContract, PgFactory);

class PgTicketStoreTest : public testing::Test {
 protected:
  PgTicketStoreTest() { EXPECT_THAT(store_->WriteCatalog(TestCatalog()), testkit::IsOk()); }

  Ticket Create(const NewTicket& draft) { return store_->Create(draft)->ticket; }

  NewTicket Draft() {
    return {.id = TicketId{entropy_.NewUuid()},
            .queue = kQueue,
            .player = PlayerId{entropy_.NewUuid()},
            .request_id = RequestId{entropy_.NewUuid()},
            .create_time = absl::FromUnixSeconds(1'800'000'000)};
  }

  const std::string dsn_ = NewDatabase();
  SeededEntropy entropy_{3};
  const std::unique_ptr<TicketStore> store_ = MakePgTicketStore(MakePool(dsn_, 8, Registry()));
};

TEST_F(PgTicketStoreTest, TicketsSurviveTheStore) {
  const NewTicket draft = Draft();
  Create(draft);
  const auto restarted = MakePgTicketStore(MakePool(dsn_, 1, Registry()));
  const auto waiting = restarted->ReadChanges(0);
  ASSERT_THAT(waiting, testkit::IsOk());
  ASSERT_THAT(waiting->tickets, SizeIs(1));
  EXPECT_EQ(waiting->tickets[0].ticket.id, draft.id);
}

// A replica of an older version writes only the column last_table_id, even after the migration.
TEST_F(PgTicketStoreTest, TicketOfAnOlderReplicaKnowsOneLastTable) {
  const TableId table{entropy_.NewUuid()};
  pqxx::connection connection(dsn_);
  pqxx::nontransaction(connection)
      .exec0(absl::StrCat(R"sql(
      INSERT INTO matchmaking.tickets (ticket_id, queue_id, player_id, display_name, bot_level,
                                       request_id, state, create_time, last_table_id,
                                       party_id, party_size)
        VALUES (gen_random_uuid(), 'ranked4', gen_random_uuid(), 'P', '', gen_random_uuid(),
                'waiting', now(), ')sql",
                          table.ToString(), "', NULL, 1)"));
  const auto waiting = store_->ReadChanges(0);
  ASSERT_THAT(waiting, testkit::IsOk());
  ASSERT_THAT(waiting->tickets, SizeIs(1));
  EXPECT_THAT(waiting->tickets[0].ticket.last_tables,
              testing::ElementsAre(table, TableId(), TableId()));
}

// A transaction may commit after other transactions with higher numbers have committed.
TEST_F(PgTicketStoreTest, FindsATicketThatIsCommittedLate) {
  const Ticket early = Create(Draft());
  pqxx::connection connection(dsn_);
  pqxx::work late(connection);
  late.exec0(absl::StrCat("UPDATE matchmaking.tickets SET state = 'cancelled' WHERE ticket_id = '",
                          early.id.ToString(), "'"));
  WaitingTickets waiting(*store_);
  const Ticket second = Create(Draft());
  for (int twice = 0; twice < 2; ++twice) {
    ASSERT_THAT(waiting.Refresh(), testkit::IsOk());
    EXPECT_EQ(waiting.Count(kQueue), 2);
  }
  late.commit();
  ASSERT_THAT(waiting.Refresh(), testkit::IsOk());
  EXPECT_THAT(waiting.Of(kQueue), testing::ElementsAre(second));
}

TEST_F(PgTicketStoreTest, ReadsOnlyTicketsThatChanged) {
  for (int i = 0; i < 5; ++i) Create(Draft());
  const std::uint64_t cursor = store_->ReadChanges(0)->next_cursor;
  const Ticket changed = Create(Draft());
  const auto changes = store_->ReadChanges(cursor);
  ASSERT_THAT(changes, testkit::IsOk());
  EXPECT_THAT(changes->tickets, testing::ElementsAre(TicketChange{.ticket = changed}));
}

// After the migrations, a new database has no queues. A database with tickets keeps its queues.
TEST(PgCatalogMigrationTest, EmptiesOnlyUnusedDatabase) {
  EXPECT_EQ(MakePgTicketStore(MakePool(NewDatabase(), 1, Registry()))->ReadCatalog().value(),
            Catalog());

  const std::string dsn = testkit::PgCluster::Shared().NewDatabase();
  const std::vector<pg::Migration> old(Migrations().begin(), Migrations().begin() + 4);
  ASSERT_THAT(pg::Migrate(dsn, "matchmaking", old), testkit::IsOk());
  pqxx::connection connection(dsn);
  pqxx::nontransaction(connection).exec0(R"sql(
      INSERT INTO matchmaking.tickets (ticket_id, queue_id, player_id, display_name, bot_level,
                                       request_id, state, create_time, table_id)
        VALUES (gen_random_uuid(), 'casual4', gen_random_uuid(), 'P', '', gen_random_uuid(),
                'placing', now(), '00000000-0000-4000-8000-000000000001');
      INSERT INTO matchmaking.tables
        VALUES ('00000000-0000-4000-8000-000000000001', 'casual4', 'placed', 0, now());
      INSERT INTO matchmaking.table_seats
        VALUES ('00000000-0000-4000-8000-000000000001', 1, gen_random_uuid(), 'P', '', NULL))sql");
  ASSERT_THAT(pg::Migrate(dsn, "matchmaking", Migrations()), testkit::IsOk());
  const auto store = MakePgTicketStore(MakePool(dsn, 1, Registry()));
  const Catalog kept = store->ReadCatalog().value();
  EXPECT_EQ(kept.queues, TestCatalog().queues);
  ASSERT_THAT(kept.bots, SizeIs(32));
  EXPECT_EQ(kept.bots[0].display_name, "Papillon");
  const auto placed = store->ListPlaced().value();
  ASSERT_THAT(placed, SizeIs(1));
  EXPECT_EQ(placed[0].terms, TestCatalog().queues[1].terms);
}

// Waves of several replicas and cancellations compete for the same tickets. Each ticket must get at
// most one table.
TEST_F(PgTicketStoreTest, RacingWavesAndCancelsNeverShareATicket) {
  for (int round = 0; round < 30; ++round) {
    std::vector<Ticket> tickets;
    for (int i = 0; i < 4; ++i) tickets.push_back(Create(Draft()));
    std::vector<PlannedTable> tables;
    for (const auto& [first, second] : {std::pair(0, 1), {1, 2}, {2, 3}, {3, 0}}) {
      PlannedTable table{.id = TableId{entropy_.NewUuid()},
                         .queue = kQueue,
                         .terms = TestCatalog().queues[0].terms,
                         .create_time = tickets[0].create_time};
      for (const int i : {first, second}) {
        const Ticket& ticket = tickets[static_cast<std::size_t>(i)];
        table.seats.push_back({.player = ticket.player, .ticket = ticket.id});
      }
      tables.push_back(table);
    }
    std::atomic<int> placed = 0, cancelled = 0, failed = 0;
    std::vector<std::thread> racers;
    for (const PlannedTable& table : tables) {
      racers.emplace_back([&] {
        const absl::StatusOr<std::set<TableId>> done = store_->Place({table});
        if (!done.ok()) ++failed;
        if (done.ok() && !done->empty()) placed += 2;
      });
    }
    racers.emplace_back([&] {
      const absl::StatusOr<Ticket> ticket = store_->Cancel(tickets[0].id, tickets[0].player);
      if (!ticket.ok() || ticket->state == TicketState::kWaiting) ++failed;
      if (ticket.ok() && ticket->state == TicketState::kCancelled) ++cancelled;
    });
    for (std::thread& racer : racers) racer.join();
    EXPECT_EQ(failed, 0);
    EXPECT_GE(placed, 2);
    EXPECT_LE(placed + cancelled, 4);
    int not_waiting = 0;
    for (const Ticket& ticket : tickets) {
      not_waiting += store_->Get({ticket.id})->at(0).state != TicketState::kWaiting;
    }
    EXPECT_EQ(not_waiting, placed + cancelled);
  }
}

// One player sends several copies of one request, and other requests, all at the same time.
TEST_F(PgTicketStoreTest, RacingCreatesLeaveOneTicket) {
  for (int round = 0; round < 30; ++round) {
    const NewTicket first = Draft();
    std::vector<NewTicket> drafts(6, first);
    for (std::size_t i = 0; i < drafts.size(); ++i) {
      drafts[i].id = TicketId{entropy_.NewUuid()};
      if (i % 2 == 1) drafts[i].request_id = RequestId{entropy_.NewUuid()};
    }
    std::atomic<int> created = 0, failed = 0;
    std::vector<std::thread> racers;
    for (const NewTicket& draft : drafts) {
      racers.emplace_back([&] {
        const auto done = store_->Create(draft);
        if (!done.ok()) ++failed;
        if (done.ok() && done->outcome == CreatedTicket::Outcome::kCreated) ++created;
      });
    }
    for (std::thread& racer : racers) racer.join();
    EXPECT_EQ(failed, 0);
    EXPECT_EQ(created, 1);
  }
  EXPECT_THAT(store_->ReadChanges(0)->tickets, SizeIs(30));
}

}  // namespace
}  // namespace tarot::matchmaking_service
