// Tests over real gRPC connections that every gateway refuses a revoked token, and still accepts
// other tokens.
#include <gmock/gmock.h>

#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "libs/rpc/call.h"
#include "libs/status/wire.h"
#include "libs/testkit/status_matchers.h"
#include "services/gateway/limits.h"
#include "services/gateway/testing/gateway_fixture.h"

namespace tarot::gateway_service {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testkit::HasReason;
using testkit::IsOk;
using testkit::StatusIs;

absl::Status SignOut(GatewayFixture& fixture, const std::string& token, bool everywhere = false) {
  grpc::ClientContext context;
  if (!token.empty()) AddToken(context, token);
  rpc::SetTimeout(context, absl::Seconds(10));
  v1::SignOutRequest request;
  request.set_everywhere(everywhere);
  v1::SignOutResponse response;
  return status::FromGrpc(fixture.sessions->SignOut(&context, request, &response));
}

std::string Refresh(GatewayFixture& fixture, const std::string& token) {
  grpc::ClientContext context;
  AddToken(context, token);
  v1::RefreshSessionResponse response;
  (void)fixture.sessions->RefreshSession(&context, {}, &response);
  return response.session().token();
}

// Calls GetTable at `gateway`.
absl::Status GetTableAt(const rpc::Service& gateway, const std::string& token) {
  const auto stub = rules::v1::TableService::NewStub(
      rpc::MakeChannel(absl::StrCat("127.0.0.1:", gateway.port())));
  grpc::ClientContext context;
  AddToken(context, token);
  rules::v1::GetTableRequest request;
  request.set_name("tables/1");
  rules::v1::GetTableResponse response;
  return status::FromGrpc(stub->GetTable(&context, request, &response));
}

TEST(WireSignOutTest, RevokesOneTokenAtAllGateways) {
  GatewayFixture fixture;
  const auto other = fixture.StartGateway("127.0.0.1:0").value();
  const std::string token = fixture.SignIn();
  const std::string second = Refresh(fixture, token);
  ASSERT_THAT(GetTableAt(*other, token), IsOk());
  ASSERT_THAT(SignOut(fixture, token), IsOk());
  EXPECT_THAT(fixture.GetTable(token),
              AllOf(StatusIs(absl::StatusCode::kUnauthenticated), HasReason("BAD_TOKEN")));
  EXPECT_EQ(Refresh(fixture, token), "");
  EXPECT_THAT(SignOut(fixture, token), HasReason("BAD_TOKEN"));
  EXPECT_TRUE(fixture.Eventually([&] { return !GetTableAt(*other, token).ok(); }));
  EXPECT_THAT(fixture.GetTable(second), IsOk());
  EXPECT_THAT(GetTableAt(*other, second), IsOk());
  EXPECT_EQ(fixture.Metric("tarot_gateway_sign_outs_total", "token"), 1);
  EXPECT_EQ(fixture.Metric("tarot_gateway_revocations_active"), 1);
  for (const std::string& subject : fixture.rules.player_admin.subjects()) {
    EXPECT_THAT(token, Not(HasSubstr(subject)))
        << "The gateway sends ratings an id, not the token.";
  }
}

// A thief has refreshed the stolen token twice.
TEST(WireSignOutTest, EverywhereRevokesAllTokensOfThePlayer) {
  GatewayFixture fixture;
  const std::string token = fixture.SignIn();
  const std::string stolen = Refresh(fixture, token);
  const std::string bela = fixture.SignIn("Bela");
  fixture.time.Advance(absl::Seconds(1));
  const std::string later = Refresh(fixture, stolen);
  ASSERT_THAT(SignOut(fixture, token, true), IsOk());
  for (const std::string& each : {token, stolen, later}) {
    EXPECT_THAT(fixture.GetTable(each), HasReason("BAD_TOKEN"));
  }
  EXPECT_THAT(fixture.GetTable(bela), IsOk());
  EXPECT_EQ(fixture.Metric("tarot_gateway_sign_outs_total", "everywhere"), 1);
}

TEST(WireSignOutTest, ANewGatewayKnowsEarlierRevocations) {
  GatewayFixture fixture;
  std::vector<std::string> tokens;
  for (int i = 0; i < 5; ++i) {  // Each page of the fake has one revocation.
    tokens.push_back(fixture.SignIn());
    ASSERT_THAT(SignOut(fixture, tokens.back()), IsOk());
  }
  const auto other = fixture.StartGateway("127.0.0.1:0").value();
  for (const std::string& token : tokens) {
    EXPECT_THAT(GetTableAt(*other, token), HasReason("BAD_TOKEN"));
  }
}

TEST(WireSignOutTest, EndsTheOpenStreamsOfTheTokenOnly) {
  GatewayFixture fixture;
  const auto other = fixture.StartGateway("127.0.0.1:0").value();
  const std::string token = fixture.SignIn();
  const std::string second = Refresh(fixture, token);
  struct Watching {
    grpc::ClientContext context;
    rules::v1::WatchTableResponse response;
    std::unique_ptr<grpc::ClientReader<rules::v1::WatchTableResponse>> reader;
  };
  const auto watch = [&](const rpc::Service& gateway, const std::string& with, Watching& out) {
    AddToken(out.context, with);
    rpc::SetTimeout(out.context, absl::Seconds(30));
    rules::v1::WatchTableRequest request;
    request.set_name("tables/00000000-0000-4000-8000-000000000001");
    const auto stub = rules::v1::TableService::NewStub(
        rpc::MakeChannel(absl::StrCat("127.0.0.1:", gateway.port())));
    out.reader = stub->WatchTable(&out.context, request);
    EXPECT_TRUE(out.reader->Read(&out.response));
  };
  Watching here, there, kept;
  watch(*fixture.gateway, token, here);
  watch(*other, token, there);
  watch(*fixture.gateway, second, kept);
  ASSERT_THAT(SignOut(fixture, token), IsOk());
  for (Watching* watching : {&here, &there}) {
    std::atomic<bool> ended = false;
    std::thread reading([&] {
      while (watching->reader->Read(&watching->response)) {
      }
      ended = true;
    });
    EXPECT_TRUE(fixture.Eventually([&] { return ended.load(); }));
    reading.join();
    EXPECT_THAT(status::FromGrpc(watching->reader->Finish()), HasReason("BAD_TOKEN"));
  }
  fixture.rules.feeds.Show(*TableId::Parse("00000000-0000-4000-8000-000000000001"), 1);
  EXPECT_TRUE(kept.reader->Read(&kept.response));
  kept.context.TryCancel();
}

TEST(WireSignOutTest, RefusesABannedPlayerUntilTheEndOfTheBan) {
  GatewayFixture fixture;
  const auto other = fixture.StartGateway("127.0.0.1:0").value();
  v1::CreateGuestSessionRequest request;
  request.set_display_name("Anna");
  v1::CreateGuestSessionResponse session;
  grpc::ClientContext sign_in;
  ASSERT_TRUE(fixture.sessions->CreateGuestSession(&sign_in, request, &session).ok());
  const std::string token = session.session().token();
  const std::string bela = fixture.SignIn("Bela");
  const auto stub =
      rules::v1::TableService::NewStub(rpc::MakeChannel(absl::StrCat("127.0.0.1:", other->port())));
  grpc::ClientContext watching;
  AddToken(watching, token);
  rules::v1::WatchTableRequest watch;
  watch.set_name("tables/00000000-0000-4000-8000-000000000001");
  const auto reader = stub->WatchTable(&watching, watch);

  const absl::Time end =
      absl::FromUnixSeconds(absl::ToUnixSeconds(fixture.time.Now())) + absl::Hours(1);
  fixture.rules.player_admin.Ban(session.session().player(), end, "You help another seat.");
  EXPECT_TRUE(fixture.Eventually([&] { return !GetTableAt(*other, token).ok(); }));
  EXPECT_TRUE(fixture.Eventually([&] { return !fixture.GetTable(token).ok(); }));
  EXPECT_THAT(fixture.GetTable(token),
              AllOf(StatusIs(absl::StatusCode::kPermissionDenied), HasReason("BANNED")));
  EXPECT_EQ(GetErrorDetails(fixture.GetTable(token)).metadata["until"],
            absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", end, absl::UTCTimeZone()));
  EXPECT_EQ(GetErrorDetails(fixture.GetTable(token)).metadata["message"], "You help another seat.");
  EXPECT_EQ(Refresh(fixture, token), "") << "a new token would be refused too";
  EXPECT_THAT(fixture.GetTable(bela), IsOk());
  EXPECT_EQ(fixture.Metric("tarot_gateway_bans_active"), 1);
  std::atomic<bool> ended = false;
  std::thread reading([&] {
    rules::v1::WatchTableResponse view;
    while (reader->Read(&view)) {
    }
    ended = true;
  });
  EXPECT_TRUE(fixture.Eventually([&] { return ended.load(); }));
  reading.join();
  EXPECT_THAT(status::FromGrpc(reader->Finish()), HasReason("BANNED"));

  fixture.time.Advance(absl::Hours(1));
  EXPECT_THAT(fixture.GetTable(token), IsOk()) << "the ban has ended by itself";
}

TEST(WireSignOutTest, AnOperatorEndsABanEarly) {
  GatewayFixture fixture;
  v1::CreateGuestSessionRequest request;
  request.set_display_name("Anna");
  v1::CreateGuestSessionResponse session;
  grpc::ClientContext sign_in;
  ASSERT_TRUE(fixture.sessions->CreateGuestSession(&sign_in, request, &session).ok());
  const std::string player = session.session().player();
  const std::string token = session.session().token();
  fixture.rules.player_admin.Ban(player, fixture.time.Now() + absl::Hours(1), "");
  EXPECT_TRUE(fixture.Eventually([&] { return !fixture.GetTable(token).ok(); }));
  fixture.rules.player_admin.Ban(player, fixture.time.Now() - absl::Seconds(1), "");
  EXPECT_TRUE(fixture.Eventually([&] { return fixture.GetTable(token).ok(); }));
}

TEST(WireSignOutTest, WithoutRatingsNoTokenIsRevokedAndCallsGoOn) {
  GatewayFixture fixture;
  const std::string token = fixture.SignIn();
  const std::string bela = fixture.SignIn("Bela");
  ASSERT_THAT(SignOut(fixture, bela), IsOk());
  fixture.rules.player_admin.away = true;
  // Failed attempts must not count in the limits.
  for (int i = 0; i < static_cast<int>(kSignOutBurst) + 5; ++i) {
    ASSERT_THAT(SignOut(fixture, token),
                AllOf(StatusIs(absl::StatusCode::kUnavailable), HasReason("SERVICE_AWAY")));
  }
  EXPECT_THAT(fixture.GetTable(token), IsOk());
  fixture.time.Advance(absl::Minutes(1));
  EXPECT_THAT(fixture.GetTable(bela), HasReason("BAD_TOKEN"));
  fixture.rules.player_admin.away = false;
  EXPECT_THAT(SignOut(fixture, token), IsOk());
}

TEST(WireSignOutTest, AGatewayServesWithoutRatingsAfterAWait) {
  GatewayFixture fixture;
  const std::string token = fixture.SignIn();
  const std::string revoked = fixture.SignIn("Bela");
  ASSERT_THAT(SignOut(fixture, revoked), IsOk());
  fixture.rules.player_admin.away = true;
  std::unique_ptr<rpc::Service> other;
  std::atomic<bool> started = false;
  std::thread starting([&] {
    other = fixture.StartGateway("127.0.0.1:0").value();
    started = true;
  });
  const absl::Time before = fixture.time.Now();
  EXPECT_TRUE(fixture.Eventually([&] { return started.load(); }));
  starting.join();
  EXPECT_GE(fixture.time.Now() - before, kFirstRevocationsWait);
  EXPECT_THAT(GetTableAt(*other, token), IsOk());
  fixture.rules.player_admin.away = false;
  EXPECT_TRUE(fixture.Eventually([&] { return !GetTableAt(*other, revoked).ok(); }));
}

// One address with many guests must not be able to fill the database with revocations.
TEST(WireSignOutTest, LimitsTheSignOutsOfAnAddress) {
  GatewayFixture fixture;
  const std::string last = fixture.SignIn();
  int signed_out = 0;
  for (int i = 0; i < static_cast<int>(kSignOutBurst) + 5; ++i) {
    signed_out += SignOut(fixture, fixture.SignIn()).ok() ? 1 : 0;
  }
  EXPECT_EQ(signed_out, static_cast<int>(kSignOutBurst));
  EXPECT_THAT(SignOut(fixture, last), HasReason("RATE_LIMITED"));
  EXPECT_EQ(fixture.rules.player_admin.subjects().size(), static_cast<std::size_t>(kSignOutBurst));
  EXPECT_THAT(fixture.GetTable(last), IsOk());
  fixture.time.Advance(absl::Seconds(1 / kSignOutsPerSecond));
  EXPECT_THAT(SignOut(fixture, last), IsOk());
}

// A player can get new tokens without a limit, and each sign-out of a token is stored.
TEST(WireSignOutTest, LimitsTheSignOutsOfAPlayer) {
  GatewayFixture fixture;
  const std::string first = fixture.SignIn();
  for (int i = 0; i < static_cast<int>(kPlayerSignOutBurst); ++i) {
    EXPECT_THAT(SignOut(fixture, Refresh(fixture, first)), IsOk());
  }
  EXPECT_THAT(SignOut(fixture, Refresh(fixture, first)), HasReason("RATE_LIMITED"));
  EXPECT_THAT(SignOut(fixture, fixture.SignIn("Bela")), IsOk());
  fixture.time.Advance(absl::Seconds(1 / kPlayerSignOutsPerSecond));
  EXPECT_THAT(SignOut(fixture, first), IsOk());
}

TEST(WireSignOutTest, NeedsAValidToken) {
  GatewayFixture fixture;
  const std::string token = fixture.SignIn();
  // The first half of the token has the id. The test changes a letter there, so the signature is
  // wrong.
  std::string forged = token;
  const std::size_t in_payload = token.find('.') + 60;
  forged[in_payload] = forged[in_payload] == 'A' ? 'B' : 'A';
  for (const std::string& bad : {std::string(), std::string("nonsense"), forged}) {
    EXPECT_THAT(SignOut(fixture, bad, true), HasReason("BAD_TOKEN"));
  }
  EXPECT_THAT(fixture.rules.player_admin.subjects(), ElementsAre());
}

// Older releases signed tokens without an id. Such a token must be valid until it expires.
TEST(WireSignOutTest, TokensOfOlderReleasesAreValidAndCanBeRevoked) {
  GatewayFixture fixture;
  const rpc::KeyRing keys({{.id = "k1", .secret = std::string(32, 'a')}});
  const PlayerId player = *PlayerId::Parse("00000000-0000-4000-8000-00000000a11a");
  const absl::Time end = fixture.time.Now() + absl::Hours(1);
  const std::string old = keys.Sign({.player = player, .display_name = "Anna"}, end);
  EXPECT_THAT(fixture.GetTable(old), IsOk());
  for (const char* info : {"x", "1:2:3", "00000000-0000-0000-0000-000000000000:1:2",
                           "00000000-0000-4000-8000-000000000001:1"}) {
    const std::string bad =
        keys.Sign({.player = player, .display_name = "Anna", .service = info}, end);
    EXPECT_THAT(fixture.GetTable(bad), HasReason("BAD_TOKEN")) << info;
  }
  ASSERT_THAT(SignOut(fixture, old), IsOk());
  EXPECT_THAT(fixture.GetTable(old), HasReason("BAD_TOKEN"));
  EXPECT_THAT(fixture.rules.player_admin.subjects(),
              ElementsAre("players/00000000-0000-4000-8000-00000000a11a"));
}

}  // namespace
}  // namespace tarot::gateway_service
