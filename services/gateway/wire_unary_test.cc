// Tests unary calls over real gRPC connections: the data that the gateway passes on, and the data
// that it drops.
#include <gmock/gmock.h>

#include <optional>

#include "absl/strings/str_cat.h"
#include "google/rpc/status.pb.h"
#include "libs/rpc/client_network.h"
#include "libs/rpc/trace.h"
#include "libs/status/wire.h"
#include "libs/testkit/status_matchers.h"
#include "services/gateway/testing/gateway_fixture.h"

namespace tarot::gateway_service {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testkit::HasReason;
using testkit::IsOk;
using testkit::StatusIs;

TEST(WireUnaryTest, PassesBothWaysWithTheCallersIdentity) {
  GatewayFixture fixture;
  const std::string token = fixture.SignIn("Żółć");
  EXPECT_THAT(fixture.GetTable(token, "tables/42"), IsOk());
  const rpc::Caller first = fixture.tables.last_seen().caller;
  EXPECT_EQ(first.display_name, "Żółć");
  EXPECT_FALSE(first.player.empty());
  EXPECT_EQ(first.service, "");
  EXPECT_THAT(fixture.GetTable(fixture.SignIn("Bela")), IsOk());
  EXPECT_NE(fixture.tables.last_seen().caller.player, first.player);
}

// The gateway keeps the id of a well-formed traceparent, because the client knows this id. It makes
// a new id in place of any other text, because logs contain the id. It also decides whether a call
// is sampled, so a client cannot make every process write a line.
TEST(WireUnaryTest, GivesEachCallATrace) {
  GatewayFixture fixture;
  const std::string id = "4bf92f3577b34da6a3ce929d0e0e4736";
  const std::string trace = "00-" + id + "-00f067aa0ba902b7-01";
  const std::string token = fixture.SignIn("Anna");
  for (const std::string& sent : {trace, "x" + trace, std::string("\"}"), std::string()}) {
    grpc::ClientContext context;
    AddToken(context, token);
    if (!sent.empty()) context.AddMetadata("traceparent", sent);
    rules::v1::GetTableResponse response;
    ASSERT_TRUE(fixture.stub->GetTable(&context, {}, &response).ok());
    const std::string passed = fixture.tables.last_seen().metadata.find("traceparent")->second;
    EXPECT_TRUE(rpc::IsTraceParent(passed)) << passed;
    EXPECT_EQ(rpc::TraceIdOf(passed) == id, sent == trace);
    EXPECT_FALSE(rpc::IsSampled(passed));
    const auto& metadata = context.GetServerInitialMetadata();
    const auto told = metadata.find("x-tarot-trace-id");
    ASSERT_NE(told, metadata.end());
    EXPECT_EQ(std::string(told->second.data(), told->second.size()), rpc::TraceIdOf(passed));
  }
}

TEST(WireUnaryTest, LogsARefusedCallWithItsTrace) {
  std::optional<GatewayFixture> fixture(std::in_place);
  const std::string trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  testing::internal::CaptureStderr();
  grpc::ClientContext context;
  context.AddMetadata("authorization", "Bearer forged");
  context.AddMetadata("traceparent", trace);
  rules::v1::GetTableResponse response;
  EXPECT_FALSE(fixture->stub->GetTable(&context, {}, &response).ok());
  // The gateway may write the line after its answer. It has written the line when it has stopped.
  fixture.reset();
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr(R"("trace_id":"4bf92f3577b34da6a3ce929d0e0e4736")"),
                    HasSubstr(R"("reason":"BAD_TOKEN")"), Not(HasSubstr("forged\""))));
}

TEST(WireUnaryTest, DropsOtherMetadataOfThePlayer) {
  GatewayFixture fixture;
  const rpc::KeyRing foreign({{.id = "in", .secret = std::string(32, 'x')}});
  const rpc::Caller service = {.service = "matchmaking"};
  grpc::ClientContext context;
  AddToken(context, fixture.SignIn("Anna"));
  context.AddMetadata("x-tarot-caller", foreign.Sign(service, absl::InfiniteFuture()));
  context.AddMetadata("x-tarot-other", "1");
  rules::v1::GetTableResponse response;
  ASSERT_TRUE(fixture.stub->GetTable(&context, {}, &response).ok());
  const Seen seen = fixture.tables.last_seen();
  EXPECT_EQ(seen.caller.display_name, "Anna");
  EXPECT_EQ(seen.metadata.count("x-tarot-caller"), 1u);
  EXPECT_EQ(seen.metadata.count("x-tarot-other"), 0u);
  EXPECT_EQ(seen.metadata.count("authorization"), 0u);
}

TEST(WireUnaryTest, NamesItsOwnRegionAndNotThePlayers) {
  GatewayFixture fixture([](Options& options) { options.region = "eu-west"; });
  grpc::ClientContext context;
  AddToken(context, fixture.SignIn("Anna"));
  context.AddMetadata(rpc::kClientRegionMetadata, "us");
  rules::v1::GetTableResponse response;
  ASSERT_TRUE(fixture.stub->GetTable(&context, {}, &response).ok());
  const Seen seen = fixture.tables.last_seen();
  ASSERT_EQ(seen.metadata.count(rpc::kClientRegionMetadata), 1u);
  EXPECT_EQ(seen.metadata.find(rpc::kClientRegionMetadata)->second, "eu-west");
}

TEST(WireUnaryTest, ErrorsOfTheServicePassUnchanged) {
  GatewayFixture fixture;
  const grpc::Status sent =
      status::ToGrpc(Error(absl::StatusCode::kFailedPrecondition, "ILLEGAL_CARD",
                           "Il faut fournir à cœur.", {{"why", "MUST_FOLLOW"}}));
  fixture.tables.on_get = [&] { return sent; };
  grpc::ClientContext context;
  AddToken(context, fixture.SignIn());
  rules::v1::GetTableResponse response;
  const grpc::Status got = fixture.stub->GetTable(&context, {}, &response);
  EXPECT_EQ(got.error_code(), sent.error_code());
  EXPECT_EQ(got.error_message(), sent.error_message());
  EXPECT_EQ(got.error_details(), sent.error_details());
}

TEST(WireUnaryTest, TheServicesOwnUnavailablePassesUnchanged) {
  GatewayFixture fixture;
  fixture.tables.on_get = [] {
    return status::ToGrpc(Error(absl::StatusCode::kUnavailable, "STORAGE_AWAY", "No database."));
  };
  EXPECT_THAT(fixture.GetTable(fixture.SignIn()), HasReason("STORAGE_AWAY"));
}

TEST(WireUnaryTest, ARefusalOfTheGatewaysIdentityIsServiceAway) {
  GatewayFixture fixture;
  fixture.tables.on_get = [] {
    return status::ToGrpc(Error(absl::StatusCode::kUnauthenticated, "BAD_TOKEN", "Forged."));
  };
  EXPECT_THAT(fixture.GetTable(fixture.SignIn()), HasReason("SERVICE_AWAY"));
}

TEST(WireUnaryTest, TheServiceSeesThePlayersDeadline) {
  GatewayFixture fixture;
  const std::string token = fixture.SignIn();
  ASSERT_THAT(fixture.GetTable(token, "tables/1", absl::Seconds(10)), IsOk());
  // gRPC sends a deadline that is up to 3 % too late. On a busy machine, the call reaches the
  // service later, so the remaining time is shorter.
  const absl::Duration deadline = fixture.tables.last_seen().deadline;
  EXPECT_LT(deadline, absl::Seconds(11));
  EXPECT_GT(deadline, absl::ZeroDuration());
}

TEST(WireUnaryTest, AtThePlayersDeadlineTheCallOfTheServiceIsCancelled) {
  GatewayFixture fixture;
  const std::string token = fixture.SignIn();
  // On a busy machine, the deadline may pass before the call reaches the service.
  EXPECT_TRUE(Eventually([&] {
    EXPECT_THAT(fixture.GetTable(token, fixture.tables.never, absl::Milliseconds(200)),
                StatusIs(absl::StatusCode::kDeadlineExceeded));
    return fixture.tables.cancelled_gets > 0;
  }));
}

TEST(WireUnaryTest, ACallWithoutDeadlineGetsOne) {
  GatewayFixture fixture;
  grpc::ClientContext context;
  AddToken(context, fixture.SignIn());
  rules::v1::GetTableResponse response;
  ASSERT_TRUE(fixture.stub->GetTable(&context, {}, &response).ok());
  // gRPC rounds the deadline that it sends.
  EXPECT_LT(fixture.tables.last_seen().deadline, absl::Seconds(31));
}

TEST(WireUnaryTest, CancellationReachesTheService) {
  GatewayFixture fixture;
  grpc::ClientContext context;
  AddToken(context, fixture.SignIn());
  rules::v1::GetTableRequest request;
  request.set_name(fixture.tables.never);
  rules::v1::GetTableResponse response;
  std::atomic<int> code = -1;
  fixture.stub->async()->GetTable(&context, &request, &response,
                                  [&](const grpc::Status& status) { code = status.error_code(); });
  ASSERT_TRUE(Eventually([&] { return fixture.tables.gets == 1; }));
  context.TryCancel();
  EXPECT_TRUE(Eventually([&] { return code == grpc::StatusCode::CANCELLED; }));
  EXPECT_TRUE(Eventually([&] { return fixture.tables.cancelled_gets == 1; }));
}

TEST(WireUnaryTest, OversizedRequestsAreRefused) {
  GatewayFixture fixture;
  const std::string token = fixture.SignIn();
  EXPECT_THAT(fixture.GetTable(token, std::string(65 << 10, 'x')),
              StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_EQ(fixture.tables.gets, 0);
  EXPECT_THAT(fixture.GetTable(token, std::string(63 << 10, 'x')), IsOk());
}

TEST(WireUnaryTest, CallsAreUnavailableWhileTheServiceIsAway) {
  GatewayFixture fixture;
  const std::string token = fixture.SignIn();
  ASSERT_THAT(fixture.GetTable(token), IsOk());
  fixture.rules.Stop();
  const absl::Status away = fixture.GetTable(token);
  EXPECT_THAT(away, AllOf(StatusIs(absl::StatusCode::kUnavailable), HasReason("SERVICE_AWAY")));
  EXPECT_EQ(GetErrorDetails(away).metadata.at("service"), "rules");
  EXPECT_THAT(away.message(), Not(HasSubstr(absl::StrCat(fixture.rules.port))));
  fixture.rules.Start();
  EXPECT_TRUE(Eventually([&] { return fixture.GetTable(token).ok(); }));
}

TEST(WireUnaryTest, SeriesOfEveryForwardedMethodExistAtStart) {
  GatewayFixture fixture;
  for (const char* method :
       {"SubmitAction", "ListRecords", "WatchTicket", "BatchGetRatings", "CreateGuestSession"}) {
    EXPECT_EQ(fixture.Metric("grpc_server_started_total", method), 0) << method;
  }
  EXPECT_EQ(fixture.Metric("grpc_server_started_total", "CreateTable"), -1);
  ASSERT_THAT(fixture.GetTable(fixture.SignIn()), IsOk());
  EXPECT_EQ(fixture.Metric("grpc_server_started_total", "GetTable"), 1);
  EXPECT_EQ(fixture.Metric("grpc_server_msg_received_total", "GetTable"), 1);
  EXPECT_EQ(fixture.Metric("grpc_server_msg_sent_total", "GetTable"), 1);
  EXPECT_EQ(fixture.Metric("grpc_client_started_total", "GetTable"), 1);
  EXPECT_EQ(fixture.Metric("grpc_client_msg_received_total", "GetTable"), 1);
  EXPECT_EQ(fixture.Metric("tarot_gateway_sign_ins_total", "guest"), 1);
}

}  // namespace
}  // namespace tarot::gateway_service
