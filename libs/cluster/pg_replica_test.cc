// Tests replicas with a real Postgres, real servers and real pings.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

#include <atomic>
#include <functional>
#include <pqxx/pqxx>
#include <thread>

#include "absl/strings/str_cat.h"
#include "grpc/health/v1/health_service.grpc.pb.h"
#include "libs/base/real_clock.h"
#include "libs/cluster/replica.h"
#include "libs/pg/migrate.h"
#include "libs/rpc/call.h"
#include "libs/testkit/pg_fixture.h"
#include "libs/testkit/status_matchers.h"
#include "migrations/cluster_test_migrations.h"

namespace tarot::cluster {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testkit::HasReason;
using testkit::IsOk;

// At this address, no process listens.
constexpr char kNowhere[] = "127.0.0.1:1";

class SkewedClock final : public Clock {
 public:
  absl::Time Now() override { return real_.Now() + absl::Nanoseconds(skew_.load()); }
  void Skew(absl::Duration skew) { skew_ = absl::ToInt64Nanoseconds(skew); }

 private:
  RealClock real_;
  std::atomic<std::int64_t> skew_ = 0;
};

// One process. Its destructor acts like kill -9: the process does not leave the list.
struct Process {
  Process(const std::string& dsn, Scheduler& scheduler, Entropy& entropy, char key = 'k')
      : identity(rpc::KeyRing({{"k1", std::string(32, key)}}), clock, *registry),
        replica("rules", dsn, identity,
                {.clock = clock,
                 .scheduler = scheduler,
                 .entropy = entropy,
                 .registry = registry,
                 .stop = [this](const absl::Status& why) { reason = GetErrorDetails(why).reason; }},
                {.on_heartbeat = [this](const HeartbeatNews& news) { nodes = news.nodes->size(); },
                 .on_failed = [](const absl::Status&) {}}),
        server(rpc::Server::Start({}, {&replica.ping_service()}).value()) {}
  ~Process() { Die(); }

  std::string OwnAddress() const { return absl::StrCat("127.0.0.1:", server->port()); }
  absl::Status Join(const std::string& at = "") {
    replica.UseAddress(at.empty() ? OwnAddress() : at);
    return replica.Join(*server);
  }
  void Die() {
    replica.Stop();
    server->Shutdown();
  }
  bool Serves() const {
    const auto stub = grpc::health::v1::Health::NewStub(rpc::MakeChannel(OwnAddress()));
    grpc::ClientContext context;
    grpc::health::v1::HealthCheckResponse response;
    rpc::SetTimeout(context, absl::Seconds(10));
    return stub->Check(&context, {}, &response).ok() &&
           response.status() == grpc::health::v1::HealthCheckResponse::SERVING;
  }
  std::string Metrics() const {
    return prometheus::TextSerializer().Serialize(registry->Collect());
  }

  SkewedClock clock;
  std::shared_ptr<prometheus::Registry> registry = std::make_shared<prometheus::Registry>();
  std::atomic<std::size_t> nodes = 0;
  std::string reason;  // The reason why the process must stop.
  rpc::Authenticator identity;
  Replica replica;
  std::unique_ptr<rpc::Server> server;
};

class ReplicaTest : public testing::Test {
 protected:
  ReplicaTest() { EXPECT_TRUE(pg::Migrate(dsn_, "rules", Migrations()).ok()); }

  std::unique_ptr<Process> Make(char key = 'k') {
    return std::make_unique<Process>(dsn_, scheduler_, entropy_, key);
  }
  // Makes a process that has joined.
  std::unique_ptr<Process> Joined(const std::string& at = "") {
    auto process = Make();
    EXPECT_THAT(process->Join(at), IsOk());
    return process;
  }
  static bool Eventually(const std::function<bool()>& condition) {
    for (int tenths = 0; tenths < 300; ++tenths) {
      if (condition()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return false;
  }

  const std::string dsn_ = testkit::PgCluster::Shared().NewDatabase();
  RealScheduler scheduler_;
  OsEntropy entropy_;
};

// One of three replicas hosts a key. If this replica leaves or dies, another replica hosts the key.
TEST_F(ReplicaTest, KeyHasOneHost) {
  std::vector<std::unique_ptr<Process>> processes;
  for (int i = 0; i < 3; ++i) processes.push_back(Joined());
  const auto wait_for_host = [&](const Process* not_this) {
    Process* host = nullptr;
    EXPECT_TRUE(Eventually([&] {
      int hosts = 0;
      for (const auto& process : processes) {
        if (!process->replica.Hosts("ranked4")) continue;
        ++hosts;
        host = process.get();
      }
      return hosts == 1 && host != not_this;
    }));
    return host;
  };
  for (const auto& process : processes) {
    EXPECT_TRUE(Eventually([&] { return process->nodes == 3; }));
  }
  Process* const first = wait_for_host(nullptr);
  first->replica.Leave();
  Process* const second = wait_for_host(first);
  second->Die();
  EXPECT_NE(wait_for_host(second), first);
}

TEST_F(ReplicaTest, DoesNotJoinWithAWrongClock) {
  const auto a = Joined();
  const auto b = Make();
  b->clock.Skew(absl::Minutes(10));
  EXPECT_THAT(b->Join(), HasReason("CLOCK_WRONG"));
  EXPECT_EQ(a->nodes, 1u);
}

TEST_F(ReplicaTest, LeavesWhileItsClockIsWrong) {
  const auto a = Joined();
  const auto b = Joined();
  EXPECT_TRUE(Eventually([&] { return a->nodes == 2; }));
  EXPECT_TRUE(b->Serves());
  testing::internal::CaptureStderr();
  b->clock.Skew(-absl::Minutes(10));
  EXPECT_TRUE(Eventually([&] { return a->nodes == 1 && !b->Serves(); }));
  EXPECT_TRUE(a->Serves());
  EXPECT_THAT(b->Metrics(), ContainsRegex("tarot_cluster_clock_offset_seconds -(59[5-9]|60[0-4])"));
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              ContainsRegex("clock is wrong\",\"seconds_ahead_of_database\":\"-(59[5-9]|60[0-4])"));
  b->clock.Skew(absl::ZeroDuration());
  EXPECT_TRUE(Eventually([&] { return a->nodes == 2 && b->Serves(); }));
}

// The pings of replica `a` get no answer, but the pings of replica `b` reach `a`.
TEST_F(ReplicaTest, StaysWhileAReplicaThatItCannotReachPingsIt) {
  const auto a = Joined();
  const auto b = Joined(kNowhere);
  EXPECT_TRUE(Eventually([&] { return a->nodes == 2; }));
  std::this_thread::sleep_for(
      absl::ToChronoSeconds((kSilentHeartbeatsMax + 3) * kHeartbeatInterval));
  EXPECT_TRUE(a->Serves());
}

TEST_F(ReplicaTest, JoinsThoughTheRowsOfDeadReplicasHaveWrongClocks) {
  {
    pqxx::connection connection(dsn_);
    pqxx::work transaction(connection);
    transaction.exec(
        "INSERT INTO rules.nodes (address, incarnation, beat, clock_offset_seconds) "
        "SELECT '127.0.0.1:' || n, md5(n::text)::uuid, 1, 600 FROM generate_series(2, 4) n");
    transaction.commit();
  }
  EXPECT_THAT(Make()->Join(), IsOk());
}

TEST_F(ReplicaTest, DoesNotJoinIfTheOthersRefuseItsToken) {
  const auto first_of_all = Make('x');
  EXPECT_THAT(first_of_all->Join(), IsOk()) << "no other replica lives";
  const auto b = Make();
  EXPECT_THAT(b->Join(), HasReason("TOKEN_REFUSED"));
  EXPECT_THAT(first_of_all->Metrics(),
              HasSubstr("tarot_rpc_tokens_refused_total{why=\"forged\"} 1\n"));
  EXPECT_EQ(first_of_all->nodes, 1u);
}

TEST_F(ReplicaTest, DoesNotJoinAtTheAddressOfALiveProcess) {
  const auto a = Joined();
  EXPECT_THAT(Make()->Join(a->OwnAddress()), HasReason("ADDRESS_TAKEN"));
  EXPECT_THAT(Make('x')->Join(a->OwnAddress()), HasReason("ADDRESS_TAKEN"));
}

// Pings sometimes cannot show that two processes have one address, for example if each process
// reaches only itself at this address. This test makes such a case.
TEST_F(ReplicaTest, YoungerOfTwoAtOneAddressStops) {
  const auto older = Joined(kNowhere);
  const auto younger = Joined(kNowhere);
  EXPECT_TRUE(Eventually([&] { return !younger->Serves(); }));
  younger->Die();
  EXPECT_EQ(younger->reason, "ADDRESS_TAKEN");
  EXPECT_TRUE(older->Serves());
  older->Die();
  EXPECT_EQ(older->reason, "");
}

TEST_F(ReplicaTest, StartsAgainAtTheAddressOfADeadProcess) {
  const auto other = Joined();
  Joined(kNowhere)->Die();
  const auto next = Joined(kNowhere);
  EXPECT_TRUE(Eventually([&] { return other->nodes == 2 && next->nodes == 2; }));
  std::this_thread::sleep_for(absl::ToChronoSeconds(3 * kHeartbeatInterval));
  EXPECT_TRUE(next->Serves());
}

}  // namespace
}  // namespace tarot::cluster
