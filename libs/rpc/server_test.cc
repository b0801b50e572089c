#include "libs/rpc/server.h"

#include <grpcpp/generic/generic_stub.h>

#include <atomic>
#include <latch>
#include <string>
#include <thread>

#include "libs/base/clock.h"
#include "libs/base/real_clock.h"
#include "libs/rpc/testing/testing_server.h"
#include "libs/testkit/manual_time.h"
#include "libs/testkit/status_matchers.h"

namespace tarot::rpc {
namespace {

using testing::HasSubstr;
using testkit::HasReason;
using testkit::IsOk;
using testkit::StatusIs;

const Caller kPlayer = TestingServer::Player();

std::string ToString(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  if (!buffer.Dump(&slices).ok()) return "";
  std::string bytes;
  for (const grpc::Slice& slice : slices) bytes.append(slice.begin(), slice.end());
  return bytes;
}

// Makes a unary call without generated code, from bytes to bytes.
absl::StatusOr<std::string> RawCall(const std::shared_ptr<grpc::Channel>& channel,
                                    const std::string& method, const std::string& request) {
  grpc::GenericStub stub(channel);
  grpc::ClientContext context;
  const grpc::Slice slice(request);
  const grpc::ByteBuffer out(&slice, 1);
  grpc::ByteBuffer in;
  grpc::Status status;
  std::latch done(1);
  stub.UnaryCall(&context, method, {}, &out, &in, [&](grpc::Status result) {
    status = std::move(result);
    done.count_down();
  });
  done.wait();
  if (!status.ok()) return status::FromGrpc(status);
  return ToString(in);
}

TEST(ServerTest, ReadinessFailsWhenTheShutdownIsAnnounced) {
  ThreadWorkerPool workers(1, 8);
  TestingServer testing_server(workers);
  const auto health = [&](const std::string& name) {
    const char size = static_cast<char>(name.size());
    return RawCall(testing_server.channel, "/grpc.health.v1.Health/Check",
                   name.empty() ? "" : std::string("\x0a") + size + name);
  };
  const std::string serving = "\x08\x01", not_serving = "\x08\x02";
  for (const char* name : {"", kReadiness, kLiveness}) EXPECT_EQ(health(name).value(), serving);
  EXPECT_THAT(health("x"), StatusIs(absl::StatusCode::kNotFound));
  testing_server.server->AnnounceShutdown();
  EXPECT_EQ(health("").value(), not_serving);
  EXPECT_EQ(health(kReadiness).value(), not_serving);
  EXPECT_EQ(health(kLiveness).value(), serving);
  EXPECT_THAT(testing_server.GetTicket(&kPlayer), IsOk()) << "everything is still accepted";
}

TEST(ServerTest, IsReadyWhileItsServiceIsReadyAndListed) {
  std::atomic<bool> ready = false;
  const auto server = Server::Start({.ready = [&] { return ready.load(); }}, {}).value();
  const std::string address = "127.0.0.1:" + std::to_string(server->port());
  const auto check = [&](const char* name) {
    return CheckHealth(address, name, absl::Seconds(10));
  };
  EXPECT_THAT(check(kLiveness), IsOk());
  EXPECT_THAT(check(kReadiness), HasReason("NOT_READY"));
  ready = true;
  EXPECT_THAT(check(kReadiness), IsOk());
  server->SetListed(false);
  EXPECT_THAT(check(kReadiness), HasReason("NOT_READY"));
  EXPECT_FALSE(server->Ready());
  EXPECT_THAT(check(kLiveness), IsOk());
}

// Returns whether liveness becomes `live`.
bool Becomes(bool live, const Server& server) {
  const std::string address = "127.0.0.1:" + std::to_string(server.port());
  for (const Stopwatch watch; watch.Elapsed() < absl::Seconds(30);) {
    if (CheckHealth(address, kLiveness, absl::Seconds(10)).ok() == live) return true;
  }
  return false;
}

TEST(ServerTest, IsNotLiveWhileJobsWaitAndNoneEnds) {
  ThreadWorkerPool workers(1, 8);
  RealScheduler scheduler;
  std::latch release(1);
  const auto server = Server::Start({.standstill_max = absl::Seconds(1)}, {}).value();
  server->WatchThreads(scheduler, {&workers});
  EXPECT_TRUE(Becomes(true, *server));
  ASSERT_TRUE(workers.TryRun([&] { release.wait(); }));
  ASSERT_TRUE(workers.TryRun([] {}));
  EXPECT_TRUE(Becomes(false, *server));
  release.count_down();
  EXPECT_TRUE(Becomes(true, *server));
}

TEST(ServerTest, IsNotLiveWhileItsSchedulerRunsNoTask) {
  testkit::ManualTime time;
  const auto server = Server::Start({.standstill_max = absl::Milliseconds(50)}, {}).value();
  server->WatchThreads(time, {});
  EXPECT_TRUE(Becomes(false, *server));
  time.Advance(absl::ZeroDuration());
  EXPECT_TRUE(Becomes(true, *server));
}

TEST(ServerTest, HasNoStreamThatNeedsNoToken) {
  ThreadWorkerPool workers(1, 8);
  TestingServer testing_server(workers);
  for (const char* method : {"/grpc.health.v1.Health/Watch",
                             "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"}) {
    EXPECT_THAT(RawCall(testing_server.channel, method, ""),
                StatusIs(absl::StatusCode::kUnimplemented))
        << method;
  }
}

TEST(ServerTest, ASecondServerOnAPortFails) {
  ThreadWorkerPool workers(1, 8);
  TestingServer testing_server(workers);
  const auto second =
      Server::Start({.address = "127.0.0.1:" + std::to_string(testing_server.server->port())}, {});
  EXPECT_THAT(second, HasReason("ADDRESS_TAKEN"));
}

// The server itself must refuse a path that another server uses. gRPC lets a second server take the
// path of a Unix socket, and removes the file when either server stops.
TEST(ServerTest, ASecondServerOnAUnixSocketFails) {
  const std::string path = testing::TempDir() + "/tarot-server-" + std::to_string(getpid());
  const auto health = [&] {
    return RawCall(MakeChannel("unix:" + path), "/grpc.health.v1.Health/Check", "");
  };
  auto first = Server::Start({.address = "unix:" + path}, {});
  ASSERT_THAT(first, IsOk());
  EXPECT_THAT(Server::Start({.address = "unix:" + path}, {}), HasReason("ADDRESS_TAKEN"));
  EXPECT_THAT(health(), IsOk());
  first->reset();
  EXPECT_THAT(health(), StatusIs(absl::StatusCode::kUnavailable));
  first = Server::Start({.address = "unix:" + path}, {});
  ASSERT_THAT(first, IsOk());
  EXPECT_THAT(health(), IsOk());
}

TEST(ServerTest, RefusesARequestThatIsTooLong) {
  ThreadWorkerPool workers(1, 8);
  TestingServer testing_server(workers, {.request_bytes_max = 1000});
  EXPECT_THAT(testing_server.GetTicket(&kPlayer, std::string(2000, 'x')),
              StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_THAT(testing_server.GetTicket(&kPlayer, std::string(900, 'x')), IsOk());
}

TEST(ServerTest, ShutdownLetsACallFinish) {
  ThreadWorkerPool workers(1, 8);
  TestingServer testing_server(workers);
  std::latch started(1);
  std::latch release(1);
  testing_server.service.on_call = [&](const Caller&, const std::string&) {
    started.count_down();
    release.wait();
    return absl::OkStatus();
  };
  absl::Status status = absl::UnknownError("not finished");
  std::jthread client([&] { status = testing_server.GetTicket(&kPlayer); });
  started.wait();
  std::jthread stopper([&] { testing_server.server->Shutdown(); });
  // Waits until the server refuses new calls. The call that has already begun must still end with
  // OK.
  while (testing_server.GetTicket(nullptr).code() == absl::StatusCode::kUnauthenticated) {
  }
  release.count_down();
  client.join();
  stopper.join();
  EXPECT_THAT(status, IsOk());
}

TEST(ChannelTest, ConnectsAgainWhenTheServerIsBack) {
  ThreadWorkerPool workers(1, 8);
  TestingServer testing_server(workers);
  ASSERT_THAT(testing_server.GetTicket(&kPlayer), IsOk());
  const std::string address = "127.0.0.1:" + std::to_string(testing_server.server->port());
  testing_server.server->Shutdown();
  EXPECT_THAT(testing_server.GetTicket(&kPlayer), StatusIs(absl::StatusCode::kUnavailable));
  testing_server.server = Server::Start({.address = address}, {&testing_server.service}).value();
  EXPECT_TRUE(testing_server.channel->WaitForConnected(
      gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_seconds(10, GPR_TIMESPAN))));
  EXPECT_THAT(testing_server.GetTicket(&kPlayer), IsOk());
}

// A channel to two replicas uses both replicas. If one replica dies, its calls in flight may fail,
// and later calls go to the other replica. When the dead replica is back, it gets calls again.
TEST(ChannelTest, SkipsDeadReplicas) {
  ThreadWorkerPool workers(2, 8);
  TestingServer one(workers), two(workers);
  std::atomic<int> served_by_one = 0, served_by_two = 0;
  one.service.on_call = [&](const Caller&, const std::string&) {
    ++served_by_one;
    return absl::OkStatus();
  };
  two.service.on_call = [&](const Caller&, const std::string&) {
    ++served_by_two;
    return absl::OkStatus();
  };
  const std::string address = "127.0.0.1:" + std::to_string(one.server->port());
  one.channel = MakeChannel(address + ",127.0.0.1:" + std::to_string(two.server->port()));
  one.stub = matchmaking::v1::MatchmakingService::NewStub(one.channel);
  const auto until = [&](auto done) {
    for (const Stopwatch watch; watch.Elapsed() < absl::Seconds(30) && !done();) {
      EXPECT_THAT(one.GetTicket(&kPlayer), IsOk());
    }
    EXPECT_TRUE(done());
  };
  until([&] { return served_by_one >= 10 && served_by_two >= 10; });

  one.server->Shutdown();
  int failed = 0;
  for (int call = 0; call < 200; ++call) failed += !one.GetTicket(&kPlayer).ok();
  EXPECT_LE(failed, 1);
  served_by_one = 0;
  one.server = Server::Start({.address = address}, {&one.service}).value();
  until([&] { return served_by_one >= 10; });
}

}  // namespace
}  // namespace tarot::rpc
