#include "libs/rpc/dispatcher.h"

#include <prometheus/text_serializer.h>

#include <atomic>
#include <latch>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/base/error.h"
#include "libs/rpc/current_trace.h"
#include "libs/rpc/testing/testing_server.h"
#include "libs/rpc/trace.h"
#include "libs/testkit/status_matchers.h"

namespace tarot::rpc {
namespace {

using absl::StatusCode;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testkit::HasReason;
using testkit::IsOk;
using testkit::StatusIs;

const Caller kPlayer = TestingServer::Player();
const Caller kService{.service = "rules"};

TEST(DispatcherTest, ChecksTheCallerOfEachMethod) {
  ThreadWorkerPool workers(1, 8);
  TestingServer testing_server(workers);
  EXPECT_THAT(testing_server.GetTicket(&kPlayer), IsOk());
  EXPECT_THAT(testing_server.DeleteTicket(&kService), IsOk());
  EXPECT_THAT(testing_server.ListQueues(), IsOk());
  EXPECT_THAT(testing_server.GetTicket(&kService),
              AllOf(StatusIs(StatusCode::kPermissionDenied), HasReason("NOT_A_PLAYER")));
  EXPECT_THAT(testing_server.DeleteTicket(&kPlayer),
              AllOf(StatusIs(StatusCode::kPermissionDenied), HasReason("NOT_A_SERVICE")));
  EXPECT_THAT(testing_server.GetTicket(nullptr),
              AllOf(StatusIs(StatusCode::kUnauthenticated), HasReason("BAD_TOKEN")));
}

TEST(DispatcherTest, RefusesATokenOfAnotherKeyRing) {
  ThreadWorkerPool workers(1, 8);
  TestingServer testing_server(workers);
  const Authenticator stranger(KeyRing({{"k1", std::string(32, 'x')}}), testing_server.clock);
  grpc::ClientContext context;
  stranger.Sign(context, kPlayer);
  matchmaking::v1::GetTicketResponse response;
  EXPECT_THAT(status::FromGrpc(testing_server.stub->GetTicket(&context, {}, &response)),
              HasReason("BAD_TOKEN"));
  EXPECT_EQ(response.ticket().name(), "");
}

// An operator must see that a service refuses the tokens of another service, and why.
TEST(DispatcherTest, CountsAndLogsRefusedTokens) {
  ThreadWorkerPool workers(1, 8);
  TestingServer testing_server(workers);
  const auto call = [&](const KeyRing& keys, absl::Duration lifetime) {
    grpc::ClientContext context;
    const std::string token = keys.Sign(kPlayer, testing_server.clock.Now() + lifetime);
    context.AddMetadata(kCallerMetadata, token);
    matchmaking::v1::GetTicketResponse response;
    EXPECT_FALSE(testing_server.stub->GetTicket(&context, {}, &response).ok());
    return token;
  };
  testing::internal::CaptureStderr();
  (void)testing_server.GetTicket(nullptr);
  const KeyRing other({{"k1", std::string(32, 'x')}});
  const std::string token = call(other, absl::Minutes(5));
  for (int i = 0; i < 20; ++i) call(other, absl::Minutes(5));
  call(KeyRing({{"k2", std::string(32, 'k')}}), absl::Minutes(5));
  call(KeyRing({{"k1", std::string(32, 'k')}}), -absl::Seconds(1));
  const std::string log = testing::internal::GetCapturedStderr();
  const std::string metrics =
      prometheus::TextSerializer().Serialize(testing_server.registry.Collect());
  for (const char* count :
       {"missing\"} 1", "forged\"} 21", "unknown_key\"} 1", "expired\"} 1", "malformed\"} 0"}) {
    EXPECT_THAT(metrics,
                HasSubstr(absl::StrCat("tarot_rpc_tokens_refused_total{why=\"", count, "\n")));
  }
  int lines = 0;
  for (const absl::string_view line : absl::StrSplit(log, '\n')) {
    if (absl::StrContains(line, "\"from\":")) ++lines;
  }
  EXPECT_EQ(lines, 4) << log;
  EXPECT_THAT(log, HasSubstr("\"why\":\"forged\",\"from\":\"ipv4:127.0.0.1:"));
  EXPECT_THAT(log, Not(HasSubstr(token.substr(4, 20))));
}

TEST(DispatcherTest, ReportsTheHandlersErrorToClientAndMetrics) {
  ThreadWorkerPool workers(1, 8);
  TestingServer testing_server(workers);
  testing_server.service.on_call = [](const Caller&, const std::string& name) {
    return Error(StatusCode::kNotFound, "TICKET_NOT_FOUND", "No such ticket.", {{"name", name}});
  };
  const absl::Status status = testing_server.GetTicket(&kPlayer, "tickets/7");
  EXPECT_THAT(status, AllOf(StatusIs(StatusCode::kNotFound), HasReason("TICKET_NOT_FOUND")));
  EXPECT_EQ(GetErrorDetails(status).metadata["name"], "tickets/7");
  const std::string metrics =
      prometheus::TextSerializer().Serialize(testing_server.registry.Collect());
  const std::string method =
      "grpc_method=\"GetTicket\",grpc_service=\"tarot.matchmaking.v1.MatchmakingService\"";
  EXPECT_THAT(metrics, HasSubstr("handled_total{grpc_code=\"NotFound\"," + method +
                                 ",grpc_type=\"unary\"} 1"));
  EXPECT_THAT(metrics, HasSubstr("started_total{" + method + ",grpc_type=\"unary\"} 1"));
  EXPECT_THAT(metrics, HasSubstr("msg_sent_total{" + method + ",grpc_type=\"unary\"} 0"));
}

// The log line of a failed call must name the method, the trace and the reason.
TEST(DispatcherTest, LogsAFailureWithItsTrace) {
  ThreadWorkerPool workers(1, 8);
  TestingServer testing_server(workers);
  testing_server.service.on_call = [](const Caller&, const std::string&) {
    return Error(StatusCode::kInternal, "BUG", "The handler has a bug.");
  };
  testing::internal::CaptureStderr();
  grpc::ClientContext context;
  testing_server.authenticator.Sign(context, kPlayer);
  PassTraceOn("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", context);
  matchmaking::v1::GetTicketResponse response;
  EXPECT_FALSE(testing_server.stub->GetTicket(&context, {}, &response).ok());
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(log,
              AllOf(HasSubstr(R"("message":"call failed")"), HasSubstr(R"(/GetTicket")"),
                    HasSubstr(R"("trace_id":"4bf92f3577b34da6a3ce929d0e0e4736")"),
                    HasSubstr(R"("reason":"BUG")"), HasSubstr(R"("why":"The handler has a bug.")"),
                    Not(HasSubstr("request_id"))));
}

TEST(DispatcherTest, AHandlerKnowsTheTraceOfItsCall) {
  ThreadWorkerPool workers(1, 8);
  TestingServer testing_server(workers);
  std::vector<std::string> seen;
  testing_server.service.on_call = [&](const Caller&, const std::string&) {
    seen.push_back(CurrentTrace());
    return absl::OkStatus();
  };
  const std::string trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";
  for (const std::string& sent : {trace, std::string()}) {
    grpc::ClientContext context;
    testing_server.authenticator.Sign(context, kPlayer);
    PassTraceOn(sent, context);
    matchmaking::v1::GetTicketResponse response;
    EXPECT_TRUE(testing_server.stub->GetTicket(&context, {}, &response).ok());
  }
  EXPECT_THAT(seen, testing::ElementsAre(trace, ""));
}

// The text of a refused move tells a suit that the player holds.
TEST(DispatcherTest, LogsNoTextAndNoMetadataOfARefusal) {
  ThreadWorkerPool workers(1, 8);
  TestingServer testing_server(workers);
  testing_server.service.on_call = [](const Caller&, const std::string&) {
    return Error(StatusCode::kFailedPrecondition, "ILLEGAL_CARD", "You must follow hearts.",
                 {{"why", "MUST_FOLLOW_SUIT"}, {"suit", "hearts"}});
  };
  testing::internal::CaptureStderr();
  grpc::ClientContext context;
  testing_server.authenticator.Sign(context, kPlayer);
  PassTraceOn("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", context);
  matchmaking::v1::GetTicketResponse response;
  EXPECT_FALSE(testing_server.stub->GetTicket(&context, {}, &response).ok());
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, AllOf(HasSubstr(R"("reason":"ILLEGAL_CARD")"), Not(HasSubstr("hearts")),
                         Not(HasSubstr("FOLLOW"))));
}

// A refusal gets a line, so that a trace shows where the call was refused. A good call gets a line
// only if its trace is sampled.
TEST(DispatcherTest, LogsRefusedAndSampledCalls) {
  ThreadWorkerPool workers(1, 8);
  TestingServer testing_server(workers);
  const auto lines = [&](const char* flags) {
    testing::internal::CaptureStderr();
    grpc::ClientContext context;
    testing_server.authenticator.Sign(context, kPlayer);
    PassTraceOn(absl::StrCat("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-", flags),
                context);
    matchmaking::v1::GetTicketResponse response;
    (void)testing_server.stub->GetTicket(&context, {}, &response);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(lines("00"), "");
  EXPECT_THAT(lines("01"), AllOf(HasSubstr(R"("message":"call",)"), HasSubstr(R"("code":"OK")"),
                                 HasSubstr(R"("waited_seconds":")")));
  testing_server.service.on_call = [](const Caller&, const std::string&) {
    return Error(StatusCode::kNotFound, "TICKET_NOT_FOUND", "No such ticket.");
  };
  EXPECT_THAT(lines("00"), AllOf(HasSubstr(R"("level":"info")"), HasSubstr("call failed"),
                                 HasSubstr(R"("reason":"TICKET_NOT_FOUND")")));
  int count = 0;
  for (int i = 0; i < 50; ++i) count += lines("00").empty() ? 0 : 1;
  EXPECT_LE(count, 10) << "An attacker must not fill the disk.";
  EXPECT_THAT(lines("01"), HasSubstr("call failed"));
}

// Occupies the only worker until the test releases it.
struct Blocker {
  explicit Blocker(WorkerPool& workers) {
    EXPECT_TRUE(workers.TryRun([this] {
      started.count_down();
      release.wait();
    }));
    started.wait();
  }
  std::latch started{1};
  std::latch release{1};
};

TEST(DispatcherTest, RefusesCallsAtOnceWhenTheQueueIsFull) {
  ThreadWorkerPool workers(1, 1);
  TestingServer testing_server(workers);
  Blocker blocker(workers);
  ASSERT_TRUE(workers.TryRun([] {}));  // This task fills the queue.
  EXPECT_THAT(testing_server.GetTicket(&kPlayer),
              AllOf(StatusIs(StatusCode::kUnavailable), HasReason("OVERLOADED")));
  EXPECT_THAT(prometheus::TextSerializer().Serialize(testing_server.registry.Collect()),
              AllOf(HasSubstr("tarot_rpc_unavailable_total{reason=\"OVERLOADED\"} 1"),
                    HasSubstr("tarot_rpc_calls_waiting 0\n"),
                    HasSubstr("tarot_rpc_calls_waiting_capacity 1\n")));
  blocker.release.count_down();
}

// So a call does not wait for workers that all wait for a database that does not answer.
TEST(DispatcherTest, RefusesCallsAtOnceWhileAdmitRefuses) {
  ThreadWorkerPool workers(1, 8);
  TestingServer testing_server(workers);
  std::atomic<bool> away = false;
  testing_server.admit = [&] {
    return away ? Error(StatusCode::kUnavailable, "STORAGE_AWAY", "away") : absl::OkStatus();
  };
  std::atomic<int> ran = 0;
  testing_server.service.on_call = [&](const Caller&, const std::string&) {
    ++ran;
    return absl::OkStatus();
  };
  Blocker blocker(workers);
  absl::Status before;
  std::jthread queued([&] { before = testing_server.GetTicket(&kPlayer); });
  while (!workers.GetProgress().waiting) std::this_thread::yield();
  away = true;
  EXPECT_THAT(testing_server.GetTicket(&kPlayer), HasReason("STORAGE_AWAY"));
  EXPECT_THAT(testing_server.GetTicket(nullptr), HasReason("BAD_TOKEN"));
  blocker.release.count_down();
  queued.join();
  EXPECT_THAT(before, HasReason("STORAGE_AWAY")) << "The worker must not run this call.";
  EXPECT_EQ(ran, 0);
  away = false;
  EXPECT_THAT(testing_server.GetTicket(&kPlayer), IsOk());
}

TEST(DispatcherTest, CountsTheCallsThatWaitForAWorker) {
  ThreadWorkerPool workers(1, 8);
  TestingServer testing_server(workers);
  const auto waiting = [&] {
    return prometheus::TextSerializer().Serialize(testing_server.registry.Collect());
  };
  Blocker blocker(workers);
  std::thread call([&] { EXPECT_THAT(testing_server.GetTicket(&kPlayer), IsOk()); });
  while (waiting().find("tarot_rpc_calls_waiting 1\n") == std::string::npos) {
    std::this_thread::yield();
  }
  blocker.release.count_down();
  call.join();
  EXPECT_THAT(waiting(), HasSubstr("tarot_rpc_calls_waiting 0\n"));
}

// A server that worked for clients that no longer wait would stay overloaded.
TEST(DispatcherTest, SkipsACallWhoseClientIsGone) {
  ThreadWorkerPool workers(1, 8);
  TestingServer testing_server(workers);
  std::atomic<int> ran = 0;
  testing_server.service.on_call = [&](const Caller&, const std::string&) {
    ++ran;
    return absl::OkStatus();
  };
  EXPECT_THAT(testing_server.GetTicket(&kPlayer), IsOk());
  Blocker blocker(workers);
  EXPECT_THAT(testing_server.GetTicket(&kPlayer, "", absl::Milliseconds(50)),
              StatusIs(StatusCode::kDeadlineExceeded));
  while (!testing_server.service.last_context.load()->IsCancelled()) std::this_thread::yield();
  absl::Status next_status;
  std::jthread next([&] { next_status = testing_server.GetTicket(&kPlayer); });
  blocker.release.count_down();
  next.join();
  EXPECT_THAT(next_status, IsOk());
  EXPECT_EQ(ran, 2);
}

TEST(DispatcherTest, FinishesManyCallsAtOnce) {
  ThreadWorkerPool workers(3, 1000);
  TestingServer testing_server(workers);
  std::atomic<int> ok = 0;
  {
    std::vector<std::jthread> clients;
    for (int i = 0; i < 8; ++i) {
      clients.emplace_back([&] {
        for (int n = 0; n < 100; ++n) ok += testing_server.GetTicket(&kPlayer).ok() ? 1 : 0;
      });
    }
  }
  EXPECT_EQ(ok, 800);
}

}  // namespace
}  // namespace tarot::rpc
