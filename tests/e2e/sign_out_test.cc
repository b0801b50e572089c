// Players sign in and out. No gateway accepts a revoked token, even after all gateways were killed
// and started again. All other tokens still work. No guest gets the name of a ranked player.
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <fstream>
#include <mutex>
#include <pqxx/pqxx>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "tests/e2e/cluster.h"
#include "tests/e2e/matches.h"

namespace tarot::e2e {
namespace {

// The time within which every gateway refuses a revoked token and ends its streams.
constexpr absl::Duration kStatedTime = absl::Seconds(5);

std::string ReasonOf(const absl::Status& status) { return GetErrorDetails(status).reason; }

absl::Status ListQueues(client::Client& player) {
  return player.Call(&client::Matchmaking::ListQueues, {}).status();
}

absl::Status SignOut(client::Client& player, bool everywhere) {
  gateway::v1::SignOutRequest request;
  request.set_everywhere(everywhere);
  return player.Call(&client::Sessions::SignOut, request).status();
}

// Returns another client that uses the token of `owner`.
std::unique_ptr<client::Client> WithToken(Cluster& cluster, const std::string& gateway,
                                          const client::Client& owner) {
  auto other = cluster.SignIn("Other", gateway);
  other->set_session(owner.session());
  return other;
}

TEST(SignOutTest, ARevokedTokenWorksAtNoGatewayForEver) {
  Cluster cluster({.population = 0, .replicas = {{"gateway", 2}}});
  const auto anna = cluster.SignIn("Anna");
  const auto anna_there = WithToken(cluster, "gateway.2", *anna);
  const auto second = WithToken(cluster, "gateway.2", *anna);
  ASSERT_TRUE(second->RefreshSession().ok());
  ASSERT_TRUE(ListQueues(*anna_there).ok());

  // Opens two streams at the second gateway. The gateway forwards the first stream to matchmaking,
  // and serves the second stream itself.
  matchmaking::v1::CreateTicketRequest create;
  create.set_queue("queues/ranked4");
  create.set_request_id(anna->NewRequestId());
  const auto ticket = anna->Call(&client::Matchmaking::CreateTicket, create);
  ASSERT_TRUE(ticket.ok()) << ticket.status();
  std::atomic<bool> shown = false, ended = false;
  std::mutex mutex;
  absl::Status end;
  const auto watch = anna_there->WatchTicket(
      ticket->ticket().name(), [&](const matchmaking::v1::Ticket&) { shown = true; },
      [&](const absl::Status& status) {
        const std::lock_guard lock(mutex);
        end = status;
        ended = true;
      });
  ASSERT_TRUE(Eventually(absl::Seconds(10), [&] { return shown.load(); }));

  ASSERT_TRUE(SignOut(*anna, false).ok());
  EXPECT_EQ(ReasonOf(ListQueues(*anna)), "BAD_TOKEN");
  EXPECT_TRUE(Eventually(
      kStatedTime, [&] { return ReasonOf(ListQueues(*anna_there)) == "BAD_TOKEN" && ended; }));
  {
    const std::lock_guard lock(mutex);
    EXPECT_EQ(ReasonOf(end), "BAD_TOKEN") << end;
  }
  EXPECT_TRUE(ListQueues(*second).ok()) << "another token of the same player";
  EXPECT_EQ(Count(cluster.dsn(), "SELECT count(*) FROM ratings.revocations"), 1);

  ASSERT_TRUE(SignOut(*second, true).ok());
  for (const char* gateway : {"gateway", "gateway.2"}) {
    cluster.Kill(gateway, SIGKILL);
    cluster.Start(gateway);
  }
  EXPECT_EQ(ReasonOf(ListQueues(*anna)), "BAD_TOKEN");
  EXPECT_EQ(ReasonOf(ListQueues(*anna_there)), "BAD_TOKEN");
  EXPECT_EQ(ReasonOf(ListQueues(*second)), "BAD_TOKEN");
  EXPECT_EQ(ReasonOf(second->RefreshSession()), "BAD_TOKEN");
  EXPECT_TRUE(ListQueues(*cluster.SignIn("Anna")).ok());

  // The last part of a token is its signature, which proves that the token is real. No log may
  // contain this part.
  const std::string token = anna->session().token();
  const std::string mac = token.substr(token.rfind('.') + 1);
  for (const auto& [process, pid] : cluster.pids()) {
    EXPECT_EQ(cluster.LogOf(process).find(mac), std::string::npos) << process;
  }
}

TEST(SignOutTest, WithoutRatingsCallsGoOnAndASignOutWaits) {
  Cluster cluster({.population = 0});
  const auto anna = cluster.SignIn("Anna");
  const auto bela = cluster.SignIn("Bela");
  ASSERT_TRUE(SignOut(*bela, false).ok());
  cluster.Kill("ratings", SIGKILL);
  EXPECT_TRUE(ListQueues(*anna).ok());
  EXPECT_EQ(ReasonOf(ListQueues(*bela)), "BAD_TOKEN");
  cluster.Kill("gateway", SIGKILL);
  cluster.Start("gateway");
  EXPECT_TRUE(ListQueues(*anna).ok()) << "A gateway also starts without ratings.";
  EXPECT_EQ(ReasonOf(SignOut(*anna, false)), "SERVICE_AWAY");
  EXPECT_TRUE(ListQueues(*anna).ok());
  cluster.Start("ratings");
  EXPECT_TRUE(SignOut(*anna, false).ok());
  EXPECT_EQ(ReasonOf(ListQueues(*anna)), "BAD_TOKEN");
  EXPECT_TRUE(Eventually(kStatedTime, [&] { return ReasonOf(ListQueues(*bela)) == "BAD_TOKEN"; }));
}

TEST(SignInTest, AGuestGetsNoNameOfARankedPlayer) {
  Cluster cluster({.population = 0});
  const auto before = cluster.SignIn("Papageno");
  EXPECT_EQ(before->session().display_name(), "Papageno");
  {
    pqxx::connection connection(cluster.dsn());
    pqxx::nontransaction transaction(connection);
    const std::string id = "'00000000-0000-4000-8000-000000000001'";
    transaction.exec("INSERT INTO ratings.players VALUES (" + id + ", 'Papageno', false)");
    transaction.exec("INSERT INTO ratings.ratings VALUES (" + id + ", 4, 0, 1, 1, now())");
  }
  cluster.Kill("gateway", SIGKILL);
  cluster.Start("gateway");  // A gateway reads the names of ranked players at its start.
  std::string name;
  EXPECT_TRUE(Eventually(absl::Seconds(20), [&] {
    name = cluster.SignIn("Papagen0")->session().display_name();
    return name != "Papagen0";
  }));
  EXPECT_EQ(name.substr(0, 9), "Papagen0 ") << name;
  gateway::v1::CreateGuestSessionRequest request;
  request.set_display_name("PAPAGENO");
  EXPECT_EQ(ReasonOf(before->Call(&client::Sessions::CreateGuestSession, request).status()),
            "NAME_TAKEN");
  ASSERT_TRUE(before->RefreshSession().ok());
  EXPECT_EQ(before->session().display_name(), "Papageno") << "The player keeps the name.";
}

TEST(SignOutTest, TarotctlSignsOutAndForgetsItsToken) {
  Cluster cluster({.population = 0});
  const std::string token_file = cluster.directory() + "/token";
  const auto run = [&](const std::string& arguments) {
    return std::system(absl::StrCat("TAROT_TOKEN_FILE=", token_file, " ", TAROT_BIN_DIR,
                                    "/tarotctl --gateway ", cluster.AddressOf("gateway"), " ",
                                    arguments, " > ", cluster.directory(), "/out 2>&1")
                           .c_str());
  };
  ASSERT_EQ(run("queues"), 0);
  std::ifstream file(token_file);
  ASSERT_TRUE(file.good());
  EXPECT_EQ(run("sign-out --everywhere"), 0);
  EXPECT_FALSE(std::ifstream(token_file).good());
  EXPECT_EQ(Count(cluster.dsn(),
                  "SELECT count(*) FROM ratings.revocations "
                  "WHERE latest_sign_in_time IS NOT NULL"),
            1);
  EXPECT_NE(run("sign-out"), 0) << "There is no token.";
}

}  // namespace
}  // namespace tarot::e2e
