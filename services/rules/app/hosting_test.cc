// Tests three replicas with one store, in one thread, with a clock that the test moves. The tests
// check which replica hosts a table, and what happens to tables when a host dies, sleeps, leaves or
// comes back.
#include "services/rules/app/hosting.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "libs/ai/policy.h"
#include "libs/base/error.h"
#include "libs/base/scoped_scheduler.h"
#include "libs/base/worker_pool.h"
#include "libs/cluster/testing/fake_member_store.h"
#include "libs/testkit/manual_time.h"
#include "libs/testkit/pausable_scheduler.h"
#include "libs/testkit/status_matchers.h"
#include "services/rules/app/takeover.h"
#include "services/rules/app/turn_driver.h"
#include "services/rules/testing/fake_table_store.h"

namespace tarot::rules_service {
namespace {

using testkit::HasReason;
using testkit::IsOk;

constexpr absl::Duration kMoveLimit = absl::Seconds(10);
constexpr absl::Duration kTimeBank = absl::Seconds(5);

class NoviceBots final : public BotClient {
 public:
  void Choose(const BotQuestion& q,
              absl::AnyInvocable<void(absl::StatusOr<rules::Action>)> done) override {
    done(ai::FindPolicy("novice")->Choose(q.view, Rng(q.seed), {}).action);
  }
};

class LastView final : public Watcher {
 public:
  void Show(const std::shared_ptr<const TableState>& state, rules::Seat) override {
    revision = state->revision;
  }
  void End(const absl::Status& status) override { ended = status; }
  int revision = -1;
  std::optional<absl::Status> ended;
};

// Records what the sweeps of all replicas read.
class SweptStore final : public FakeTableStore {
 public:
  absl::StatusOr<std::vector<TableKey>> ListLive(absl::Time since,
                                                 const std::optional<TableKey>& after,
                                                 int limit) override {
    if (away) return Error(absl::StatusCode::kUnavailable, "STORAGE_AWAY", "The test says so.");
    if (since == absl::InfinitePast()) ++full_lists;
    auto page = FakeTableStore::ListLive(since, after, limit);
    if (page.ok()) listed += page->size();
    return page;
  }
  absl::StatusOr<std::vector<TableId>> ListBehind(
      const std::vector<TableRevision>& tables) override {
    for (const TableRevision& table : tables) ++checks[table.table];
    return FakeTableStore::ListBehind(tables);
  }
  void Clear() {
    full_lists = 0;
    listed = 0;
    checks.clear();
  }

  bool away = false;  // If true, sweeps fail.
  int full_lists = 0;
  std::size_t listed = 0;
  std::map<TableId, int> checks;
};

// A replica of the service. The destructor stops the replica at once, as kill -9 stops a process.
struct Replica {
  Replica(testkit::ManualTime& time, FakeTableStore& store, cluster::MemberStore& members_store,
          Entropy& entropy, const std::string& address, int tables_max = 1000)
      : metrics(registry),
        pausable(time),
        scheduler(pausable),
        members(members_store, workers, time, scheduler, address, entropy.NewUuid(),
                {.on_heartbeat =
                     [this](const cluster::HeartbeatNews& news) { takeover.OnHeartbeat(news); },
                 .on_failed = [](const absl::Status&) {}}),
        memory(store, tables_max, time),
        appender(store, workers, time, scheduler, metrics, {}),
        tables(store, appender, memory, hosting, workers, time, scheduler, entropy, metrics),
        driver(tables, hosting, bots, workers, time, scheduler, entropy, metrics,
               {.bot_delay = absl::Milliseconds(100),
                .deal_pause = absl::Seconds(3),
                .bots_only_delay = absl::Milliseconds(100)}),
        takeover(tables, memory, store, hosting, workers, time, metrics) {
    tables.set_on_commit_unknown([this](TableId table) { driver.OnCommitUnknown(table); });
    tables.set_on_changed([this](std::shared_ptr<const TableState> s) { driver.OnChanged(s); });
    hosting.Use(members);
    EXPECT_THAT(members.Start(), IsOk());
  }

  prometheus::Registry registry;
  Metrics metrics;
  testkit::PausableScheduler pausable;
  ScopedScheduler scheduler;
  InlineWorkerPool workers;
  cluster::Membership members;
  MemberHosting hosting;
  TableRegistry memory;
  GroupAppender appender;
  TableService tables;
  NoviceBots bots;
  TurnDriver driver;
  Takeover takeover;
};

class HostingTest : public testing::Test {
 protected:
  HostingTest() {
    for (const char* address : {"a:1", "b:1", "c:1"}) Start(address);
    time_.Advance(absl::Seconds(2));
  }

  void Start(const std::string& address, int tables_max = 1000) {
    replicas_[address] =
        std::make_unique<Replica>(time_, store_, members_store_, entropy_, address, tables_max);
  }

  // Makes a table at the replica that hosts it. If `host` is not empty, this replica is `host`.
  // People sit in the first `people` seats, bots in the others.
  TableConfig Create(int people, const std::string& host = "",
                     absl::Duration move_limit = kMoveLimit) {
    TableConfig config{.rule_set = "fft",
                       .rules = rules::FindRuleSet("fft")->rules,
                       .deal_count = 1,
                       .move_limit = move_limit,
                       .time_bank = kTimeBank,
                       .ranked = true};
    do {
      config.id = TableId{entropy_.NewUuid()};
    } while (!host.empty() && HostOf(config.id) != host);
    for (int seat = 0; seat < 4; ++seat) {
      config.seats.push_back({.player = PlayerId{entropy_.NewUuid()},
                              .display_name = "P",
                              .bot_level = seat < people ? "" : "novice"});
    }
    EXPECT_THAT(At(HostOf(config.id)).tables.Create(config).status(), IsOk());
    return config;
  }

  Replica& At(const std::string& address) { return *replicas_.at(address); }
  std::string HostOf(TableId table) { return cluster::HostOf(table.uuid, *AnyList()); }
  std::shared_ptr<const cluster::NodeList> AnyList() {
    return replicas_.begin()->second->members.Current();
  }

  // Returns the state that follows from the table's stored log.
  TableState Stored(TableId table) {
    StoredTable stored = *store_.Load(table);
    return *Replay(std::make_shared<TableConfig>(stored.config), stored.log);
  }

  // Sends an action to the replica at `address`. The action is the one that a novice bot would
  // choose for the seat whose turn it is.
  absl::Status Move(const TableConfig& config, const std::string& address) {
    const TableState state = Stored(config.id);
    const rules::Deal& deal = state.match.deal;
    absl::Status answer = absl::UnknownError("none came");
    const rules::View view = rules::RememberedView(deal, deal.turn);
    At(address).tables.Submit(
        {.caller = {.player = config.seats[static_cast<std::size_t>(deal.turn)].player},
         .table = config.id},
        {.request = RequestId{entropy_.NewUuid()},
         .expected_revision = state.revision,
         .action = ai::FindPolicy("novice")->Choose(view, Rng(1), {}).action},
        [&answer](const absl::StatusOr<SeatView>& moved) { answer = moved.status(); });
    return answer;
  }

  testkit::ManualTime time_;
  SeededEntropy entropy_{7};
  SweptStore store_;
  cluster::FakeMemberStore members_store_{[this] { return time_.Now(); }};
  std::map<std::string, std::unique_ptr<Replica>> replicas_;
};

TEST_F(HostingTest, PlaysEachTableAtItsHostOnly) {
  std::set<std::string> hosts;
  std::vector<TableId> tables;
  for (int i = 0; i < 30; ++i) tables.push_back(Create(0).id);
  time_.Advance(absl::Seconds(2));
  for (const TableId table : tables) {
    hosts.insert(HostOf(table));
    for (const auto& [address, replica] : replicas_) {
      EXPECT_EQ(replica->memory.Find(table) != nullptr, address == HostOf(table));
    }
  }
  EXPECT_EQ(hosts.size(), 3u);
  time_.Advance(absl::Minutes(2));
  for (const TableId table : tables) EXPECT_TRUE(Stored(table).match.Finished());
}

TEST_F(HostingTest, PlaysTheTablesOfADeadReplicaElsewhere) {
  std::vector<TableConfig> tables;
  for (int i = 0; i < 30; ++i) tables.push_back(Create(0));
  time_.Advance(absl::Seconds(2));
  replicas_.erase("b:1");
  time_.Advance((cluster::kHeartbeatsToDeath + 2) * cluster::kHeartbeatInterval);
  EXPECT_EQ(AnyList()->size(), 2u);
  std::map<TableId, int> revisions;
  for (const TableConfig& table : tables) {
    EXPECT_NE(At(HostOf(table.id)).memory.Find(table.id), nullptr);
    revisions[table.id] = Stored(table.id).revision;
  }
  time_.Advance(absl::Seconds(1));
  for (const TableConfig& table : tables) {
    const TableState now = Stored(table.id);
    EXPECT_TRUE(now.match.Finished() || now.revision > revisions[table.id]);
  }
}

TEST_F(HostingTest, ChargesNoPlayerForAnOutage) {
  const TableConfig table = Create(4, "b:1");
  time_.Advance(absl::Seconds(3));  // The server starts the deal when this time has passed.
  time_.Advance(absl::Seconds(9));
  const int revision = Stored(table.id).revision;
  replicas_.erase("b:1");
  time_.Advance(absl::Seconds(5));
  // Another replica acquired the table at most two seconds after the host ended. The move limit has
  // run since then.
  time_.Advance(absl::Seconds(8));
  EXPECT_EQ(Stored(table.id).revision, revision) << "no clock has run out";
  EXPECT_THAT(Move(table, HostOf(table.id)), IsOk());
  const TableState now = Stored(table.id);
  EXPECT_EQ(now.revision, revision + 1);
  for (int seat = 0; seat < 4; ++seat) {
    EXPECT_EQ(now.seats[static_cast<std::size_t>(seat)].time_bank, kTimeBank);
  }
}

// If a clock runs out while its replica is paused, this replica must not move for the seat when it
// continues. The clock starts anew.
TEST_F(HostingTest, AcquiresItsTablesAgainAfterASleepWithoutMovingForPlayers) {
  const TableConfig table = Create(4, "b:1");
  time_.Advance(absl::Seconds(3));
  const auto watcher = std::make_shared<LastView>();
  ASSERT_THAT(At("b:1").tables.Watch(table.id, PlayerId{}, -1, watcher).status(), IsOk());
  time_.Advance(absl::Seconds(10));
  At("b:1").pausable.Pause();  // In five seconds, a clock runs out at this table.
  time_.Advance(absl::Seconds(8));
  EXPECT_NE(HostOf(table.id), "b:1");
  ASSERT_THAT(Move(table, HostOf(table.id)), IsOk());
  const int revision = Stored(table.id).revision;
  At("b:1").pausable.Resume();
  time_.Advance(absl::Seconds(2));
  EXPECT_EQ(HostOf(table.id), "b:1");
  EXPECT_THAT(*watcher->ended, HasReason("TABLE_MOVED")) << "its view was older than the log";
  EXPECT_EQ(At("b:1").memory.Find(table.id)->Snapshot()->revision, revision);
  EXPECT_EQ(At("a:1").memory.Find(table.id), nullptr);
  EXPECT_EQ(At("c:1").memory.Find(table.id), nullptr);
  time_.Advance(absl::Seconds(10));
  EXPECT_EQ(Stored(table.id).revision, revision) << "the clock of the seat began anew";
  time_.Advance(absl::Seconds(10));
  EXPECT_GT(Stored(table.id).revision, revision) << "the clock has run out";
}

TEST_F(HostingTest, HandsItsTablesOverWithinAHeartbeatWhenItLeaves) {
  const TableConfig table = Create(4, "b:1");
  time_.Advance(absl::Seconds(3));
  const auto watcher = std::make_shared<LastView>();
  ASSERT_THAT(At("b:1").tables.Watch(table.id, PlayerId{}, -1, watcher).status(), IsOk());
  At("b:1").members.Leave();
  EXPECT_THAT(*watcher->ended, HasReason("TABLE_MOVED"));
  EXPECT_THAT(At("b:1").tables.Watch(table.id, PlayerId{}, -1, watcher).status(),
              HasReason("TABLE_MOVED"));
  // A replica that leaves the list still answers calls correctly.
  ASSERT_THAT(Move(table, "b:1"), IsOk());
  time_.Advance(cluster::kHeartbeatInterval);
  const std::string host = HostOf(table.id);
  EXPECT_NE(host, "b:1");
  ASSERT_NE(At(host).memory.Find(table.id), nullptr);
  ASSERT_THAT(Move(table, host), IsOk());
  ASSERT_THAT(Move(table, "b:1"), IsOk()) << "this replica reads the log before it stores a move";
}

TEST_F(HostingTest, CatchesUpAnOldCopyWhenItBecomesTheHost) {
  TableConfig table = Create(4, "b:1");
  while (cluster::HostOf(table.id.uuid, {"a:1", "c:1"}) != "c:1") table = Create(4, "b:1");
  time_.Advance(absl::Seconds(3));
  ASSERT_THAT(Move(table, "c:1"), IsOk());
  ASSERT_THAT(Move(table, "b:1"), IsOk());
  const auto copy = At("c:1").memory.Find(table.id);
  ASSERT_NE(copy, nullptr);
  EXPECT_LT(copy->Snapshot()->revision, Stored(table.id).revision);
  At("b:1").members.Leave();
  time_.Advance(absl::Seconds(2));
  EXPECT_EQ(copy->Snapshot()->revision, Stored(table.id).revision);
}

// Two replicas disagree for a moment about the host of a table. The primary key of the log accepts
// one entry per revision. Then the host reads the entries that the other replica has stored.
TEST_F(HostingTest, StoresAMoveAtTheWrongReplicaAndTheHostCatchesUp) {
  const TableConfig table = Create(4, "a:1");
  time_.Advance(absl::Seconds(3));
  const auto watcher = std::make_shared<LastView>();
  ASSERT_THAT(At("a:1").tables.Watch(table.id, PlayerId{}, -1, watcher).status(), IsOk());
  ASSERT_THAT(Move(table, "c:1"), IsOk());
  ASSERT_THAT(Move(table, "b:1"), IsOk());
  const int revision = Stored(table.id).revision;
  EXPECT_EQ(watcher->revision, revision - 2);
  EXPECT_THAT(Move(table, "a:1"), IsOk()) << "the client knows more than the host's memory";
  EXPECT_EQ(watcher->revision, revision + 1);
  ASSERT_THAT(Move(table, "c:1"), IsOk());
  // The host reads the newer log within this time: in its second regular sweep, or earlier if a
  // clock runs out. Its first sweep skips a table that got an entry since the previous sweep.
  time_.Advance(absl::Seconds(61));
  EXPECT_EQ(watcher->revision, Stored(table.id).revision);
  EXPECT_EQ(At("c:1").memory.Find(table.id), nullptr) << "the sweep releases copies";
}

// A new replica loads its tables before the old hosts know that the new replica exists. So an old
// host may store a move after the new replica has loaded the table.
TEST_F(HostingTest, ShowsAMoveStoredDuringAHandoverSoonAndChargesNoPlayer) {
  const auto moves = [](const TableConfig& table) {
    return cluster::HostOf(table.id.uuid, {"a:1", "b:1", "c:1", "d:1"}) == "d:1";
  };
  TableConfig table = Create(4, "a:1");
  while (!moves(table)) table = Create(4, "a:1");
  time_.Advance(absl::Seconds(3));
  Start("d:1");
  const auto watcher = std::make_shared<LastView>();
  ASSERT_THAT(At("d:1").tables.Watch(table.id, PlayerId{}, -1, watcher).status(), IsOk());
  ASSERT_THAT(Move(table, "a:1"), IsOk());
  const int revision = Stored(table.id).revision;
  EXPECT_EQ(watcher->revision, revision - 1);
  time_.Advance(2 * cluster::kHeartbeatInterval);
  EXPECT_EQ(watcher->revision, revision);
  time_.Advance(kMoveLimit - cluster::kHeartbeatInterval);
  ASSERT_THAT(Move(table, "d:1"), IsOk());
  for (const auto& seat : Stored(table.id).seats) EXPECT_EQ(seat.time_bank, kTimeBank);
}

// No call comes after the last move of a match. So no call tells the host that the log has a newer
// revision. Therefore the host must notice the end of the match without a call, before a clock runs
// out.
TEST_F(HostingTest, ShowsTheEndOfAMatchStoredAtTheWrongReplica) {
  const TableConfig table = Create(4, "a:1");
  // The loop stops one card before the last trick, because the host plays the last trick at once.
  const auto last_trick_is_next = [&] {
    const rules::Deal deal = Stored(table.id).match.deal;
    return deal.phase == rules::Phase::kPlaying && deal.trick_count == 17 &&
           deal.CurrentTrick().size == 3;
  };
  while (!last_trick_is_next()) {
    if (Stored(table.id).match.deal.turn == rules::kNoSeat) {  // No deal has begun.
      time_.Advance(absl::Seconds(4));
    } else {
      ASSERT_THAT(Move(table, "a:1"), IsOk());
    }
  }
  const auto watcher = std::make_shared<LastView>();
  ASSERT_THAT(At("a:1").tables.Watch(table.id, PlayerId{}, -1, watcher).status(), IsOk());
  while (!Stored(table.id).match.Finished()) ASSERT_THAT(Move(table, "c:1"), IsOk());
  EXPECT_EQ(watcher->ended, std::nullopt);
  // After each change of the list of replicas, the hosts compare their tables with the logs.
  At("c:1").members.Leave();
  time_.Advance(absl::Seconds(2));
  EXPECT_EQ(watcher->revision, Stored(table.id).revision);
  EXPECT_EQ(watcher->ended, absl::OkStatus());
}

TEST_F(HostingTest, FindsATableMadeAtTheWrongReplica) {
  TableConfig table = Create(0, "a:1");
  table.id = TableId{entropy_.NewUuid()};
  while (HostOf(table.id) != "b:1") table.id = TableId{entropy_.NewUuid()};
  ASSERT_THAT(At("a:1").tables.Create(table).status(), IsOk());
  time_.Advance(absl::Seconds(31));
  EXPECT_GT(Stored(table.id).revision, 0);
}

// The cost of a sweep depends on the tables of the replica, not on the tables of all replicas.
TEST_F(HostingTest, ReadsOnlyItsOwnTablesInASweep) {
  std::vector<TableConfig> tables;
  for (int i = 0; i < 30; ++i) tables.push_back(Create(4, "", absl::Hours(1)));
  time_.Advance(absl::Minutes(5));
  store_.Clear();
  time_.Advance(kHeartbeatsBetweenSweeps * cluster::kHeartbeatInterval);
  EXPECT_EQ(store_.full_lists, 0);
  EXPECT_EQ(store_.listed, 0u) << "no table is new";
  for (const TableConfig& table : tables) EXPECT_EQ(store_.checks[table.id], 1);

  store_.Clear();
  ASSERT_THAT(Move(tables[0], HostOf(tables[0].id)), IsOk());
  time_.Advance(kHeartbeatsBetweenSweeps * cluster::kHeartbeatInterval);
  for (const TableConfig& table : tables) {
    EXPECT_EQ(store_.checks[table.id], table.id == tables[0].id ? 0 : 1)
        << "the commit of a move shows that the log has no other entry";
  }

  store_.Clear();
  replicas_.erase("b:1");
  time_.Advance(absl::Seconds(10));
  EXPECT_EQ(store_.full_lists, 2) << "each other replica reads all ids once";
  for (const TableConfig& table : tables) {
    EXPECT_NE(At(HostOf(table.id)).memory.Find(table.id), nullptr);
    EXPECT_GE(store_.checks[table.id], 1);
  }
}

TEST_F(HostingTest, FindsATableWithAWrongTimeWithinTenMinutes) {
  time_.Advance(absl::Minutes(5));
  TableConfig table = Create(0);
  table.id = TableId{entropy_.NewUuid()};
  table.create_time = time_.Now() - absl::Hours(1);
  ASSERT_THAT(store_.Create(table).status(), IsOk());
  time_.Advance(kSweepsBetweenFullLists * kHeartbeatsBetweenSweeps * cluster::kHeartbeatInterval);
  EXPECT_GT(Stored(table.id).revision, 0);
}

TEST_F(HostingTest, ListsATableAgainIfASweepFails) {
  TableConfig table = Create(0, "a:1");
  time_.Advance(absl::Minutes(5));
  table.id = TableId{entropy_.NewUuid()};
  while (HostOf(table.id) != "b:1") table.id = TableId{entropy_.NewUuid()};
  ASSERT_THAT(At("a:1").tables.Create(table).status(), IsOk());
  store_.away = true;
  time_.Advance(absl::Minutes(10));
  store_.away = false;
  time_.Advance(absl::Seconds(5));
  EXPECT_GT(Stored(table.id).revision, 0);
}

TEST_F(HostingTest, GivesANewReplicaItsShare) {
  std::vector<TableConfig> tables;
  for (int i = 0; i < 40; ++i) tables.push_back(Create(4));
  Start("d:1");
  time_.Advance(absl::Seconds(2));
  int moved = 0;
  for (const TableConfig& table : tables) {
    if (HostOf(table.id) == "d:1") ++moved;
    for (const auto& [address, replica] : replicas_) {
      EXPECT_EQ(replica->memory.Find(table.id) != nullptr, address == HostOf(table.id)) << address;
    }
  }
  EXPECT_GT(moved, 0);
  EXPECT_EQ(At("d:1").metrics.hosting.tables_acquired.Value(), moved);
}

TEST_F(HostingTest, ShowsEveryTableAtAnyReplica) {
  const TableConfig here = Create(4, "a:1");
  const TableConfig there = Create(4, "b:1");
  const TableId nowhere{entropy_.NewUuid()};
  time_.Advance(absl::Seconds(3));
  ASSERT_THAT(Move(there, "b:1"), IsOk());
  TableService& tables = At("a:1").tables;
  const auto get = [&](TableId table) {
    return tables.Get({.caller = {.player = there.seats[1].player}, .table = table});
  };
  EXPECT_EQ(get(here.id)->viewer, rules::kNoSeat);
  EXPECT_THAT(get(nowhere).status(), HasReason("TABLE_NOT_FOUND"));
  const absl::StatusOr<TableView> view = get(there.id);
  ASSERT_THAT(view.status(), IsOk());
  EXPECT_EQ(view->config->id, there.id);
  EXPECT_EQ(view->revision, Stored(there.id).revision);
  EXPECT_EQ(view->viewer, 1);
  EXPECT_EQ(At("a:1").memory.Find(there.id), nullptr) << "shown without being kept";
}

TEST_F(HostingTest, AcquiresAsManyTablesAsFit) {
  replicas_.erase("c:1");
  replicas_.erase("a:1");
  Start("a:1", 3);
  time_.Advance(absl::Seconds(10));
  for (int i = 0; i < 8; ++i) Create(0, "b:1");
  replicas_.erase("b:1");
  time_.Advance(absl::Seconds(10));
  EXPECT_EQ(At("a:1").memory.Tables().size(), 3u);
  EXPECT_EQ(At("a:1").metrics.hosting.tables_without_room.Value(), 5);
  const std::vector<TableId> fit = At("a:1").memory.Tables();
  for (const TableId table : fit) EXPECT_GT(Stored(table).revision, 1);
  // The replica acquires the other tables as soon as it has room, although they are not new.
  time_.Advance(absl::Minutes(5));
  for (const TableId table : fit) EXPECT_TRUE(Stored(table).match.Finished());
  At("a:1").memory.ForgetFinishedBefore(time_.Now());
  time_.Advance(kHeartbeatsBetweenSweeps * cluster::kHeartbeatInterval);
  const std::vector<TableId> next = At("a:1").memory.Tables();
  EXPECT_EQ(next.size(), 3u);
  for (const TableId table : next) EXPECT_GT(Stored(table).revision, 1);
}

// While the store does not answer, no replica counts as dead and no clock runs out. When the store
// answers again, the clocks start anew.
TEST_F(HostingTest, ChargesNoPlayerForAnOutageOfTheMemberStore) {
  const TableConfig table = Create(4, "b:1");
  time_.Advance(absl::Seconds(4));
  const int revision = Stored(table.id).revision;
  members_store_.set_away(true);
  time_.Advance(absl::Minutes(1));
  EXPECT_EQ(Stored(table.id).revision, revision);
  members_store_.set_away(false);
  time_.Advance(absl::Seconds(14));
  EXPECT_EQ(Stored(table.id).revision, revision);
  EXPECT_EQ(AnyList()->size(), 3u);
  time_.Advance(absl::Seconds(3));
  EXPECT_EQ(Stored(table.id).revision, revision + 1) << "the clocks run again";
}

}  // namespace
}  // namespace tarot::rules_service
