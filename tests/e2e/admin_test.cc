// Tests `tarotctl admin` on a running platform: operators drain a replica during play, close a
// queue, end a match, ban and delete players, read reports and tickets, change queues, population
// and limits. Each call is stored as a row.
#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <pqxx/pqxx>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "libs/base/error.h"
#include "libs/testkit/status_matchers.h"
#include "tests/e2e/cluster.h"
#include "tests/e2e/matches.h"
#include "tests/e2e/operator.h"

namespace tarot::e2e {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class AdminTest : public testing::Test {
 protected:
  static absl::StatusOr<matchmaking::v1::CreateTicketResponse> Queue(client::Client& player,
                                                                     const std::string& queue) {
    matchmaking::v1::CreateTicketRequest request;
    request.set_queue(queue);
    request.set_request_id(OsEntropy().NewUuid().ToString());
    return player.Call(&client::Matchmaking::CreateTicket, request);
  }

  // Returns the names of the SQL tables that contain `text` in any column.
  std::vector<std::string> TablesWith(const std::string& text) {
    pqxx::connection connection(cluster_.dsn());
    pqxx::nontransaction tx(connection);
    std::vector<std::string> found;
    for (const pqxx::row& row :
         tx.exec("SELECT quote_ident(table_schema) || '.' || quote_ident(table_name)"
                 " FROM information_schema.tables WHERE table_type = 'BASE TABLE'"
                 " AND table_schema IN ('rules', 'matchmaking', 'ratings', 'admin')")) {
      const std::string table = row[0].as<std::string>();
      const std::string sql = absl::StrCat("SELECT count(*) FROM ", table,
                                           " AS t WHERE t::text LIKE ", tx.quote("%" + text + "%"));
      if (tx.exec1(sql)[0].as<long>() > 0) found.push_back(table);
    }
    return found;
  }

  Cluster cluster_{{.population = 0, .replicas = {{"rules", 2}, {"admin", 1}}}};
  Operator operator_{cluster_};
  Matches matches_{cluster_};
};

TEST_F(AdminTest, ADrainLosesNoMove) {
  ASSERT_TRUE(matches_.Start(2));
  const std::string second = cluster_.AddressOf("rules.2");
  ASSERT_TRUE(Eventually(absl::Seconds(20), [&] {
    return operator_.Admin("replicas").find(second) != std::string::npos;
  }));
  EXPECT_THAT(operator_.Admin("drain " + second, "an upgrade"), HasSubstr("hands its"));
  EXPECT_TRUE(Eventually(absl::Seconds(20), [&] {
    return operator_.Admin("replicas").find(second) == std::string::npos;
  })) << "the replica still hosts tables";
  EXPECT_TRUE(Eventually(absl::Seconds(20), [&] {
    return operator_.Admin("drain " + second).find("its 0 tables") != std::string::npos;
  }));
  // Only the first replica of rules is still on the list of replicas. As soon as this replica has
  // read the list, it refuses to be drained.
  const std::string first = cluster_.AddressOf("rules");
  EXPECT_TRUE(Eventually(absl::Seconds(20), [&] {
    if (operator_.Admin("drain " + first).find("LAST_REPLICA") != std::string::npos)
      return operator_.exit_code() != 0;
    operator_.Admin("undrain " + first);
    return false;
  }));
  ASSERT_TRUE(matches_.KeepPlaying(2));
  const std::size_t before = matches_.Acknowledged();
  EXPECT_TRUE(Eventually(absl::Seconds(20), [&] {
    return matches_.AllFinished() || matches_.Acknowledged() >= before + 12;
  })) << "play does not go on";
  operator_.Admin("undrain " + second);
  EXPECT_EQ(operator_.exit_code(), 0);
  EXPECT_TRUE(Eventually(absl::Seconds(20), [&] {
    return operator_.Admin("replicas").find(second) != std::string::npos;
  })) << "the replica does not come back";
  ASSERT_TRUE(matches_.Finish(absl::Seconds(250)));
  matches_.CheckPromises();
  EXPECT_GE(Count(cluster_.dsn(),
                  "SELECT count(*) FROM admin.calls JOIN admin.outcomes USING (call_id)"
                  " WHERE method = 'SetReplicaDraining' AND operator_name = 'test'"
                  " AND why = 'an upgrade' AND outcome = 'OK'"),
            1);
}

TEST_F(AdminTest, OperatorsCloseEndBanAndDelete) {
  const auto ada = cluster_.SignIn("Ada");
  operator_.Admin("close-queue casual4");
  EXPECT_EQ(operator_.exit_code(), 0);
  EXPECT_TRUE(Eventually(absl::Seconds(10), [&] {
    return GetErrorDetails(Queue(*ada, "queues/casual4").status()).reason == "QUEUE_NOT_FOUND";
  }));
  operator_.Admin("open-queue casual4");
  ASSERT_TRUE(Eventually(absl::Seconds(10), [&] { return Queue(*ada, "queues/casual4").ok(); }));
  EXPECT_THAT(operator_.Admin("close-queue none"), HasSubstr("QUEUE_NOT_FOUND"));

  // Ada's ticket waits when the ban comes.
  const std::string player = ada->session().player();
  EXPECT_THAT(operator_.Admin("ban " + player + " --for 1h --message 'Be kind.'", "report 7"),
              HasSubstr("1 waiting tickets are cancelled"));
  EXPECT_TRUE(Eventually(absl::Seconds(15), [&] {
    return GetErrorDetails(Queue(*ada, "queues/casual4").status()).reason == "BANNED";
  }));
  EXPECT_EQ(GetErrorDetails(Queue(*ada, "queues/casual4").status()).metadata["message"],
            "Be kind.");
  EXPECT_THAT(operator_.Admin("bans"), HasSubstr(player));
  operator_.Admin("unban " + player);
  EXPECT_TRUE(Eventually(absl::Seconds(15), [&] { return Queue(*ada, "queues/casual4").ok(); }));

  ASSERT_TRUE(matches_.Start(1));
  const std::string table = matches_.tables()[0];
  const std::string log = operator_.Admin("log " + table);
  EXPECT_THAT(log, HasSubstr("deals the cards; the dealer is seat"));
  const std::string person = matches_.players()[0]->id();
  const std::string other = matches_.players()[1]->id();
  matchmaking::v1::ReportPlayerRequest report;
  report.set_table("tables/" + table);
  report.set_deal_number(1);
  report.set_player(other);
  report.set_reason(matchmaking::v1::PlayerReport::HELPS_ANOTHER_SEAT);
  EXPECT_THAT(matches_.players()[0]->client().Call(&client::Friends::ReportPlayer, report),
              testkit::IsOk());
  EXPECT_THAT(operator_.Admin("reports"), HasSubstr(absl::StrCat("HELPS_ANOTHER_SEAT  ", other,
                                                                 "  ", table, "/1  by ", person)));
  EXPECT_THAT(operator_.Admin("delete " + person), HasSubstr("PLAYER_BUSY"));
  EXPECT_THAT(operator_.Admin("end-match " + table), HasSubstr("message: a text that all players"));
  EXPECT_THAT(operator_.Admin("end-match " + table + " --message 'A fault.'"),
              HasSubstr("not rated"))
      << "between two deals an operator tries again";
  EXPECT_TRUE(Eventually(absl::Seconds(20), [&] { return matches_.AllFinished(); }));
  EXPECT_TRUE(Eventually(absl::Seconds(20), [&] {
    return Count(cluster_.dsn(), "SELECT count(*) FROM rules.outbox") == 0 &&
           Count(cluster_.dsn(),
                 "SELECT count(*) FROM matchmaking.tickets WHERE state = 'matched'") == 0;
  }));
  EXPECT_EQ(Count(cluster_.dsn(), "SELECT count(*) FROM ratings.matches"), 0);

  const auto rare = cluster_.SignIn("Zephyrine");
  ASSERT_TRUE(Queue(*rare, "queues/ranked4").ok());
  EXPECT_FALSE(TablesWith("Zephyrine").empty());
  EXPECT_THAT(operator_.Admin("export " + rare->session().player()), HasSubstr("Zephyrine"));
  EXPECT_THAT(operator_.Admin("delete " + rare->session().player()), HasSubstr("is deleted"));
  EXPECT_THAT(TablesWith("Zephyrine"), testing::IsEmpty());
  EXPECT_TRUE(Eventually(absl::Seconds(15), [&] {
    return GetErrorDetails(Queue(*rare, "queues/ranked4").status()).reason == "BAD_TOKEN";
  }));
  EXPECT_THAT(TablesWith("Zephyrine"), testing::IsEmpty());
  EXPECT_EQ(
      Count(cluster_.dsn(), "SELECT count(*) FROM ratings.players WHERE deleted_time IS NOT NULL"),
      1)
      << "the tombstone";

  const std::string calls = operator_.Admin("calls");
  for (const char* const part : {"test  BanPlayer players/", "why: report 7", "EndMatch tables/",
                                 "SetQueueOpen queues/none  QUEUE_NOT_FOUND"}) {
    EXPECT_THAT(calls, HasSubstr(part));
  }
  EXPECT_THAT(calls, Not(HasSubstr("Zephyrine")));
  EXPECT_THAT(operator_.Admin("replicas", ""), HasSubstr("--why TEXT is required"));
}

TEST_F(AdminTest, OperatorsReadTicketsAndChangeQueuesAndPopulation) {
  const auto ada = cluster_.SignIn("Ada"), bea = cluster_.SignIn("Bea");
  const auto ticket = Queue(*ada, "queues/ranked4");
  ASSERT_THAT(ticket, testkit::IsOk());
  ASSERT_THAT(Queue(*bea, "queues/ranked4"), testkit::IsOk());
  const std::string name = ticket->ticket().name();
  std::string answer;
  EXPECT_TRUE(Eventually(absl::Seconds(20), [&] {
    answer = operator_.Admin("ticket " + name);
    return answer.find("others that wait: 1 fit,") != std::string::npos;
  })) << answer;
  EXPECT_THAT(answer, AllOf(HasSubstr(absl::StrCat(name, "  ", ada->session().player(),
                                                   "  queues/ranked4  WAITING")),
                            HasSubstr("TOO_FEW_PLAYERS  place 1 of 2\n")));
  EXPECT_THAT(operator_.Admin("ticket 00000000-0000-4000-8000-000000000001"),
              HasSubstr("TICKET_NOT_FOUND"));

  const std::string file = cluster_.directory() + "/new_queues.json";
  const auto apply = [&](const std::string& from, const std::string& to) {
    std::ifstream in(cluster_.directory() + "/queues.json");
    const std::string queues{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    std::ofstream(file) << absl::StrReplaceAll(queues, {{from, to}});
    return operator_.Admin("apply-queues " + file, "a new name");
  };
  EXPECT_THAT(apply("Casual, four players, 2 deals", "Four at a table"),
              AllOf(HasSubstr("queues/casual4"), HasSubstr("Four at a table"),
                    Not(HasSubstr("queues/casual3"))));
  EXPECT_TRUE(Eventually(absl::Seconds(10), [&] {
    const auto queues = ada->Call(&client::Matchmaking::ListQueues, {});
    return queues.ok() && queues->ShortDebugString().find("Four at a table") != std::string::npos;
  }));
  EXPECT_THAT(apply("\"ranked\": true", "\"ranked\": true, \"deal_count\": 0"),
              HasSubstr("BAD_REQUEST"));
  EXPECT_NE(operator_.exit_code(), 0);
  EXPECT_THAT(apply("Casual, four players, 2 deals", "Four at a table"),
              HasSubstr("nothing changed"));

  EXPECT_THAT(operator_.Admin("population 8", "more bots"),
              HasSubstr("8 bots queue by themselves; before it were 0"));
  EXPECT_TRUE(Eventually(absl::Seconds(40), [&] {
    return Count(cluster_.dsn(),
                 "SELECT count(DISTINCT player_id) FROM matchmaking.tickets"
                 " WHERE player_id::text LIKE 'b07%'") == 8;
  }));
  EXPECT_THAT(operator_.Admin("population 10000"), HasSubstr("BAD_REQUEST"));
  EXPECT_THAT(operator_.Admin("population many"), HasSubstr("a number of bots"));
  EXPECT_THAT(operator_.Admin("population 0"), HasSubstr("before it were 8"));
  for (const char* const call :
       {"'ExplainTicket', 'a test', 'TICKET_NOT_FOUND'", "'ApplyQueues', 'a new name', 'OK'",
        "'ApplyQueues', 'a new name', 'BAD_REQUEST'", "'SetPopulation', 'more bots', 'OK'",
        "'SetPopulation', 'a test', 'BAD_REQUEST'"}) {
    EXPECT_GE(
        Count(cluster_.dsn(), absl::StrCat("SELECT count(*) FROM admin.calls JOIN admin.outcomes"
                                           " USING (call_id) WHERE operator_name = 'test'"
                                           " AND (method, why, outcome) = (",
                                           call, ")")),
        1)
        << call;
  }
}

TEST_F(AdminTest, OperatorsChangeTheLimitsOfARunningGateway) {
  const auto ada = cluster_.SignIn("Ada");
  // Returns true if the gateway refuses one of Ada's next calls.
  const auto limited = [&] {
    for (int i = 0; i < 20; ++i) {
      const absl::Status status = Queue(*ada, "queues/none").status();
      if (GetErrorDetails(status).reason == "RATE_LIMITED") return true;
    }
    return false;
  };
  EXPECT_FALSE(limited());
  EXPECT_THAT(operator_.Admin("limits call_burst=10 calls_per_second=1", "a flood"),
              AllOf(HasSubstr("call_burst=10\n"), HasSubstr("calls_per_second=1\n")));
  EXPECT_EQ(operator_.exit_code(), 0);
  EXPECT_TRUE(Eventually(absl::Seconds(20), limited));
  EXPECT_THAT(
      operator_.Admin("limits call_burst=default calls_per_second=0"),
      AllOf(HasSubstr("calls_per_second: must be from 1 to 1000000 "), HasSubstr("BAD_REQUEST")));
  EXPECT_NE(operator_.exit_code(), 0);
  EXPECT_THAT(operator_.Admin("limits"), HasSubstr("call_burst=10\n"))
      << "a refused call changes nothing";
  EXPECT_THAT(operator_.Admin("limits call_burst=many"), HasSubstr("call_burst: NAME=NUMBER"));
  EXPECT_THAT(
      operator_.Admin("limits call_burst=default calls_per_second=default", "the flood is over"),
      Not(HasSubstr("call_burst=")));
  EXPECT_TRUE(Eventually(absl::Seconds(20), [&] { return !limited(); }));
  EXPECT_EQ(Count(cluster_.dsn(),
                  "SELECT count(*) FROM admin.calls JOIN admin.outcomes USING (call_id)"
                  " WHERE method = 'SetGatewayLimits' AND operator_name = 'test'"
                  " AND why = 'a flood' AND outcome = 'OK' AND details LIKE '%call_burst%'"),
            1);
}

}  // namespace
}  // namespace tarot::e2e
