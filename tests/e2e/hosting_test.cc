// Runs three replicas of rules behind two gateways while people play. One replica dies, pauses or
// gets SIGTERM, and the other replicas continue its tables.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "libs/base/clock.h"
#include "libs/base/ids.h"
#include "libs/cluster/rendezvous.h"
#include "tests/e2e/cluster.h"
#include "tests/e2e/matches.h"

namespace tarot::e2e {
namespace {

constexpr int kTables = 4;
// The longest time from the death of a host to the next move.
constexpr absl::Duration kResume = absl::Seconds(10);

class HostingTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const std::string& process : cluster_.Replicas("rules")) {
      by_address_[cluster_.AddressOf(process)] = process;
      all_.push_back(cluster_.AddressOf(process));
    }
    ASSERT_TRUE(Eventually(absl::Seconds(20), [&] { return Nodes() == 3; }));
    ASSERT_TRUE(matches_.Start(kTables));
  }

  long Nodes() { return Count(cluster_.dsn(), "SELECT count(*) FROM rules.nodes"); }

  std::string HostOf(const std::string& table) const {
    return by_address_.at(cluster::HostOf(*Uuid::Parse(table), all_));
  }

  // Returns the replica that hosts the most tables in play.
  std::string Busiest() {
    std::map<std::string, std::size_t> counts;
    for (const auto& [address, process] : by_address_) counts[process] = TablesOf(process).size();
    return std::max_element(counts.begin(), counts.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
  }

  long Revision(const std::string& table) {
    return Count(cluster_.dsn(),
                 absl::StrCat("SELECT coalesce(max(revision), 0) FROM rules.table_actions "
                              "WHERE table_id = '",
                              table, "'"));
  }
  bool Over(const std::string& table) {
    return Count(cluster_.dsn(),
                 absl::StrCat("SELECT count(*) FROM rules.tables WHERE table_id = '", table,
                              "' AND finish_time IS NOT NULL")) == 1;
  }

  std::map<std::string, long> Revisions() {
    std::map<std::string, long> revisions;
    for (const std::string& table : matches_.tables()) revisions[table] = Revision(table);
    return revisions;
  }

  // Expects that within kResume every table has a higher revision than in `before`, or its match is
  // over.
  void ExpectPlayEverywhere(const std::map<std::string, long>& before) {
    for (const auto& [table, revision] : before) {
      EXPECT_TRUE(Eventually(kResume, [&] { return Over(table) || Revision(table) > revision; }))
          << "no play at a table of " << HostOf(table);
    }
  }

  // Returns the tables in play that `process` hosts while all replicas run. If `process` has just
  // died or paused, these are the tables whose play it has stopped.
  std::vector<std::string> TablesOf(const std::string& process) {
    std::vector<std::string> tables;
    for (const std::string& table : matches_.tables()) {
      if (HostOf(table) == process && !Over(table)) tables.push_back(table);
    }
    return tables;
  }

  // Expects that each of `tables` has a move whose charged time is at least 1.5 s shorter than the
  // time that passed. The other replicas treat a host as dead after two seconds at the earliest.
  void ExpectRefund(const std::vector<std::string>& tables) {
    EXPECT_FALSE(tables.empty());
    for (const std::string& table : tables) {
      EXPECT_GE(Count(cluster_.dsn(),
                      absl::StrCat("SELECT count(*) FROM (SELECT elapsed_us, create_time - "
                                   "lag(create_time) OVER (ORDER BY revision) AS passed FROM "
                                   "rules.table_actions WHERE table_id = '",
                                   table,
                                   "') a WHERE passed - elapsed_us * interval '1 microsecond' > "
                                   "interval '1.5 seconds'")),
                1)
          << table;
    }
  }

  void ExpectNoClockRanOut() {
    EXPECT_EQ(Count(cluster_.dsn(), "SELECT count(*) FROM rules.table_actions WHERE actor = 2"), 0);
  }

  Cluster cluster_{{.population = 0, .replicas = {{"rules", 3}, {"gateway", 2}}, .fsync = false}};
  Matches matches_{cluster_};
  std::map<std::string, std::string> by_address_;
  std::vector<std::string> all_;
};

TEST_F(HostingTest, OtherReplicasContinueTablesOfADeadReplica) {
  const std::string victim = Busiest();
  cluster_.Kill(victim, SIGKILL);
  const std::vector<std::string> tables = TablesOf(victim);
  const std::map<std::string, long> before = Revisions();
  ExpectPlayEverywhere(before);
  cluster_.Start(victim);
  ExpectPlayEverywhere(Revisions());
  ASSERT_TRUE(matches_.Finish(absl::Seconds(200)));
  matches_.CheckPromises();
  ExpectRefund(tables);
  ExpectNoClockRanOut();
}

TEST_F(HostingTest, PausedReplicaDoesNoHarmAfterItResumes) {
  const std::string victim = Busiest();
  cluster_.Signal(victim, SIGSTOP);
  const std::vector<std::string> tables = TablesOf(victim);
  ExpectPlayEverywhere(Revisions());
  cluster_.Signal(victim, SIGCONT);
  ExpectPlayEverywhere(Revisions());
  ASSERT_TRUE(matches_.Finish(absl::Seconds(200)));
  matches_.CheckPromises();
  ExpectRefund(tables);
  ExpectNoClockRanOut();
}

TEST_F(HostingTest, ReplicaHandsItsTablesOverAfterSigterm) {
  const std::string victim = Busiest();
  const Stopwatch watch;
  EXPECT_EQ(cluster_.Kill(victim, SIGTERM), 0) << cluster_.LogOf(victim);
  EXPECT_LT(watch.Elapsed(), absl::Seconds(10));
  EXPECT_EQ(Nodes(), 2);
  ExpectPlayEverywhere(Revisions());
  cluster_.Start(victim);
  ASSERT_TRUE(matches_.Finish(absl::Seconds(200)));
  matches_.CheckPromises();
  ExpectNoClockRanOut();
}

}  // namespace
}  // namespace tarot::e2e
