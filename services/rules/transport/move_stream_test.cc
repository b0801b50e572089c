// Tests streams of moves with a real server and a real client. Each move must get its own answer,
// even if other moves fail or the gateway ends the stream.
#include "services/rules/transport/move_stream.h"

#include <gmock/gmock.h>

#include <condition_variable>
#include <deque>
#include <map>

#include "libs/base/check.h"
#include "libs/base/error.h"
#include "libs/base/real_clock.h"
#include "libs/rpc/call.h"
#include "libs/rpc/server.h"
#include "libs/status/wire.h"
#include "libs/testkit/status_matchers.h"
#include "tarot/rules/v1/table_service.pb.h"

namespace tarot::rules_service {
namespace {

using testing::SizeIs;
using testkit::HasReason;
using testkit::IsOk;

// A replica whose moves wait until the test answers them.
class FakeMoveReplica final
    : public v1::TableFeedService::WithCallbackMethod_SubmitActions<v1::TableFeedService::Service> {
 public:
  FakeMoveReplica() {
    server = rpc::Server::Start({.drain_timeout = absl::Milliseconds(200)}, {this}).value();
    stub = v1::TableFeedService::NewStub(
        rpc::MakeChannel("127.0.0.1:" + std::to_string(server->port())));
  }
  ~FakeMoveReplica() override {
    server->Shutdown();
    workers.Stop();
  }

  struct Asked {
    PlayerId player;
    std::string request;
    std::string traceparent;
    grpc::ByteBuffer* response;
    rpc::Dispatcher::Finish finish;
  };

  // Waits for the next call.
  Asked Next() {
    std::unique_lock lock(mutex);
    TAROT_CHECK(came.wait_for(lock, std::chrono::seconds(10), [&] { return !asked.empty(); }));
    Asked next = std::move(asked.front());
    asked.pop_front();
    return next;
  }

  static void Answer(Asked& call, const std::string& text) {
    const grpc::Slice slice(text);
    *call.response = grpc::ByteBuffer(&slice, 1);
    call.finish(absl::OkStatus());
  }

  rpc::BidiCall<v1::SubmitActionsRequest, v1::SubmitActionsResponse>* SubmitActions(
      grpc::CallbackServerContext*) override {
    stream = MoveStream::Open(submit, dispatcher);
    return stream.get();
  }

  RealClock clock;
  prometheus::Registry registry;
  ThreadWorkerPool workers{1, 100};
  rpc::CallMetrics calls{rpc::Side::kServer, registry};
  rpc::Authenticator identity{rpc::KeyRing({{"k1", std::string(32, 'k')}}), clock};
  rpc::Dispatcher dispatcher{clock, workers, identity, calls};
  bool answer_at_once = false;
  std::mutex mutex;
  std::condition_variable came;
  std::deque<Asked> asked;
  std::shared_ptr<MoveStream> stream;
  const MoveStream::Submit submit = [this](const HostRouter::Call& call,
                                           rpc::Dispatcher::Finish finish) {
    if (answer_at_once) return finish(absl::OkStatus());
    std::vector<grpc::Slice> slices;
    TAROT_CHECK(call.request.Dump(&slices).ok() && slices.size() == 1);
    const std::lock_guard lock(mutex);
    asked.push_back(
        {.player = call.context.caller.player,
         .request = std::string(reinterpret_cast<const char*>(slices[0].begin()), slices[0].size()),
         .traceparent = std::string(call.context.trace),
         .response = &call.response,
         .finish = std::move(finish)});
    came.notify_all();
  };
  std::unique_ptr<rpc::Server> server;
  std::unique_ptr<v1::TableFeedService::Stub> stub;
};

// The gateway's side of the stream.
struct Gateway {
  explicit Gateway(FakeMoveReplica& replica) : stream(replica.stub->SubmitActions(&context)) {
    v1::SubmitActionsResponse hello;
    TAROT_CHECK(stream->Read(&hello) && hello.answers_size() == 0);
  }
  ~Gateway() {
    context.TryCancel();
    if (!finished) Finish().IgnoreError();
  }
  absl::Status Finish() {
    finished = true;
    return status::FromGrpc(stream->Finish());
  }

  // Sends `count` calls in one message, with the numbers `first`, `first` + 1, ...
  void Send(std::uint64_t first, int count, const std::string& player = std::string(16, 'p')) {
    v1::SubmitActionsRequest request;
    for (std::uint64_t call = first; count > 0; ++call, --count) {
      v1::PlayerCall* const out = request.add_calls();
      out->set_call(call);
      out->set_player(player);
      out->set_request(std::to_string(call));
      out->set_timeout_ms(10'000);
    }
    ASSERT_TRUE(stream->Write(request));
  }

  // Reads until there are `count` answers or the stream has ended. Returns the answers; the key of
  // each answer is the number of its call.
  std::map<std::uint64_t, v1::CallAnswer> Answers(std::size_t count) {
    std::map<std::uint64_t, v1::CallAnswer> out;
    v1::SubmitActionsResponse response;
    while (out.size() < count && stream->Read(&response)) {
      for (const v1::CallAnswer& answer : response.answers()) {
        EXPECT_TRUE(out.emplace(answer.call(), answer).second) << "answered twice";
      }
    }
    return out;
  }

  grpc::ClientContext context;
  std::unique_ptr<grpc::ClientReaderWriter<v1::SubmitActionsRequest, v1::SubmitActionsResponse>>
      stream;
  bool finished = false;
};

absl::Status StatusOf(const v1::CallAnswer& answer) {
  return status::FromGrpc(grpc::Status(static_cast<grpc::StatusCode>(answer.error().code()),
                                       answer.error().message(),
                                       answer.error().SerializeAsString()));
}

TEST(MoveStreamTest, AnswersEachCallByItselfInAnyOrder) {
  FakeMoveReplica replica;
  Gateway gateway(replica);
  gateway.Send(1, 3);
  FakeMoveReplica::Asked first = replica.Next();
  FakeMoveReplica::Asked second = replica.Next();
  FakeMoveReplica::Asked third = replica.Next();
  EXPECT_EQ(first.request, "1");
  EXPECT_EQ(third.request, "3");
  EXPECT_EQ(first.player.uuid.bytes()[0], 'p');
  third.finish(Error(absl::StatusCode::kFailedPrecondition, "ILLEGAL_CARD", "No.",
                     {{"why", "MUST_FOLLOW"}}));
  const v1::CallAnswer refused = gateway.Answers(1)[3];
  EXPECT_THAT(StatusOf(refused), HasReason("ILLEGAL_CARD"));
  EXPECT_EQ(GetErrorDetails(StatusOf(refused)).metadata["why"], "MUST_FOLLOW");
  EXPECT_EQ(refused.response(), "");
  FakeMoveReplica::Answer(second, "two");
  FakeMoveReplica::Answer(first, "one");
  auto rest = gateway.Answers(2);
  EXPECT_EQ(rest[1].response(), "one");
  EXPECT_EQ(rest[2].response(), "two");
  EXPECT_FALSE(rest[2].has_error());
}

TEST(MoveStreamTest, LogsAFailureWithItsRequestAndTrace) {
  constexpr char kTable[] = "tables/0b5e8f9c-3a59-4bfa-9c7f-3f0d2b1f6a51";
  constexpr char kRequest[] = "8c0a7cde-91a5-4c3b-8e2e-6f3d1f0b9a10";
  constexpr char kTrace[] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  FakeMoveReplica replica;
  Gateway gateway(replica);
  v1::SubmitActionRequest action;
  action.set_name(kTable);
  action.set_request_id(kRequest);
  v1::SubmitActionsRequest request;
  v1::PlayerCall* const call = request.add_calls();
  call->set_call(1);
  call->set_player(std::string(16, 'p'));
  call->set_request(action.SerializeAsString());
  call->set_timeout_ms(10'000);
  call->set_traceparent(kTrace);
  testing::internal::CaptureStderr();
  ASSERT_TRUE(gateway.stream->Write(request));
  FakeMoveReplica::Asked asked = replica.Next();
  EXPECT_EQ(asked.traceparent, kTrace) << "It goes on to another replica.";
  asked.finish(absl::InternalError("Out of cheese."));
  (void)gateway.Answers(1);
  const std::string log = testing::internal::GetCapturedStderr();
  for (const char* part : {kTable, kRequest, "4bf92f3577b34da6a3ce929d0e0e4736", "SubmitAction"}) {
    EXPECT_THAT(log, testing::HasSubstr(part));
  }
}

TEST(MoveStreamTest, AMalformedCallDoesNotAffectOthers) {
  FakeMoveReplica replica;
  Gateway gateway(replica);
  gateway.Send(1, 1, "short");
  gateway.Send(3, 1, std::string(16, '\0'));  // The empty id belongs to no player.
  gateway.Send(2, 1);
  FakeMoveReplica::Asked good = replica.Next();
  EXPECT_EQ(good.request, "2");
  FakeMoveReplica::Answer(good, "two");
  auto answers = gateway.Answers(3);
  EXPECT_THAT(StatusOf(answers[1]), HasReason("BAD_REQUEST"));
  EXPECT_THAT(StatusOf(answers[3]), HasReason("BAD_REQUEST"));
  EXPECT_EQ(answers[2].response(), "two");
}

TEST(MoveStreamTest, TheMovesOfAMessageShareTheirWritesAndNeedNoWorker) {
  FakeMoveReplica replica;
  replica.workers.Stop();
  replica.answer_at_once = true;
  Gateway gateway(replica);
  gateway.Send(1, 5);
  v1::SubmitActionsResponse response;
  ASSERT_TRUE(gateway.stream->Read(&response));
  EXPECT_THAT(response.answers(), SizeIs(5)) << "all answers in one message";
}

TEST(MoveStreamTest, AnswersTheLastCallsOfAGatewayThatLeaves) {
  FakeMoveReplica replica;
  Gateway gateway(replica);
  gateway.Send(1, 1);
  FakeMoveReplica::Asked call = replica.Next();
  gateway.stream->WritesDone();
  FakeMoveReplica::Answer(call, "one");
  EXPECT_EQ(gateway.Answers(2)[1].response(), "one");
  EXPECT_THAT(gateway.Finish(), IsOk());
}

TEST(MoveStreamTest, CloseAnswersTheCallsThatWereRead) {
  FakeMoveReplica replica;
  Gateway gateway(replica);
  gateway.Send(1, 1);
  FakeMoveReplica::Asked call = replica.Next();
  replica.stream->Close(Error(absl::StatusCode::kUnavailable, "SHUTTING_DOWN", "Bye."));
  FakeMoveReplica::Answer(call, "one");
  EXPECT_THAT(gateway.Answers(2), SizeIs(1));
  EXPECT_THAT(gateway.Finish(), HasReason("SHUTTING_DOWN"));
}

// This test finds objects that are used after a disconnect has destroyed them. Run it under
// AddressSanitizer.
TEST(MoveStreamTest, GatewaysMayDisconnectWithCallsInFlight) {
  FakeMoveReplica replica;
  for (int i = 0; i < 50; ++i) {
    std::vector<FakeMoveReplica::Asked> calls;
    {
      Gateway gateway(replica);
      gateway.Send(1, 3);
      calls.push_back(replica.Next());
      if (i % 2 == 0) FakeMoveReplica::Answer(calls[0], "one");
    }
    while (calls.size() < 3) calls.push_back(replica.Next());
    for (FakeMoveReplica::Asked& call : calls) {
      if (call.finish) FakeMoveReplica::Answer(call, "late");
    }
  }
}

}  // namespace
}  // namespace tarot::rules_service
