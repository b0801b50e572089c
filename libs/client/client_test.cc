#include "libs/client/client.h"

#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/base/real_clock.h"
#include "libs/rpc/server.h"
#include "libs/rpc/watch_stream.h"
#include "libs/testkit/status_matchers.h"

namespace tarot::client {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::SizeIs;
using testkit::HasReason;
using testkit::IsOk;
using testkit::StatusIs;

using TableStream = rpc::WatchStream<rules::v1::WatchTableResponse>;

absl::Status Away() { return Error(absl::StatusCode::kUnavailable, "SERVICE_AWAY", "Away."); }

class FakeSessions final : public gateway::v1::SessionService::CallbackService {
  grpc::ServerUnaryReactor* CreateGuestSession(
      grpc::CallbackServerContext* context, const gateway::v1::CreateGuestSessionRequest* request,
      gateway::v1::CreateGuestSessionResponse* response) override {
    response->mutable_session()->set_token("token-of-" + request->display_name());
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    reactor->Finish(request->display_name() != "Taken"
                        ? grpc::Status::OK
                        : status::ToGrpc(Error(absl::StatusCode::kAlreadyExists, "NAME_TAKEN",
                                               "Taken.", {{"suggestion", "Free 1234"}})));
    return reactor;
  }
};

// A call that gets no answer until the client cancels it or its time is over.
class Hanging final : public grpc::ServerUnaryReactor {
  void OnCancel() override { Finish(grpc::Status::CANCELLED); }
  void OnDone() override { delete this; }
};

class FakeTables final : public rules::v1::TableService::CallbackService {
 public:
  explicit FakeTables(prometheus::Registry& registry) : calls_(rpc::Side::kServer, registry) {}

  std::vector<absl::Status> failures;  // The results of the first calls. All later calls succeed.
  bool hangs = false;                  // If true, the server does not answer.
  std::vector<std::string> request_ids;
  std::vector<std::string> tokens;
  std::mutex mutex;
  std::vector<int> watched_after;
  std::vector<std::shared_ptr<TableStream>> streams;

  grpc::ServerUnaryReactor* SubmitAction(grpc::CallbackServerContext* context,
                                         const rules::v1::SubmitActionRequest* request,
                                         rules::v1::SubmitActionResponse* response) override {
    const std::lock_guard lock(mutex);
    const auto token = context->client_metadata().find("authorization");
    tokens.emplace_back(token == context->client_metadata().end()
                            ? ""
                            : std::string(token->second.data(), token->second.size()));
    request_ids.push_back(request->request_id());
    response->mutable_table()->set_name(request->name());
    const std::size_t number = request_ids.size() - 1;
    if (hangs) return new Hanging;
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    reactor->Finish(number < failures.size() ? status::ToGrpc(failures[number]) : grpc::Status::OK);
    return reactor;
  }

  rpc::WriteCall<rules::v1::WatchTableResponse>* WatchTable(
      grpc::CallbackServerContext*, const rules::v1::WatchTableRequest* request) override {
    const auto stream =
        TableStream::Create(calls_.Method("tarot.rules.v1.TableService/WatchTable"));
    const std::lock_guard lock(mutex);
    watched_after.push_back(request->has_after_revision() ? request->after_revision() : -1);
    streams.push_back(stream);
    return stream.get();
  }

  // Waits until stream `number` (from 0) has opened, and returns it.
  std::shared_ptr<TableStream> Stream(std::size_t number) {
    for (;; std::this_thread::sleep_for(std::chrono::milliseconds(2))) {
      const std::lock_guard lock(mutex);
      if (streams.size() > number) return streams[number];
    }
  }

 private:
  rpc::CallMetrics calls_;
};

rules::v1::WatchTableResponse View(int revision) {
  rules::v1::WatchTableResponse response;
  response.mutable_table()->set_revision(revision);
  return response;
}

class ClientTest : public testing::Test {
 protected:
  ClientTest() { StartServer(); }

  void StartServer() {
    server_ = rpc::Server::Start({.address = absl::StrCat("127.0.0.1:", port_),
                                  .drain_timeout = absl::ZeroDuration()},
                                 {&sessions_, &tables_})
                  .value();
    port_ = server_->port();
  }

  Client NewClient(int attempts_max = 4) {
    return Client(
        rpc::MakeChannel(absl::StrCat("127.0.0.1:", port_)),
        {.retry = {.attempts_max = attempts_max,
                   .backoff = {.min = absl::Milliseconds(2), .max = absl::Milliseconds(20)}}},
        scheduler_, entropy_);
  }

  absl::Status Submit(Client& client) {
    rules::v1::SubmitActionRequest request;
    request.set_name("tables/1");
    request.set_request_id(client.NewRequestId());
    return client.Call(&Tables::SubmitAction, request).status();
  }

  RealScheduler scheduler_;
  OsEntropy entropy_;
  prometheus::Registry registry_;
  FakeSessions sessions_;
  FakeTables tables_{registry_};
  std::unique_ptr<rpc::Server> server_;
  int port_ = 0;
};

// Stores the callbacks of a watch, so that a test can wait for them.
struct Seen {
  std::vector<int> revisions;
  std::vector<absl::Status> ends;
  std::mutex mutex;

  std::unique_ptr<Watch> Start(Client& client, std::optional<int> after = std::nullopt) {
    return client.WatchTable(
        "tables/1", after,
        [this](const rules::v1::Table& table) {
          const std::lock_guard lock(mutex);
          revisions.push_back(table.revision());
        },
        [this](const absl::Status& status) {
          const std::lock_guard lock(mutex);
          ends.push_back(status);
        });
  }
  template <typename Condition>
  void WaitUntil(Condition condition) {
    for (;; std::this_thread::sleep_for(std::chrono::milliseconds(2))) {
      const std::lock_guard lock(mutex);
      if (condition()) return;
    }
  }
};

TEST_F(ClientTest, SendsItsTokenAfterSigningIn) {
  Client client = NewClient();
  EXPECT_THAT(Submit(client), IsOk());
  ASSERT_THAT(client.SignInAsGuest("Anna"), IsOk());
  EXPECT_EQ(client.session().token(), "token-of-Anna");
  EXPECT_THAT(Submit(client), IsOk());
  EXPECT_THAT(tables_.tokens, ElementsAre("", "Bearer token-of-Anna"));
}

TEST_F(ClientTest, TakesTheSuggestedNameIfItsNameIsTaken) {
  Client client = NewClient();
  ASSERT_THAT(client.SignInAsGuest("Taken"), IsOk());
  EXPECT_EQ(client.session().token(), "token-of-Free 1234");
}

TEST_F(ClientTest, RepeatsTheSameRequestWhenUnavailable) {
  tables_.failures = {Away(), Away()};
  Client client = NewClient();
  EXPECT_THAT(Submit(client), IsOk());
  ASSERT_THAT(tables_.request_ids, SizeIs(3));
  EXPECT_THAT(tables_.request_ids, Each(tables_.request_ids[0]));
  EXPECT_THAT(Submit(client), IsOk());
  EXPECT_NE(tables_.request_ids[3], tables_.request_ids[0]);
}

TEST_F(ClientTest, RepeatsACallThatTheServerCancelled) {
  tables_.failures = {absl::CancelledError("stopping")};
  Client client = NewClient();
  EXPECT_THAT(Submit(client), IsOk());
  ASSERT_THAT(tables_.request_ids, SizeIs(2));
  EXPECT_EQ(tables_.request_ids[0], tables_.request_ids[1]);
}

// gRPC reports these errors when HAProxy ends a call without a status.
TEST_F(ClientTest, RepeatsACallThatEndedWithoutAStatus) {
  tables_.failures = {absl::UnknownError("Stream removed"),
                      absl::InternalError("Received RST_STREAM with error code 0"),
                      absl::ResourceExhaustedError("Received RST_STREAM with error code 11")};
  Client client = NewClient();
  EXPECT_THAT(Submit(client), IsOk());
  ASSERT_THAT(tables_.request_ids, SizeIs(4));
  EXPECT_THAT(tables_.request_ids, Each(tables_.request_ids[0]));
}

TEST_F(ClientTest, GivesUpAfterItsAttempts) {
  tables_.failures.assign(10, Away());
  Client client = NewClient();
  EXPECT_THAT(Submit(client),
              AllOf(StatusIs(absl::StatusCode::kUnavailable), HasReason("SERVICE_AWAY")));
  EXPECT_THAT(tables_.request_ids, SizeIs(4));
}

TEST_F(ClientTest, DoesNotRepeatOtherErrors) {
  tables_.failures = {Error(absl::StatusCode::kFailedPrecondition, "ILLEGAL_CARD", "No."),
                      Error(absl::StatusCode::kResourceExhausted, "RATE_LIMITED", "Too many."),
                      Error(absl::StatusCode::kUnknown, "SOME_REASON", "The server said so."),
                      absl::InternalError("broken")};
  Client client = NewClient();
  EXPECT_THAT(Submit(client), HasReason("ILLEGAL_CARD"));
  EXPECT_THAT(Submit(client), HasReason("RATE_LIMITED"));
  EXPECT_THAT(Submit(client), HasReason("SOME_REASON"));
  EXPECT_THAT(Submit(client), StatusIs(absl::StatusCode::kInternal));
  EXPECT_THAT(tables_.request_ids, SizeIs(4));
}

TEST_F(ClientTest, SurvivesARestartOfTheServer) {
  Client client = NewClient(1000);
  ASSERT_THAT(Submit(client), IsOk());
  server_.reset();
  std::thread restart([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    StartServer();
  });
  EXPECT_THAT(Submit(client), IsOk());
  restart.join();
}

TEST_F(ClientTest, DestructorWaitsForCalls) {
  tables_.failures.assign(1000, Away());
  std::atomic<int> answers = 0;
  {
    Client client = NewClient(1000);
    for (int i = 0; i < 20; ++i) {
      client.Start(&Tables::SubmitAction, {}, [&](const auto& answer) {
        EXPECT_THAT(answer, StatusIs(absl::StatusCode::kUnavailable));
        ++answers;
      });
    }
  }
  EXPECT_EQ(answers, 20);
}

TEST_F(ClientTest, WatchContinuesAfterTheLastRevisionSeen) {
  Client client = NewClient();
  Seen seen;
  const auto watch = seen.Start(client, 3);
  tables_.Stream(0)->Offer(View(4));
  seen.WaitUntil([&] { return seen.revisions.size() == 1; });
  tables_.Stream(0)->Offer(View(5));
  seen.WaitUntil([&] { return seen.revisions.size() == 2; });
  tables_.Stream(0)->Close(Away());
  tables_.Stream(1)->Close(Away());
  tables_.Stream(2)->Offer(View(6));
  tables_.Stream(2)->Close(absl::OkStatus());
  seen.WaitUntil([&] { return !seen.ends.empty(); });
  EXPECT_THAT(seen.revisions, ElementsAre(4, 5, 6));
  EXPECT_THAT(seen.ends, ElementsAre(IsOk()));
  EXPECT_THAT(tables_.watched_after, ElementsAre(3, 5, 5));
}

TEST_F(ClientTest, WatchSurvivesARestartOfTheServer) {
  Client client = NewClient(1000);
  Seen seen;
  const auto watch = seen.Start(client);
  tables_.Stream(0)->Offer(View(1));
  seen.WaitUntil([&] { return seen.revisions.size() == 1; });
  server_.reset();
  StartServer();
  tables_.Stream(1)->Offer(View(2));
  seen.WaitUntil([&] { return seen.revisions.size() == 2; });
  EXPECT_THAT(tables_.watched_after, ElementsAre(-1, 1));
}

TEST_F(ClientTest, WatchContinuesAfterAnEndWithoutAStatus) {
  Client client = NewClient();
  Seen seen;
  const auto watch = seen.Start(client, 3);
  tables_.Stream(0)->Offer(View(4));
  seen.WaitUntil([&] { return seen.revisions.size() == 1; });
  tables_.Stream(0)->Close(absl::UnknownError("Stream removed"));
  tables_.Stream(1)->Close(absl::InternalError("Received RST_STREAM with error code 0"));
  tables_.Stream(2)->Offer(View(5));
  seen.WaitUntil([&] { return seen.revisions.size() == 2; });
  EXPECT_THAT(tables_.watched_after, ElementsAre(3, 4, 4));
  EXPECT_TRUE(seen.ends.empty());
}

TEST_F(ClientTest, WatchEndsWithTheServersError) {
  Client client = NewClient();
  Seen seen;
  const auto watch = seen.Start(client);
  tables_.Stream(0)->Close(Error(absl::StatusCode::kNotFound, "TABLE_NOT_FOUND", "No such table."));
  seen.WaitUntil([&] { return !seen.ends.empty(); });
  EXPECT_THAT(seen.ends, ElementsAre(HasReason("TABLE_NOT_FOUND")));
}

TEST_F(ClientTest, WatchStartsAgainWhenTheTableLostMoves) {
  Client client = NewClient();
  Seen seen;
  const auto watch = seen.Start(client, 3);
  tables_.Stream(0)->Offer(View(5));
  seen.WaitUntil([&] { return seen.revisions.size() == 1; });
  tables_.Stream(0)->Close(Error(absl::StatusCode::kDataLoss, "TABLE_SET_BACK", "Lost."));
  tables_.Stream(1)->Offer(View(4));
  seen.WaitUntil([&] { return seen.revisions.size() == 2; });
  EXPECT_THAT(seen.revisions, ElementsAre(5, 4));
  EXPECT_THAT(tables_.watched_after, ElementsAre(3, -1));
}

TEST_F(ClientTest, WatchGivesUpAfterItsAttempts) {
  Client client = NewClient(3);
  server_.reset();
  Seen seen;
  const auto watch = seen.Start(client);
  seen.WaitUntil([&] { return !seen.ends.empty(); });
  EXPECT_THAT(seen.ends, ElementsAre(StatusIs(absl::StatusCode::kUnavailable)));
}

// Starts two gateways. NewClient() makes a client that has the addresses of both gateways.
class TwoGatewaysTest : public ClientTest {
 protected:
  TwoGatewaysTest() {
    second_ = rpc::Server::Start({.drain_timeout = absl::ZeroDuration()},
                                 {&second_sessions_, &second_tables_})
                  .value();
  }
  Client NewClient() {
    return Client({rpc::MakeChannel(absl::StrCat("127.0.0.1:", port_)),
                   rpc::MakeChannel(absl::StrCat("127.0.0.1:", second_->port()))},
                  {.call_timeout = absl::Milliseconds(300),
                   .retry = {.backoff = {.min = absl::Milliseconds(2)}}},
                  scheduler_, entropy_);
  }

  FakeSessions second_sessions_;
  FakeTables second_tables_{registry_};
  std::unique_ptr<rpc::Server> second_;
};

TEST_F(TwoGatewaysTest, StaysWithTheGatewayThatAnswers) {
  Client client = NewClient();
  for (int i = 0; i < 5; ++i) EXPECT_THAT(Submit(client), IsOk());
  EXPECT_THAT(tables_.request_ids, SizeIs(5));
  EXPECT_THAT(second_tables_.request_ids, SizeIs(0));
}

TEST_F(TwoGatewaysTest, TheSecondGatewayTakesCallsAndWatchesOfADeadOne) {
  Client client = NewClient();
  Seen seen;
  const auto watch = seen.Start(client);
  tables_.Stream(0)->Offer(View(1));
  seen.WaitUntil([&] { return seen.revisions.size() == 1; });
  server_.reset();
  EXPECT_THAT(Submit(client), IsOk());
  EXPECT_THAT(second_tables_.request_ids, SizeIs(1));
  second_tables_.Stream(0)->Offer(View(2));
  seen.WaitUntil([&] { return seen.revisions.size() == 2; });
  EXPECT_THAT(second_tables_.watched_after, ElementsAre(1));
  EXPECT_TRUE(seen.ends.empty());
}

TEST_F(TwoGatewaysTest, AGatewayThatHangsCostsOneAttempt) {
  tables_.hangs = true;
  Client client = NewClient();
  EXPECT_THAT(Submit(client), IsOk());
  ASSERT_THAT(tables_.request_ids, SizeIs(1));
  EXPECT_EQ(second_tables_.request_ids, tables_.request_ids) << "The same request.";
}

TEST_F(ClientTest, WatchMayBeDestroyedAtAnyMoment) {
  Client client = NewClient(1000);
  Seen seen;
  std::atomic<bool> stopping = false;
  std::thread server([&] {
    // In every second round, the server breaks the newest stream. So some watches wait for their
    // next attempt when they are destroyed.
    for (int i = 0; !stopping; ++i) {
      const std::lock_guard lock(tables_.mutex);
      for (const auto& stream : tables_.streams) stream->Offer(View(i));
      if (i % 2 == 0 && !tables_.streams.empty()) tables_.streams.back()->Close(Away());
    }
  });
  Rng rng(1);
  for (int i = 0; i < 100; ++i) {
    const auto watch = seen.Start(client);
    std::this_thread::sleep_for(std::chrono::microseconds(rng.Below(4000)));
  }
  stopping = true;
  server.join();
  EXPECT_TRUE(seen.ends.empty());
  EXPECT_FALSE(seen.revisions.empty());
}

TEST_F(ClientTest, CancelsACallOnRequest) {
  tables_.hangs = true;
  Client client = NewClient();
  std::promise<absl::Status> ended;
  const std::function<void()> cancel =
      client.Start(&Tables::SubmitAction, {},
                   [&ended](const auto& answer) { ended.set_value(answer.status()); });
  cancel();
  EXPECT_THAT(ended.get_future().get(), StatusIs(absl::StatusCode::kCancelled));
  cancel();  // If the call is over, a cancel does nothing.
}

}  // namespace
}  // namespace tarot::client
