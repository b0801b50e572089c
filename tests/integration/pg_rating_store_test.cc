#include "services/ratings/storage/pg_rating_store.h"

#include <atomic>
#include <map>
#include <set>
#include <thread>

#include "libs/pg/migrate.h"
#include "libs/testkit/pg_fixture.h"
#include "migrations/ratings_migrations.h"
#include "tests/integration/rating_store_contract.h"

namespace tarot::ratings {
namespace {

class PgRatingStoreTest : public testing::Test {
 protected:
  PgRatingStoreTest() { EXPECT_THAT(pg::Migrate(dsn_, "ratings", Migrations()), testkit::IsOk()); }

  const std::string dsn_ = testkit::PgCluster::Shared().NewDatabase();
  prometheus::Registry registry_;
};

TEST_F(PgRatingStoreTest, KeepsTheContract) {
  PgRatingStore store(dsn_, 2, registry_);
  CheckRatingStoreContract(store);
}

// Eight relays send the same matches over a dozen players to two replicas. Pairs of relays send
// them in the same order, one to each replica, so that the same match comes twice at once, and
// matches of the same players all the time.
TEST_F(PgRatingStoreTest, TwoReplicasRateEachMatchOnceAndLoseNoUpdate) {
  PgRatingStore store(dsn_, 4, registry_);
  prometheus::Registry other_registry;
  PgRatingStore other(dsn_, 4, other_registry);
  const std::vector<MatchResult> matches = RandomMatches(3, 150, 12);
  std::atomic<int> rated = 0;
  std::atomic<int> replayed = 0;
  std::vector<std::thread> relays;
  for (unsigned relay = 0; relay < 8; ++relay) {
    relays.emplace_back([&, relay] {
      std::vector<MatchResult> own = matches;
      Rng(relay / 2).Shuffle(own);
      for (const MatchResult& match : own) {
        const auto recorded = RecordInto(relay % 2 == 0 ? store : other, match);
        ASSERT_THAT(recorded, testkit::IsOk());
        ++(recorded->replayed ? replayed : rated);
      }
    });
  }
  for (std::thread& relay : relays) relay.join();
  EXPECT_EQ(rated, 150);
  EXPECT_EQ(replayed, 7 * 150);

  const std::vector<LedgerMatch> ledger = store.ReadLedger(0, 1000).value();
  std::set<TableId> tables;
  std::map<std::pair<int, PlayerId>, double> mu_moved;
  std::map<std::pair<int, PlayerId>, int> match_count;
  for (const LedgerMatch& match : ledger) {
    tables.insert(match.table);
    for (const LedgerEntry& entry : match.entries) {
      const std::pair key(static_cast<int>(match.entries.size()), entry.player);
      mu_moved[key] += entry.after.mu - entry.before.mu;
      ++match_count[key];
    }
  }
  EXPECT_EQ(tables.size(), 150u);
  EXPECT_EQ(ledger.size(), 150u);
  for (const auto& [key, moved] : mu_moved) {  // No update was lost on the way.
    const Standing live = store.GetPlaces(key.first, RuleOf(0), {key.second}).value()[0].standing;
    EXPECT_NEAR(live.skill.mu, moved, 1e-9);
    EXPECT_EQ(live.match_count, match_count[key]);
  }
  CheckRecomputeIsLive(store);
}

TEST_F(PgRatingStoreTest, AMatchThatFailsHalfwayLeavesNothing) {
  PgRatingStore store(dsn_, 1, registry_);
  const MatchResult match = TestMatch(1, {1, 2, 3}, {2, -1, -1});
  const auto failed = store.Record(match, [&](const std::vector<Standing>& standings) {
    std::vector<LedgerEntry> entries = RateMatch(match, standings).entries;
    entries[2].after.variance = -1;  // The table refuses it.
    return entries;
  });
  EXPECT_THAT(failed, testkit::HasReason("BUG"));
  EXPECT_EQ(store.CountPlayers().value(), 0);
  EXPECT_TRUE(store.ReadLedger(0, 10).value().empty());
  EXPECT_FALSE(RecordInto(store, match).value().replayed);
}

TEST_F(PgRatingStoreTest, AnAbsentDatabaseIsAway) {
  testkit::PgCluster cluster;
  PgRatingStore store(cluster.NewDatabase(), 1, registry_);
  cluster.Kill();
  EXPECT_THAT(store.CountPlayers(), testkit::HasReason("STORAGE_AWAY"));
  EXPECT_THAT(RecordInto(store, TestMatch(1, {1, 2, 3}, {2, -1, -1})),
              testkit::HasReason("STORAGE_AWAY"));
}

}  // namespace
}  // namespace tarot::ratings
