// Kills each process in the middle of matches and starts it again. Every acknowledged action must
// be stored, all matches must finish, and each match must be rated once.
#include <gtest/gtest.h>
#include <signal.h>

#include <pqxx/pqxx>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "libs/base/clock.h"
#include "tests/e2e/cluster.h"
#include "tests/e2e/matches.h"
#include "tests/e2e/player_thread.h"

namespace tarot::e2e {
namespace {

class KillTest : public testing::Test {
 protected:
  void ExpectPlayGoesOn(std::size_t before) {
    EXPECT_TRUE(Eventually(absl::Seconds(30), [&] {
      return matches_.AllFinished() || matches_.Acknowledged() >= before + 8;
    })) << "play does not go on";
  }

  Cluster cluster_{{.population = 0}};
  Matches matches_{cluster_};
};

TEST_F(KillTest, AcknowledgedActionsSurviveTheDeathOfAnyProcess) {
  ASSERT_TRUE(matches_.Start(1));
  for (const char* service : {"rules", "gateway", "bot", "ratings", "matchmaking", "rules"}) {
    SCOPED_TRACE(service);
    const std::size_t before = matches_.Acknowledged();
    ASSERT_TRUE(matches_.KeepPlaying(1));
    cluster_.Kill(service, SIGKILL);
    cluster_.Start(service);
    ExpectPlayGoesOn(before);
  }
  ASSERT_TRUE(matches_.Finish(absl::Seconds(150)));
  matches_.CheckPromises();
}

// After SIGTERM in the middle of a match, each process must end within the grace period and lose
// nothing.
TEST_F(KillTest, EveryProcessStopsAfterSigterm) {
  ASSERT_TRUE(matches_.Start(1));
  for (const char* service : {"rules", "gateway", "bot", "ratings", "matchmaking"}) {
    SCOPED_TRACE(service);
    ASSERT_TRUE(matches_.KeepPlaying(1));
    const Stopwatch watch;
    EXPECT_EQ(cluster_.Kill(service, SIGTERM), 0) << cluster_.LogOf(service);
    EXPECT_LT(watch.Elapsed(), absl::Seconds(10));
    cluster_.Start(service);
  }
  ASSERT_TRUE(matches_.Finish(absl::Seconds(150)));
  matches_.CheckPromises();
}

TEST_F(KillTest, PoolsReconnectAfterPostgresDied) {
  ASSERT_TRUE(matches_.Start(1));
  const std::size_t before = matches_.Acknowledged();
  EXPECT_FALSE(matches_.AllFinished());
  cluster_.postgres().Kill();
  cluster_.postgres().Start();
  ExpectPlayGoesOn(before);
  ASSERT_TRUE(matches_.Finish(absl::Seconds(150)));
  matches_.CheckPromises();
}

// A match ends while matchmaking is away. When matchmaking is back, the rules service reports the
// end of the match only after a pause of some seconds. The player need not wait for this report.
TEST(QueueAgainTest, APlayerQueuesAgainBeforeTheEndOfTheMatchIsReported) {
  Cluster cluster({.population = 0, .deal_count = 1});
  PlayerThread ada(cluster.SignIn("Ada"), "Ada");
  ada.Play("queues/casual4");
  ASSERT_TRUE(Eventually(absl::Seconds(60), [&] { return !ada.table().empty(); })) << ada.error();
  cluster.Kill("matchmaking", SIGKILL);
  ada.Join();
  ASSERT_EQ(ada.error(), "");
  // Now two reports of the end have failed, and the rules service waits for four seconds.
  absl::SleepFor(absl::Milliseconds(2'500));
  cluster.Start("matchmaking");
  matchmaking::v1::CreateTicketRequest request;
  request.set_queue("queues/casual4");
  request.set_request_id(ada.client().NewRequestId());
  const auto again = ada.client().Call(&client::Matchmaking::CreateTicket, request);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->ticket().state(), matchmaking::v1::Ticket::WAITING);
}

// Tickets of many players wait, and the matchmaking service or the rules service dies while it
// makes their tables. No ticket may be lost, and no player may get two tables.
TEST(PlacingTest, MakesEachTableOnceAlthoughProcessesDie) {
  Cluster cluster({.population = 0});
  pqxx::connection connection(cluster.dsn());
  const auto count = [&](const std::string& sql) {
    return pqxx::nontransaction(connection).exec1("SELECT count(*) FROM " + sql)[0].as<long>();
  };
  constexpr int kTables = 150;
  int rounds = 0;
  for (const char* service : {"matchmaking", "rules", "matchmaking", "rules", "matchmaking"}) {
    SCOPED_TRACE(service);
    const long made = count("rules.tables");
    pqxx::nontransaction(connection)
        .exec0(absl::StrCat(R"sql(
        INSERT INTO matchmaking.tickets (ticket_id, queue_id, player_id, display_name, bot_level,
                                         request_id, state, create_time)
        SELECT gen_random_uuid(), 'ranked4', gen_random_uuid(), 'P', '', gen_random_uuid(),
               'waiting', now()
        FROM generate_series(1, )sql",
                            4 * kTables, ")"));
    ++rounds;
    // The first kill comes when the first tables are stored. Later kills come when the rules
    // service has made some tables.
    ASSERT_TRUE(Eventually(absl::Seconds(30), [&] {
      return rounds == 1 ? count("matchmaking.tables") > 0 : count("rules.tables") > made + rounds;
    }));
    cluster.Kill(service, SIGKILL);
    cluster.Start(service);
  }
  ASSERT_TRUE(Eventually(absl::Seconds(90), [&] {
    return count("matchmaking.tickets WHERE state = 'matched'") == 4L * kTables * rounds;
  })) << count("matchmaking.tickets WHERE state = 'matched'");
  EXPECT_EQ(count("rules.tables"), kTables * rounds);
  EXPECT_EQ(count("matchmaking.tables WHERE state = 'made'"), kTables * rounds);
  EXPECT_EQ(
      count("(SELECT FROM rules.table_seats GROUP BY player_id HAVING count(*) > 1) AS twice"), 0);
  EXPECT_EQ(count("matchmaking.tickets t JOIN rules.table_seats s USING (table_id, player_id)"),
            4L * kTables * rounds)
      << "Each ticket names the table where its player sits.";
}

}  // namespace
}  // namespace tarot::e2e
