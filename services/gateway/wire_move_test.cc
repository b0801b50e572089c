// Tests moves over real gRPC connections. Moves share a stream to the replica, but each must get
// its own answer.
#include <gmock/gmock.h>

#include <future>
#include <vector>

#include "absl/strings/str_cat.h"
#include "google/rpc/status.pb.h"
#include "libs/base/check.h"
#include "libs/rpc/call.h"
#include "libs/rpc/trace.h"
#include "libs/status/wire.h"
#include "libs/testkit/status_matchers.h"
#include "services/gateway/testing/gateway_fixture.h"

namespace tarot::gateway_service {
namespace {

using testkit::HasReason;
using testkit::IsOk;
using testkit::StatusIs;

// Answers a move with the name of its table.
bool Echo(const rules::v1::PlayerCall& call, rules::v1::CallAnswer& answer) {
  rules::v1::SubmitActionRequest request;
  TAROT_CHECK(request.ParseFromString(call.request()));
  rules::v1::SubmitActionResponse response;
  response.mutable_table()->set_name(request.name());
  answer.set_response(response.SerializeAsString());
  return true;
}

constexpr char kTrace[] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

struct Answer {
  absl::Status status;
  std::string name;
};

Answer Submit(GatewayFixture& fixture, const std::string& token,
              const std::string& name = "tables/1", absl::Duration timeout = absl::Seconds(10)) {
  grpc::ClientContext context;
  rpc::SetTimeout(context, timeout);
  AddToken(context, token);
  context.AddMetadata("traceparent", kTrace);
  rules::v1::SubmitActionRequest request;
  request.set_name(name);
  rules::v1::SubmitActionResponse response;
  const grpc::Status status = fixture.stub->SubmitAction(&context, request, &response);
  return {status::FromGrpc(status), response.table().name()};
}

class WireMoveTest : public testing::Test {
 protected:
  WireMoveTest() { moves.on_move = Echo; }
  void WaitForStream() {
    ASSERT_TRUE(fixture.Eventually([&] { return moves.open == 1; }));
    const std::string token = fixture.SignIn();
    const int before = moves.moves;  // The gateway notices a little later that the stream is open.
    ASSERT_TRUE(fixture.Eventually([&] {
      (void)Submit(fixture, token);
      return moves.moves > before;
    }));
  }

  GatewayFixture fixture;
  FakeMoves& moves = fixture.rules.feeds.moves;
};

TEST_F(WireMoveTest, PassesBothWaysWithTheCallersIdentity) {
  WaitForStream();
  std::vector<std::string> players;
  moves.on_move = [&](const rules::v1::PlayerCall& call, rules::v1::CallAnswer& answer) {
    players.push_back(call.player());
    EXPECT_EQ(rpc::TraceIdOf(call.traceparent()), rpc::TraceIdOf(kTrace));
    EXPECT_GT(call.timeout_ms(), 5'000u);
    EXPECT_LE(call.timeout_ms(), 10'500u);  // gRPC rounds the deadline up.
    return Echo(call, answer);
  };
  const Answer anna = Submit(fixture, fixture.SignIn("Anna"), "tables/7");
  EXPECT_THAT(anna.status, IsOk());
  EXPECT_EQ(anna.name, "tables/7");
  EXPECT_THAT(Submit(fixture, fixture.SignIn("Bela")).status, IsOk());
  ASSERT_EQ(players.size(), 2u);
  EXPECT_EQ(players[0].size(), 16u);
  EXPECT_NE(players[0], players[1]);
}

TEST_F(WireMoveTest, EachOfManyMovesGetsItsOwnAnswer) {
  WaitForStream();
  const std::string token = fixture.SignIn();
  std::vector<std::future<Answer>> answers;
  for (int i = 0; i < 16; ++i) {
    answers.push_back(std::async(
        std::launch::async, [&, i] { return Submit(fixture, token, absl::StrCat("tables/", i)); }));
  }
  for (std::size_t i = 0; i < answers.size(); ++i) {
    EXPECT_EQ(answers[i].get().name, absl::StrCat("tables/", i));
  }
}

TEST_F(WireMoveTest, ErrorsOfTheServicePassUnchanged) {
  WaitForStream();
  const grpc::Status sent =
      status::ToGrpc(Error(absl::StatusCode::kFailedPrecondition, "ILLEGAL_CARD",
                           "Il faut fournir à cœur.", {{"why", "MUST_FOLLOW"}}));
  moves.on_move = [&](const rules::v1::PlayerCall&, rules::v1::CallAnswer& answer) {
    return answer.mutable_error()->ParseFromString(sent.error_details());
  };
  grpc::ClientContext context;
  AddToken(context, fixture.SignIn());
  rules::v1::SubmitActionResponse response;
  const grpc::Status got = fixture.stub->SubmitAction(&context, {}, &response);
  EXPECT_EQ(got.error_code(), sent.error_code());
  EXPECT_EQ(got.error_message(), sent.error_message());
  EXPECT_EQ(got.error_details(), sent.error_details());
}

TEST_F(WireMoveTest, ACallCancelledByTheServiceIsUnavailable) {
  WaitForStream();
  moves.on_move = [](const rules::v1::PlayerCall&, rules::v1::CallAnswer& answer) {
    answer.mutable_error()->set_code(static_cast<int>(absl::StatusCode::kCancelled));
    answer.mutable_error()->set_message("The caller is gone.");
    return true;
  };
  EXPECT_THAT(Submit(fixture, fixture.SignIn()).status, HasReason("SERVICE_AWAY"));
}

TEST_F(WireMoveTest, ALostStreamEndsItsMovesAndOpensAgain) {
  WaitForStream();
  moves.on_move = [](const auto&, auto&) { return false; };
  const int before = moves.moves;
  const std::string token = fixture.SignIn();
  auto unsure = std::async(std::launch::async, [&] { return Submit(fixture, token).status; });
  ASSERT_TRUE(Eventually([&] { return moves.moves > before; }));
  moves.Drop();
  EXPECT_THAT(unsure.get(), HasReason("SERVICE_AWAY"));
  moves.on_move = Echo;
  WaitForStream();
}

TEST_F(WireMoveTest, AMoveWithoutAnAnswerEndsAtItsDeadline) {
  WaitForStream();
  moves.on_move = [](const auto&, auto&) { return false; };
  const std::string token = fixture.SignIn();
  const int start = moves.moves;
  // On a busy machine the deadline may pass before the move reaches the service.
  ASSERT_TRUE(Eventually([&] {
    EXPECT_THAT(Submit(fixture, token, "tables/1", absl::Milliseconds(200)).status,
                StatusIs(absl::StatusCode::kDeadlineExceeded));
    return moves.moves > start;
  }));
  // If the player's call has no deadline, the gateway sets one.
  const int before = moves.moves;
  auto late = std::async(std::launch::async, [&] {
    return Submit(fixture, token, "tables/1", absl::InfiniteDuration()).status;
  });
  ASSERT_TRUE(Eventually([&] { return moves.moves > before; }));
  fixture.time.Advance(absl::Seconds(31));
  EXPECT_THAT(late.get(), StatusIs(absl::StatusCode::kDeadlineExceeded));
}

TEST_F(WireMoveTest, AReplicaWithoutMoveStreamsGetsUnaryCalls) {
  moves.unknown = true;
  moves.Drop();
  // The fake has no unary SubmitAction, so it answers UNIMPLEMENTED.
  const std::string token = fixture.SignIn();
  ASSERT_TRUE(fixture.Eventually([&] { return moves.open == 0; }));
  ASSERT_TRUE(
      fixture.Eventually([&] { return absl::IsUnimplemented(Submit(fixture, token).status); }));
}

TEST_F(WireMoveTest, ShutdownEndsPendingMoves) {
  WaitForStream();
  moves.on_move = [](const auto&, auto&) { return false; };
  const int before = moves.moves;
  const std::string token = fixture.SignIn();
  auto unsure = std::async(std::launch::async, [&] { return Submit(fixture, token).status; });
  ASSERT_TRUE(Eventually([&] { return moves.moves > before; }));
  fixture.gateway->Shutdown();
  EXPECT_FALSE(unsure.get().ok());
}

}  // namespace
}  // namespace tarot::gateway_service
