// Each service has an identity of its own, and may do only what it needs. The identities change
// while players play, and no call fails.
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/base/clock.h"
#include "libs/base/error.h"
#include "libs/base/real_clock.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call.h"
#include "libs/rpc/server.h"
#include "libs/rpc/tls.h"
#include "libs/status/wire.h"
#include "libs/testkit/status_matchers.h"
#include "tarot/rules/v1/table_admin_service.grpc.pb.h"
#include "tarot/rules/v1/table_service.grpc.pb.h"
#include "tests/e2e/cluster.h"

namespace tarot::e2e {
namespace {

using testkit::HasReason;
using testkit::IsOk;
using testkit::StatusIs;

const rpc::Caller kAnna = {.player = *PlayerId::Parse("00000000-0000-4000-8000-00000000a11a"),
                           .display_name = "Anna"};

// A program that has stolen all files of one service.
class Thief {
 public:
  Thief(const Cluster& cluster, const std::string& service) {
    const std::string folder = cluster.directory() + "/identity/";
    const std::string pem = folder + service + "/tls.pem";
    security_.tls =
        rpc::Tls::Open({.cert = pem, .key = pem, .ca = folder + "public/ca.pem"}).value();
    identity_ = std::make_unique<rpc::Authenticator>(
        rpc::ServiceKeys::Open({.service = service,
                                .shared = "",
                                .signing = folder + service + "/signing.keys",
                                .services = folder + "public/service.keys"})
            .value(),
        clock_);
    channel_ = rpc::MakeServiceChannel("rules", cluster.AddressOf("rules"), security_);
  }

  absl::Status CreateTable(const std::string& named) {
    return Call(&rules::v1::TableAdminService::Stub::CreateTable,
                *rules::v1::TableAdminService::NewStub(channel_), rules::v1::CreateTableRequest(),
                rules::v1::CreateTableResponse(), {.service = named});
  }
  absl::Status GetTableAsAnna() {
    return Call(&rules::v1::TableService::Stub::GetTable,
                *rules::v1::TableService::NewStub(channel_), rules::v1::GetTableRequest(),
                rules::v1::GetTableResponse(), kAnna);
  }
  absl::Status ListTablesAsAnna() {
    return Call(&rules::v1::TableService::Stub::ListTables,
                *rules::v1::TableService::NewStub(channel_), rules::v1::ListTablesRequest(),
                rules::v1::ListTablesResponse(), kAnna);
  }

 private:
  template <typename Method, typename Stub, typename Request, typename Response>
  absl::Status Call(Method method, Stub& stub, const Request& request, Response response,
                    const rpc::Caller& caller) {
    grpc::ClientContext context;
    rpc::SetTimeout(context, absl::Seconds(10));
    identity_->Sign(context, caller);
    return status::FromGrpc((stub.*method)(&context, request, &response));
  }

  RealClock clock_;
  rpc::TransportSecurity security_;
  std::unique_ptr<rpc::Authenticator> identity_;
  std::shared_ptr<grpc::Channel> channel_;
};

class IdentityTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { cluster_ = new Cluster({.identities = true, .fsync = false}); }
  static void TearDownTestSuite() { delete cluster_; }

  static Cluster* cluster_;
};

Cluster* IdentityTest::cluster_ = nullptr;

TEST_F(IdentityTest, BotMayNeitherCreateATableNorActAsAPlayer) {
  Thief bot(*cluster_, "bot");
  EXPECT_THAT(bot.CreateTable("bot"), HasReason("SERVICE_NOT_ALLOWED"));
  EXPECT_THAT(bot.CreateTable("matchmaking"), HasReason("SERVICE_NOT_ALLOWED"));
  EXPECT_THAT(bot.GetTableAsAnna(), HasReason("SERVICE_NOT_ALLOWED"));
  EXPECT_THAT(bot.ListTablesAsAnna(), HasReason("SERVICE_NOT_ALLOWED"))
      << "bot may call this method, but only with a token of the gateway";
}

TEST_F(IdentityTest, MatchmakingMayCreateATable) {
  EXPECT_THAT(Thief(*cluster_, "matchmaking").CreateTable("matchmaking"), HasReason("BAD_REQUEST"));
  EXPECT_THAT(Thief(*cluster_, "gateway").ListTablesAsAnna(), IsOk());
}

TEST_F(IdentityTest, RefusesConnectionsInClearText) {
  for (const char* process : {"rules", "matchmaking", "ratings", "bot"}) {
    EXPECT_TRUE(cluster_->Is(rpc::kReadiness, process)) << process;
    EXPECT_THAT(rpc::CheckHealth(cluster_->AddressOf(process), rpc::kLiveness, absl::Seconds(10)),
                StatusIs(absl::StatusCode::kUnavailable))
        << process;
  }
}

// Players who call five times a second, without retries.
class Callers {
 public:
  explicit Callers(Cluster& cluster) : channel_(rpc::MakeChannel(cluster.AddressOf("gateway"))) {
    for (int i = 0; i < 4; ++i) {
      threads_.emplace_back(
          [this, token = cluster.SignIn(absl::StrCat("Caller", i))->session().token()] {
            Call(token);
          });
    }
  }
  ~Callers() { Stop(); }

  void Stop() {
    stopping_ = true;
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }
  int calls() const { return calls_; }
  // Returns the first error; OK if there was none. Call it after Stop.
  const absl::Status& error() const { return error_; }

 private:
  void Call(const std::string& token) {
    const auto tables = rules::v1::TableService::NewStub(channel_);
    while (!stopping_) {
      grpc::ClientContext context;
      rpc::SetTimeout(context, absl::Seconds(10));
      context.AddMetadata("authorization", "Bearer " + token);
      rules::v1::ListTablesResponse response;
      const absl::Status status =
          status::FromGrpc(tables->ListTables(&context, rules::v1::ListTablesRequest(), &response));
      ++calls_;
      if (!status.ok()) {
        const std::lock_guard lock(mutex_);
        error_.Update(status);
      }
      // Each player may make 10 such calls a second.
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
  }

  const std::shared_ptr<grpc::Channel> channel_;
  std::atomic<bool> stopping_ = false;
  std::atomic<int> calls_ = 0;
  std::mutex mutex_;
  absl::Status error_;
  std::vector<std::thread> threads_;
};

// Returns how many moves the bots have made.
double Moves(Cluster& cluster) {
  const std::string metrics = cluster.MetricsAddressOf("rules");
  const std::string command = absl::StrCat(
      "curl -fsS http://", metrics,
      "/metrics | awk '/^tarot_rules_server_moves_total.*bot/ {n += $2} END {print n + 0}'");
  FILE* const pipe = popen(command.c_str(), "r");
  double moves = 0;
  if (std::fscanf(pipe, "%lf", &moves) != 1) moves = -1;
  pclose(pipe);
  return moves;
}

TEST_F(IdentityTest, ARotationOfAllKeysUnderLoadLosesNoCall) {
  Callers callers(*cluster_);
  const auto wait = [](int seconds) { std::this_thread::sleep_for(std::chrono::seconds(seconds)); };
  const double before = Moves(*cluster_);
  // Other tests of this platform use tokens that are refused. So this test counts only lines that
  // are new in the logs.
  const std::vector<std::string> processes = {"rules", "matchmaking", "ratings", "bot"};
  std::map<std::string, std::size_t> log_sizes;
  for (const std::string& process : processes) {
    log_sizes[process] = cluster_->LogOf(process).size();
  }
  cluster_->Identity("authority");
  wait(9);
  cluster_->Identity("certificates");
  wait(9);
  cluster_->Identity("retire-authorities");
  cluster_->Identity("signing-keys");
  wait(9);
  cluster_->Identity("use-signing-keys");
  wait(12);
  cluster_->Identity("retire-signing-keys");
  wait(9);
  callers.Stop();
  EXPECT_THAT(callers.error(), IsOk());
  EXPECT_GT(callers.calls(), 50);
  EXPECT_GT(Moves(*cluster_), before) << "the bots have played meanwhile";
  for (const std::string& process : processes) {
    EXPECT_EQ(cluster_->LogOf(process).find("token refused", log_sizes[process]), std::string::npos)
        << process;
  }
  // A process that starts now has only the new files. The other processes must accept it.
  cluster_->Stop("bot", absl::Seconds(30));
  cluster_->Start("bot");
  const double later = Moves(*cluster_);
  EXPECT_TRUE(Eventually(absl::Seconds(30), [&] { return Moves(*cluster_) > later + 20; }));
}

}  // namespace
}  // namespace tarot::e2e
