// Tests recomputations whose process is killed.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <pqxx/pqxx>
#include <string>
#include <tuple>
#include <vector>

#include "libs/base/check.h"
#include "libs/base/real_clock.h"
#include "libs/pg/migrate.h"
#include "libs/testkit/pg_fixture.h"
#include "libs/testkit/status_matchers.h"
#include "migrations/ratings_migrations.h"
#include "services/ratings/storage/pg_rating_store.h"
#include "services/ratings/testing/rating_store_contract.h"

namespace tarot::ratings_service {
namespace {

constexpr char kDsnVariable[] = "TAROT_TEST_RECOMPUTE_DSN";

absl::StatusOr<RecomputeReport> Recompute(RatingStore& store) {
  RealClock clock;
  SeasonCache seasons(store, clock);
  return LadderAdmin(store, seasons, clock).Recompute();
}

// This is not a test: RecomputationIsWholeOrAbsentAfterAKill runs this function in other processes,
// and kills these processes.
TEST(PgRecomputationTest, DISABLED_RecomputesUntilKilled) {
  const char* const dsn = std::getenv(kDsnVariable);
  ASSERT_NE(dsn, nullptr);
  prometheus::Registry registry;
  const auto store = MakePgRatingStore(dsn, 1, registry);
  while (true) (void)Recompute(*store);
}

// Starts this test program again in a new process, which runs only DISABLED_RecomputesUntilKilled.
pid_t StartRecomputing(const std::string& dsn) {
  const pid_t child = ::fork();
  TAROT_CHECK(child >= 0);
  if (child > 0) return child;
  ::setenv(kDsnVariable, dsn.c_str(), 1);
  ::execl("/proc/self/exe", "pg_ratings_test", "--gtest_also_run_disabled_tests",
          "--gtest_filter=PgRecomputationTest.DISABLED_RecomputesUntilKilled", nullptr);
  ::_exit(1);
}

void Kill(pid_t child) {
  ::kill(child, SIGKILL);
  int status = 0;
  TAROT_CHECK(::waitpid(child, &status, 0) == child);
  EXPECT_TRUE(WIFSIGNALED(status)) << "the process ended by itself";
}

using Row = std::tuple<int, PlayerId, double, double, int, int, absl::Time>;

// Reads all standings by one statement, so that all of them are from the same moment.
std::vector<Row> StandingsOf(RatingStore& store) {
  std::vector<Row> rows;
  const auto standings = store.ListStandings({}, 0, 100'000).value();
  for (const auto& [player_count, s] : standings) {
    rows.emplace_back(player_count, s.player, s.skill.mu, s.skill.variance, s.match_count,
                      s.void_count, s.update_time);
  }
  return rows;
}

void WaitUntil(const std::function<bool()>& holds) {
  while (!holds()) absl::SleepFor(absl::Milliseconds(1));
}

// The test kills processes at three kinds of moments: while they write the new SQL tables, after
// the first recomputation, and at a random moment.
TEST(PgRecomputationTest, RecomputationIsWholeOrAbsentAfterAKill) {
  const std::string dsn = testkit::PgCluster::Shared().NewDatabase();
  ASSERT_THAT(pg::Migrate(dsn, "ratings", Migrations()), testkit::IsOk());
  prometheus::Registry registry;
  const auto store = MakePgRatingStore(dsn, 2, registry);
  const std::vector<MatchResult> matches = RandomMatches(3, 3'000, 400);
  ASSERT_THAT(RecordAll(*store, matches), testkit::IsOk());
  pqxx::connection connection(dsn);
  const auto count = [&](const std::string& sql) {
    return pqxx::nontransaction(connection).exec1(sql)[0].as<int>();
  };
  const auto writes_tables = [&] {
    return count("SELECT count(*) FROM pg_tables WHERE tablename = 'next_ratings'") > 0;
  };
  Rng rng(4);
  int absent = 0, whole = 0;
  for (std::size_t round = 0; round < 12; ++round) {
    const std::vector<Row> before = StandingsOf(*store);
    const int recomputations = count("SELECT count(*) FROM ratings.recomputations");
    AddVoid(*store, {.table = matches[100 * round].table}, 1);
    const pid_t child = StartRecomputing(dsn);
    if (round % 3 == 0) {
      WaitUntil(writes_tables);
    } else if (round % 3 == 1) {
      WaitUntil(
          [&] { return count("SELECT count(*) FROM ratings.recomputations") > recomputations; });
    } else {
      absl::SleepFor(absl::Milliseconds(rng.Below(400)));
    }
    Kill(child);
    const std::vector<Row> seen = StandingsOf(*store);
    // The session of the killed process ends some time later. Until then it holds the lock.
    absl::StatusOr<RecomputeReport> report = Recompute(*store);
    while (absl::IsUnavailable(report.status())) report = Recompute(*store);
    ASSERT_THAT(report, testkit::IsOk());
    EXPECT_EQ(report->void_count, static_cast<std::int64_t>(round) + 1);
    const std::vector<Row> after = StandingsOf(*store);
    ASSERT_NE(before, after);
    ASSERT_TRUE(seen == before || seen == after) << round;
    (seen == before ? absent : whole) += 1;
    EXPECT_FALSE(writes_tables());
  }
  EXPECT_GT(absent, 0);
  EXPECT_GT(whole, 0);
  ExpectFoldEqualsStandings(*store);
}

}  // namespace
}  // namespace tarot::ratings_service
