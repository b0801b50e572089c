// Tests `tarotctl admin` on a running platform: operators drain a replica during play, close a
// queue, end a match, ban and delete players, change limits. Each call is stored as a row.
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <pqxx/pqxx>
#include <string>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "tests/e2e/cluster.h"
#include "tests/e2e/matches.h"

namespace tarot::e2e {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class AdminTest : public testing::Test {
 protected:
  // Runs `tarotctl admin` with `words`. Returns its output. Sets `exit_code_`.
  std::string Admin(const std::string& words, const std::string& why = "a test") {
    const std::string file = cluster_.directory() + "/admin.out";
    const int status =
        std::system(absl::StrCat(TAROT_BIN_DIR, "/tarotctl admin ", words, " --why '", why,
                                 "' --admin ", cluster_.AddressOf("admin"), " --key ",
                                 cluster_.directory(), "/operator.keys >", file, " 2>&1")
                        .c_str());
    exit_code_ = WEXITSTATUS(status);
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }

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

  int exit_code_ = 0;
  Cluster cluster_{{.population = 0, .replicas = {{"rules", 2}, {"admin", 1}}}};
  Matches matches_{cluster_};
};

TEST_F(AdminTest, ADrainLosesNoMove) {
  ASSERT_TRUE(matches_.Start(2));
  const std::string second = cluster_.AddressOf("rules.2");
  ASSERT_TRUE(Eventually(absl::Seconds(20),
                         [&] { return Admin("replicas").find(second) != std::string::npos; }));
  EXPECT_THAT(Admin("drain " + second, "an upgrade"), HasSubstr("hands its"));
  EXPECT_TRUE(Eventually(absl::Seconds(20), [&] {
    return Admin("replicas").find(second) == std::string::npos;
  })) << "the replica still hosts tables";
  EXPECT_TRUE(Eventually(absl::Seconds(20), [&] {
    return Admin("drain " + second).find("its 0 tables") != std::string::npos;
  }));
  // Only the first replica of rules is still on the list of replicas. As soon as this replica has
  // read the list, it refuses to be drained.
  const std::string first = cluster_.AddressOf("rules");
  EXPECT_TRUE(Eventually(absl::Seconds(20), [&] {
    if (Admin("drain " + first).find("LAST_REPLICA") != std::string::npos) return exit_code_ != 0;
    Admin("undrain " + first);
    return false;
  }));
  ASSERT_TRUE(matches_.KeepPlaying(2));
  const std::size_t before = matches_.Acknowledged();
  EXPECT_TRUE(Eventually(absl::Seconds(20), [&] {
    return matches_.AllFinished() || matches_.Acknowledged() >= before + 12;
  })) << "play does not go on";
  Admin("undrain " + second);
  EXPECT_EQ(exit_code_, 0);
  EXPECT_TRUE(Eventually(absl::Seconds(20), [&] {
    return Admin("replicas").find(second) != std::string::npos;
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
  Admin("close-queue casual4");
  EXPECT_EQ(exit_code_, 0);
  EXPECT_TRUE(Eventually(absl::Seconds(10), [&] {
    return GetErrorDetails(Queue(*ada, "queues/casual4").status()).reason == "QUEUE_NOT_FOUND";
  }));
  Admin("open-queue casual4");
  ASSERT_TRUE(Eventually(absl::Seconds(10), [&] { return Queue(*ada, "queues/casual4").ok(); }));
  EXPECT_THAT(Admin("close-queue none"), HasSubstr("QUEUE_NOT_FOUND"));

  // Ada's ticket waits when the ban comes.
  const std::string player = ada->session().player();
  EXPECT_THAT(Admin("ban " + player + " --for 1h --message 'Be kind.'", "report 7"),
              HasSubstr("1 waiting tickets are cancelled"));
  EXPECT_TRUE(Eventually(absl::Seconds(15), [&] {
    return GetErrorDetails(Queue(*ada, "queues/casual4").status()).reason == "BANNED";
  }));
  EXPECT_EQ(GetErrorDetails(Queue(*ada, "queues/casual4").status()).metadata["message"],
            "Be kind.");
  EXPECT_THAT(Admin("bans"), HasSubstr(player));
  Admin("unban " + player);
  EXPECT_TRUE(Eventually(absl::Seconds(15), [&] { return Queue(*ada, "queues/casual4").ok(); }));

  ASSERT_TRUE(matches_.Start(1));
  const std::string table = matches_.tables()[0];
  const std::string log = Admin("log " + table);
  EXPECT_THAT(log, HasSubstr("deals the cards; the dealer is seat"));
  const std::string person = matches_.players()[0]->id();
  EXPECT_THAT(Admin("delete " + person), HasSubstr("PLAYER_BUSY"));
  EXPECT_THAT(Admin("end-match " + table), HasSubstr("message: a text that all players"));
  EXPECT_THAT(Admin("end-match " + table + " --message 'A fault.'"), HasSubstr("not rated"))
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
  EXPECT_THAT(Admin("export " + rare->session().player()), HasSubstr("Zephyrine"));
  EXPECT_THAT(Admin("delete " + rare->session().player()), HasSubstr("is deleted"));
  EXPECT_THAT(TablesWith("Zephyrine"), testing::IsEmpty());
  EXPECT_TRUE(Eventually(absl::Seconds(15), [&] {
    return GetErrorDetails(Queue(*rare, "queues/ranked4").status()).reason == "BAD_TOKEN";
  }));
  EXPECT_THAT(TablesWith("Zephyrine"), testing::IsEmpty());
  EXPECT_EQ(
      Count(cluster_.dsn(), "SELECT count(*) FROM ratings.players WHERE deleted_time IS NOT NULL"),
      1)
      << "the tombstone";

  const std::string calls = Admin("calls");
  for (const char* const part : {"test  BanPlayer players/", "why: report 7", "EndMatch tables/",
                                 "SetQueueOpen queues/none  QUEUE_NOT_FOUND"}) {
    EXPECT_THAT(calls, HasSubstr(part));
  }
  EXPECT_THAT(calls, Not(HasSubstr("Zephyrine")));
  EXPECT_THAT(Admin("replicas", ""), HasSubstr("--why TEXT is required"));
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
  EXPECT_THAT(Admin("limits call_burst=10 calls_per_second=1", "a flood"),
              AllOf(HasSubstr("call_burst=10\n"), HasSubstr("calls_per_second=1\n")));
  EXPECT_EQ(exit_code_, 0);
  EXPECT_TRUE(Eventually(absl::Seconds(20), limited));
  EXPECT_THAT(
      Admin("limits call_burst=default calls_per_second=0"),
      AllOf(HasSubstr("calls_per_second: must be from 1 to 1000000 "), HasSubstr("BAD_REQUEST")));
  EXPECT_NE(exit_code_, 0);
  EXPECT_THAT(Admin("limits"), HasSubstr("call_burst=10\n")) << "a refused call changes nothing";
  EXPECT_THAT(Admin("limits call_burst=many"), HasSubstr("call_burst: NAME=NUMBER"));
  EXPECT_THAT(Admin("limits call_burst=default calls_per_second=default", "the flood is over"),
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
