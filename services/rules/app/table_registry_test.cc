// Tests what the registry does with tables that cannot be read.
#include "services/rules/app/table_registry.h"

#include <gtest/gtest.h>

#include <set>

#include "libs/base/error.h"
#include "services/rules/limits.h"
#include "services/rules/testing/table_service_fixture.h"

namespace tarot::rules_service {
namespace {

using testkit::HasReason;
using testkit::IsOk;

// A store that counts how often it reads tables, and that lacks the keys of some tables.
class StoreWithoutKeys final : public FakeTableStore {
 public:
  absl::StatusOr<StoredTable> Load(TableId table) override {
    ++loads;
    if (without_key.contains(table)) return error;
    return FakeTableStore::Load(table);
  }
  absl::StatusOr<std::vector<StoredTable>> LoadMany(const std::vector<TableId>& tables) override {
    loads_of_many += tables.size();
    std::vector<TableId> readable;
    for (const TableId id : tables) {
      if (!without_key.contains(id)) readable.push_back(id);
    }
    return FakeTableStore::LoadMany(readable);
  }
  std::set<TableId> without_key;
  absl::Status error = Error(absl::StatusCode::kInternal, "SECRET_UNREADABLE", "no key");
  std::size_t loads = 0;          // Number of calls of Load.
  std::size_t loads_of_many = 0;  // The number of tables that all calls of LoadMany have asked for.
};

class UnreadableTableTest : public TableServiceTest {
 protected:
  // Stores tables. The encryption keys of the first `unreadable` tables are missing.
  std::vector<TableId> Store(std::size_t unreadable, std::size_t readable) {
    std::vector<TableId> ids;
    while (ids.size() < unreadable + readable) {
      const TableConfig config = Config(4);
      EXPECT_THAT(store_.Create(config).status(), IsOk());
      if (ids.size() < unreadable) store_.without_key.insert(config.id);
      ids.push_back(config.id);
    }
    return ids;
  }

  void Listen(TableRegistry& registry) {
    registry.set_on_unreadable([this](TableId table, const absl::Status& status) {
      EXPECT_EQ(status, store_.error);
      reported_.push_back(table);
    });
  }

  StoreWithoutKeys store_;
  std::vector<TableId> reported_;
};

TEST_F(UnreadableTableTest, SweepsAndCallsReadAnUnreadableTableOncePerDelay) {
  Process replica(store_, time, entropy);
  Listen(replica.memory);
  const std::vector<TableId> ids = Store(2, 1);
  const std::vector<TableId> unreadable(ids.begin(), ids.begin() + 2);
  Submission call{.context = {.caller = {.player = PlayerId{entropy.NewUuid()}}},
                  .command = {.request = RequestId{entropy.NewUuid()}}};
  EXPECT_THAT(replica.tables.Acquire(ids), IsOk());
  EXPECT_NE(replica.memory.Find(ids[2]), nullptr) << "the other table loads";
  EXPECT_EQ(reported_, unreadable);
  EXPECT_EQ(store_.loads, 2u);
  EXPECT_EQ(store_.loads_of_many, 3u);

  for (int sweep = 0; sweep < 9; ++sweep) {
    time.Advance(absl::Seconds(30));
    EXPECT_THAT(replica.tables.Acquire(ids), IsOk());
    for (const TableId id : unreadable) {
      call.context.table = id;
      EXPECT_EQ(replica.Submit(call).status(), store_.error);
      EXPECT_EQ(replica.Get(id).status(), store_.error);
    }
  }
  EXPECT_EQ(reported_.size(), 2u);
  EXPECT_EQ(store_.loads, 2u);
  EXPECT_EQ(store_.loads_of_many, 3u);

  time.Advance(absl::Seconds(30));
  EXPECT_THAT(replica.tables.Acquire(ids), IsOk());
  EXPECT_EQ(reported_.size(), 4u);
  EXPECT_EQ(store_.loads, 4u);
  EXPECT_EQ(store_.loads_of_many, 5u);

  store_.without_key.clear();
  time.Advance(kUnreadableRetryDelay);
  EXPECT_THAT(replica.tables.Acquire(ids), IsOk());
  EXPECT_EQ(replica.memory.Tables().size(), 3u);
  EXPECT_EQ(reported_.size(), 4u);
}

TEST_F(UnreadableTableTest, ASweepDoesNotReadATableThatACallHasJustRead) {
  TableRegistry registry(store_, 10, time);
  Listen(registry);
  const std::vector<TableId> ids = Store(1, 0);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(registry.Get(ids[0]).status(), store_.error);
  EXPECT_THAT(registry.GetMany(ids), IsOk());
  EXPECT_EQ(store_.loads, 1u);
  EXPECT_EQ(store_.loads_of_many, 0u);
  EXPECT_EQ(reported_, ids);
}

TEST_F(UnreadableTableTest, DoesNotRememberAnErrorThatMayComeFromTheStore) {
  for (const auto& error :
       {Error(absl::StatusCode::kUnavailable, "STORAGE_AWAY", "The database is away."),
        Error(absl::StatusCode::kInternal, "BUG", "a statement failed")}) {
    TableRegistry registry(store_, 10, time);
    Listen(registry);
    const TableId id = Store(1, 0)[0];
    store_.error = error;
    EXPECT_EQ(registry.Get(id).status(), error);
    store_.without_key.clear();
    EXPECT_THAT(registry.Get(id), IsOk());
  }
  EXPECT_TRUE(reported_.empty());
}

TEST_F(UnreadableTableTest, RemembersNoMoreTablesThanFitIntoMemory) {
  TableRegistry registry(store_, 2, time);
  Listen(registry);
  const std::vector<TableId> ids = Store(3, 0);
  const auto get_all_twice = [&] {
    for (int i = 0; i < 2; ++i) {
      for (const TableId id : ids) EXPECT_EQ(registry.Get(id).status(), store_.error);
    }
  };
  get_all_twice();
  EXPECT_EQ(store_.loads, 4u) << "the third table is read twice";
  time.Advance(kUnreadableRetryDelay);
  registry.ForgetFinishedBefore(absl::InfinitePast());
  EXPECT_EQ(registry.Get(ids[2]).status(), store_.error);
  EXPECT_EQ(registry.Get(ids[2]).status(), store_.error);
  EXPECT_EQ(store_.loads, 5u) << "the first two tables no longer take room";
}

// While this store reads a table, it asks the registry for another table.
class NestingStore final : public FakeTableStore {
 public:
  absl::StatusOr<StoredTable> Load(TableId table) override {
    if (!more.empty()) {
      const TableId next = more.back();
      more.pop_back();
      answers.push_back(registry->Get(next).status());
    }
    return FakeTableStore::Load(table);
  }
  TableRegistry* registry = nullptr;
  std::vector<TableId> more;
  std::vector<absl::Status> answers;
};

TEST_F(TableServiceTest, FewCallersMayReadLogsAtOnce) {
  NestingStore nesting;
  TableRegistry registry(nesting, 100, time);
  nesting.registry = &registry;
  std::vector<TableId> ids;
  for (int i = 0; i <= kLoadsAtOnceMax; ++i) {
    const TableConfig config = Config(4);
    ASSERT_THAT(nesting.Create(config).status(), IsOk());
    ids.push_back(config.id);
  }
  nesting.more.assign(ids.begin() + 1, ids.end());
  EXPECT_THAT(registry.Get(ids[0]).status(), IsOk());
  ASSERT_EQ(nesting.answers.size(), ids.size() - 1);
  EXPECT_THAT(nesting.answers[0], HasReason("OVERLOADED")) << "It came last.";
  for (std::size_t i = 1; i < nesting.answers.size(); ++i) EXPECT_THAT(nesting.answers[i], IsOk());
  EXPECT_THAT(registry.Get(ids[1]).status(), IsOk()) << "The refused table can be read later.";
}

}  // namespace
}  // namespace tarot::rules_service
