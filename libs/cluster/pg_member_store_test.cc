// Tests PgMemberStore, and runs one test of the MemberStore contract on it and on FakeMemberStore.
#include "libs/cluster/pg_member_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "absl/time/clock.h"
#include "libs/cluster/testing/fake_member_store.h"
#include "libs/pg/migrate.h"
#include "libs/testkit/pg_fixture.h"
#include "migrations/cluster_test_migrations.h"

namespace tarot::cluster {
namespace {

using testing::UnorderedElementsAre;

const Uuid kFirst({1});
const Uuid kSecond({2});

// Returns each member as the text "address/first byte of the incarnation/heartbeat number".
std::vector<std::string> Texts(const absl::StatusOr<Roll>& roll) {
  std::vector<std::string> texts;
  if (!roll.ok()) return {roll.status().ToString()};
  for (const Member& m : roll->members) {
    texts.push_back(m.address + "/" + std::to_string(m.incarnation.bytes()[0]) + "/" +
                    std::to_string(m.heartbeat));
  }
  return texts;
}

void KeepsTheContract(MemberStore& store) {
  EXPECT_THAT(Texts(store.Heartbeat("a:1", kFirst, {})), UnorderedElementsAre("a:1/1/1"));
  EXPECT_THAT(Texts(store.Heartbeat("b:1", kFirst, {})),
              UnorderedElementsAre("a:1/1/1", "b:1/1/1"));
  EXPECT_THAT(Texts(store.Heartbeat("a:1", kSecond, {})),
              UnorderedElementsAre("a:1/2/2", "b:1/1/1"))
      << "a restart takes the row over";
  const absl::StatusOr<Roll> roll = store.Heartbeat("a:1", kFirst, absl::Milliseconds(-1500));
  ASSERT_TRUE(roll.ok()) << roll.status();
  EXPECT_EQ(roll->replaced, kSecond);
  EXPECT_EQ(store.Heartbeat("b:1", kFirst, {})->replaced, kFirst);
  EXPECT_EQ(store.Heartbeat("c:1", kFirst, {})->replaced, std::nullopt);
  EXPECT_TRUE(store.Remove("c:1", kFirst).ok());
  const absl::StatusOr<Roll> list = store.List();
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_THAT(Texts(list), UnorderedElementsAre("a:1/1/3", "b:1/1/2"));
  for (const Member& m : list->members) {
    EXPECT_EQ(m.clock_offset, m.address == "a:1" ? absl::Milliseconds(-1500) : absl::Duration());
  }
  for (const absl::Time time : {roll->store_time, list->store_time}) {
    EXPECT_LT(absl::AbsDuration(absl::Now() - time), absl::Minutes(1));
  }
  EXPECT_TRUE(store.Heartbeat("a:1", kSecond, {}).ok());
  EXPECT_TRUE(store.Remove("a:1", kFirst).ok());
  EXPECT_THAT(Texts(store.Heartbeat("b:1", kFirst, {})), UnorderedElementsAre("a:1/2/4", "b:1/1/3"))
      << "the row no longer belongs to the old process";
  EXPECT_TRUE(store.Remove("a:1", kSecond).ok());
  EXPECT_TRUE(store.Remove("a:1", kSecond).ok());
  EXPECT_THAT(Texts(store.Heartbeat("b:1", kFirst, {})), UnorderedElementsAre("b:1/1/4"));
}

TEST(FakeMemberStoreTest, KeepsTheContract) {
  FakeMemberStore store([] { return absl::Now(); });
  KeepsTheContract(store);
}

TEST(PgMemberStoreTest, KeepsTheContract) {
  const std::string dsn = testkit::PgCluster::Shared().NewDatabase();
  ASSERT_TRUE(pg::Migrate(dsn, "rules", Migrations()).ok());
  prometheus::Registry registry;
  PgMemberStore store(dsn, "rules", registry);
  KeepsTheContract(store);
}

TEST(PgMemberStoreTest, NodesThatStartTogetherAllGetTheirRows) {
  const std::string dsn = testkit::PgCluster::Shared().NewDatabase();
  ASSERT_TRUE(pg::Migrate(dsn, "rules", Migrations()).ok());
  constexpr int kNodes = 8, kHeartbeats = 50;
  std::vector<std::thread> threads;
  for (int node = 0; node < kNodes; ++node) {
    threads.emplace_back([&dsn, node] {
      prometheus::Registry registry;
      PgMemberStore store(dsn, "rules", registry);
      for (int i = 0; i < kHeartbeats; ++i) {
        EXPECT_TRUE(store.Heartbeat("n" + std::to_string(node), kFirst, {}).ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  prometheus::Registry registry;
  PgMemberStore store(dsn, "rules", registry);
  const auto members = store.Heartbeat("last", kFirst, {});
  ASSERT_TRUE(members.ok()) << members.status();
  ASSERT_EQ(members->members.size(), kNodes + 1u);
  for (const Member& m : members->members)
    EXPECT_EQ(m.heartbeat, m.address == "last" ? 1 : kHeartbeats);
}

}  // namespace
}  // namespace tarot::cluster
