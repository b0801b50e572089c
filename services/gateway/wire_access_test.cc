// Tests access over real gRPC connections: tokens, keys, limits, and the list of services.
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <set>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/base/cell.h"
#include "libs/base/clock.h"
#include "libs/rpc/call.h"
#include "libs/rpc/client_stream.h"
#include "libs/status/wire.h"
#include "libs/testkit/status_matchers.h"
#include "services/gateway/limits.h"
#include "services/gateway/testing/gateway_fixture.h"

namespace tarot::gateway_service {
namespace {

using testing::AllOf;
using testkit::HasReason;
using testkit::IsOk;
using testkit::StatusIs;

grpc::ByteBuffer EmptyMessage() {
  const grpc::Slice nothing("", 0);
  return grpc::ByteBuffer(&nothing, 1);
}

// A call of any method. It sends `messages`, and then the end of its messages if `ends` is true.
class RawStream final : public rpc::ClientBidiStream<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  RawStream(GatewayFixture& fixture, std::string token, std::string path,
            std::vector<grpc::ByteBuffer> messages, bool ends = true)
      : ClientBidiStream(fixture.time, std::nullopt),
        stub_(fixture.channel),
        token_(std::move(token)),
        path_(std::move(path)),
        messages_(std::move(messages)),
        ends_(ends) {}

  absl::Status Run() {
    Open();
    Wait();
    return status::FromGrpc(status_);
  }

 private:
  void BindLocked(grpc::ClientContext& context) override {
    rpc::SetTimeout(context, absl::Seconds(10));
    if (!token_.empty()) AddToken(context, token_);
    stub_.PrepareBidiStreamingCall(&context, path_, {}, this);
  }
  void OnOpen() override {
    const std::lock_guard lock(mutex());
    AdvanceLocked();
  }
  Next TakeLocked(grpc::ByteBuffer& request) override {
    if (written_ == messages_.size()) return ends_ ? Next::kEnd : Next::kNothing;
    request = messages_[written_++];
    return Next::kMessage;
  }
  void OnMessage(grpc::ByteBuffer&) override {}
  std::optional<absl::Duration> OnLost(const grpc::Status& status, int) override {
    status_ = status;
    return std::nullopt;
  }

  grpc::GenericStub stub_;
  const std::string token_, path_;
  const std::vector<grpc::ByteBuffer> messages_;
  const bool ends_;
  std::size_t written_ = 0;
  grpc::Status status_;
};

absl::Status RawCall(GatewayFixture& fixture, const std::string& token, const std::string& path,
                     const std::vector<grpc::ByteBuffer>& messages) {
  return std::make_shared<RawStream>(fixture, token, path, messages)->Run();
}

absl::Status Refresh(GatewayFixture& fixture, const std::string& token, std::string* fresh) {
  grpc::ClientContext context;
  AddToken(context, token);
  v1::RefreshSessionResponse response;
  const grpc::Status status = fixture.sessions->RefreshSession(&context, {}, &response);
  *fresh = response.session().token();
  return status::FromGrpc(status);
}

absl::Status SignInAs(GatewayFixture& fixture, const std::string& name) {
  grpc::ClientContext context;
  v1::CreateGuestSessionRequest request;
  request.set_display_name(name);
  v1::CreateGuestSessionResponse response;
  return status::FromGrpc(fixture.sessions->CreateGuestSession(&context, request, &response));
}

TEST(WireAccessTest, NoOrBadTokensAreUnauthenticated) {
  GatewayFixture fixture;
  const std::string good = fixture.SignIn();
  std::string forged = good;
  forged[forged.size() / 2] = forged[forged.size() / 2] == 'A' ? 'B' : 'A';
  for (const std::string& token : {std::string(), std::string("nonsense"), std::string("a.b.c"),
                                   forged, good + "x", std::string(2000, '.')}) {
    EXPECT_THAT(fixture.GetTable(token),
                AllOf(StatusIs(absl::StatusCode::kUnauthenticated), HasReason("BAD_TOKEN")))
        << token;
  }
  std::string fresh;
  EXPECT_THAT(Refresh(fixture, forged, &fresh), HasReason("BAD_TOKEN"));
  EXPECT_EQ(fixture.tables.gets, 0);
  EXPECT_EQ(fixture.Metric("tarot_gateway_bad_tokens_total"), 7);
  EXPECT_EQ(fixture.Metric("tarot_gateway_sign_ins_total", "refresh"), 0);
}

TEST(WireAccessTest, RefusesATokenOfAService) {
  GatewayFixture fixture;
  const rpc::KeyRing keys({{.id = "k1", .secret = std::string(32, 'a')}});
  EXPECT_THAT(fixture.GetTable(keys.Sign({.service = "matchmaking"}, absl::InfiniteFuture())),
              HasReason("BAD_TOKEN"));
}

TEST(WireAccessTest, TokensExpireUnlessRefreshed) {
  GatewayFixture fixture;
  const std::string first = fixture.SignIn();
  fixture.time.Advance(absl::Hours(6 * 24));
  ASSERT_THAT(fixture.GetTable(first), IsOk());
  const PlayerId before = fixture.tables.last_seen().caller.player;
  std::string second;
  ASSERT_THAT(Refresh(fixture, first, &second), IsOk());
  fixture.time.Advance(absl::Hours(2 * 24));
  EXPECT_THAT(fixture.GetTable(first), HasReason("BAD_TOKEN"));
  EXPECT_THAT(fixture.GetTable(second), IsOk());
  EXPECT_EQ(fixture.tables.last_seen().caller.player, before);
}

TEST(WireAccessTest, KeysRotateWithoutARestart) {
  GatewayFixture fixture;
  const std::string old_token = fixture.SignIn();
  fixture.WriteGatewayKeys(TestKey("k2", 'b') + TestKey("k1", 'a'));
  fixture.time.Advance(absl::Seconds(31));
  const std::string new_token = fixture.SignIn();
  EXPECT_TRUE(absl::StartsWith(new_token, "k2."));
  EXPECT_THAT(fixture.GetTable(old_token), IsOk());
  EXPECT_THAT(fixture.GetTable(new_token), IsOk());

  fixture.WriteGatewayKeys("not a key file");
  fixture.time.Advance(absl::Seconds(31));
  EXPECT_THAT(fixture.GetTable(old_token), IsOk()) << "A broken file changes nothing.";

  fixture.WriteGatewayKeys(TestKey("k2", 'b'));
  fixture.time.Advance(absl::Seconds(31));
  EXPECT_THAT(fixture.GetTable(old_token), HasReason("BAD_TOKEN"));
  EXPECT_THAT(fixture.GetTable(new_token), IsOk());
}

TEST(WireAccessTest, ForwardsNoInternalService) {
  GatewayFixture fixture;
  const std::string token = fixture.SignIn();
  for (const char* path :
       {"/tarot.rules.v1.TableAdminService/CreateTable", "/tarot.rules.v1.RefereeService/ScoreDeal",
        "/tarot.bot.v1.BotService/ChooseAction",
        "/tarot.ratings.v1.RatingIngestService/RecordMatch",
        "/tarot.matchmaking.v1.MatchmakingAdminService/ReleaseTable",
        "/tarot.rules.v1.TableService/NoSuchMethod", "/tarot.rules.v1.TableService/", "/", "/x/y",
        "/tarot.rules.v1.TableService/GetTable/"}) {
    EXPECT_THAT(
        RawCall(fixture, token, path, {EmptyMessage()}),
        AllOf(StatusIs(absl::StatusCode::kUnimplemented), HasReason("METHOD_NOT_FORWARDED")))
        << path;
  }
}

TEST(WireAccessTest, RefusesACallWithoutExactlyOneMessage) {
  GatewayFixture fixture;
  const std::string token = fixture.SignIn();
  const std::string path = "/tarot.rules.v1.TableService/GetTable";
  const grpc::ByteBuffer message = EmptyMessage();
  EXPECT_THAT(RawCall(fixture, token, path, {}), HasReason("BAD_REQUEST"));
  EXPECT_THAT(RawCall(fixture, token, path, {message, message}), HasReason("BAD_REQUEST"));
  EXPECT_THAT(
      RawCall(fixture, token, "/tarot.rules.v1.TableService/WatchTable", {message, message}),
      HasReason("BAD_REQUEST"));
  EXPECT_EQ(fixture.tables.gets, 0);
}

// Returns every method that players may call.
std::vector<std::string> PublicMethods() {
  std::vector<std::string> paths;
  for (const char* name : {"tarot.gateway.v1.SessionService", "tarot.rules.v1.TableService",
                           "tarot.rules.v1.RecordService", "tarot.rules.v1.RuleSetService",
                           "tarot.matchmaking.v1.MatchmakingService",
                           "tarot.matchmaking.v1.RoomService", "tarot.matchmaking.v1.FriendService",
                           "tarot.ratings.v1.RatingService", "tarot.bot.v1.AnalysisService"}) {
    const google::protobuf::ServiceDescriptor* const service =
        google::protobuf::DescriptorPool::generated_pool()->FindServiceByName(name);
    for (int i = 0; i < service->method_count(); ++i) {
      paths.push_back(absl::StrCat("/", name, "/", service->method(i)->name()));
    }
  }
  return paths;
}

TEST(WireAccessTest, AnswersBadRequestToAMalformedMessageOfEveryMethod) {
  GatewayFixture fixture;
  const std::string token = fixture.SignIn();
  const grpc::Slice garbage("\xff\xff\xff", 3);
  EXPECT_THAT(PublicMethods(), testing::SizeIs(testing::Ge(20)));
  for (const std::string& path : PublicMethods()) {
    // The gateway does not parse moves; the rules service does.
    if (path == "/tarot.rules.v1.TableService/SubmitAction") continue;
    EXPECT_THAT(RawCall(fixture, token, path, {grpc::ByteBuffer(&garbage, 1)}),
                AllOf(StatusIs(absl::StatusCode::kInvalidArgument), HasReason("BAD_REQUEST")))
        << path;
  }
}

// Adds `type` and the types of all messages inside it to `all`.
void Collect(const google::protobuf::Descriptor& type,
             std::set<const google::protobuf::Descriptor*>& all) {
  if (!all.insert(&type).second) return;
  for (int i = 0; i < type.field_count(); ++i) {
    if (const auto* inner = type.field(i)->message_type(); inner != nullptr) Collect(*inner, all);
  }
}

// Each screen that shows the name of a bot must also show that the player is a bot.
TEST(WireAccessTest, EveryMessageWithAPlayersNameSaysWhetherThePlayerIsABot) {
  std::set<const google::protobuf::Descriptor*> all;
  for (const std::string& path : PublicMethods()) {
    const std::vector<std::string> parts = absl::StrSplit(path, '/');
    Collect(*google::protobuf::DescriptorPool::generated_pool()
                 ->FindServiceByName(parts[1])
                 ->FindMethodByName(parts[2])
                 ->output_type(),
            all);
  }
  std::vector<std::string> with_name;
  for (const google::protobuf::Descriptor* type : all) {
    // A queue also has a display name, but this is not the name of a player.
    if (type->FindFieldByName("display_name") == nullptr ||
        type->full_name() == "tarot.matchmaking.v1.Queue") {
      continue;
    }
    with_name.push_back(type->full_name());
    // These messages need no field `bot`, because only people sign in and have accounts.
    if (type->full_name() == "tarot.gateway.v1.Session") continue;
    if (type->full_name() == "tarot.gateway.v1.Account") continue;
    // A friend is never a bot, because FriendService refuses bots.
    if (type->full_name() == "tarot.matchmaking.v1.Friend") continue;
    EXPECT_TRUE(type->FindFieldByName("bot") != nullptr ||
                type->FindFieldByName("bot_level") != nullptr)
        << type->full_name();
  }
  EXPECT_THAT(with_name,
              testing::IsSupersetOf({"tarot.rules.v1.Seat", "tarot.rules.v1.DealRecord.Player",
                                     "tarot.ratings.v1.Rating", "tarot.ratings.v1.PlayedSeat"}));
}

TEST(WireAccessTest, RefusesTheNameOfARankedPlayer) {
  GatewayFixture fixture([](Options& options) { options.sign_in_burst = 10'000; });
  fixture.rules.player_admin.SetRankedNames({"Zoë", "Bela"});
  EXPECT_TRUE(fixture.Eventually([&] {  // The gateway may not have the first list of names yet.
    fixture.time.Advance(kRankedNamesInterval);
    return !SignInAs(fixture, "Bela").ok();
  }));
  EXPECT_THAT(SignInAs(fixture, "Bela"),
              AllOf(StatusIs(absl::StatusCode::kAlreadyExists), HasReason("NAME_TAKEN")));
  EXPECT_THAT(SignInAs(fixture, "BELA"), HasReason("NAME_TAKEN"));
  EXPECT_THAT(SignInAs(fixture, "Anna"), IsOk());
  fixture.rules.player_admin.away = true;
  fixture.time.Advance(2 * kRankedNamesInterval);
  EXPECT_THAT(SignInAs(fixture, "Zoë"), HasReason("NAME_TAKEN")) << "The last list stays in use.";
}

TEST(WireAccessTest, GivesNoSlotToACallWithoutItsRequestAndCancelsTheCall) {
  GatewayFixture fixture([](Options& options) { options.calls.all = 1; });
  const std::string anna = fixture.SignIn("Anna");
  std::vector<std::future<absl::Status>> silent;
  for (int i = 0; i < 8; ++i) {
    silent.push_back(std::async(std::launch::async, [&] {
      return std::make_shared<RawStream>(fixture, anna, "/tarot.rules.v1.TableService/GetTable",
                                         std::vector<grpc::ByteBuffer>(), /*ends=*/false)
          ->Run();
    }));
  }
  const std::string series = "grpc_server_started_total";
  ASSERT_TRUE(Eventually([&] { return fixture.Metric(series, "GetTable") >= 8; }));
  EXPECT_THAT(fixture.GetTable(fixture.SignIn("Bela")), IsOk());
  fixture.time.Advance(absl::Seconds(4));
  EXPECT_EQ(silent[0].wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  for (int i = 0; i < 3; ++i) fixture.time.Advance(absl::Seconds(1));
  for (auto& call : silent) {
    EXPECT_THAT(call.get(), StatusIs(absl::StatusCode::kCancelled));
  }
  EXPECT_THAT(fixture.GetTable(anna), IsOk());
}

// Calls that stay open until the end of the test.
class OpenCalls {
 public:
  explicit OpenCalls(GatewayFixture& fixture) : fixture_(fixture) {}
  ~OpenCalls() {
    for (const auto& call : calls_) call->Close();
    for (const auto& call : calls_) call->Wait();
  }
  void Open(const std::string& token, const std::string& path,
            const std::vector<grpc::ByteBuffer>& messages, bool ends) {
    calls_.push_back(std::make_shared<RawStream>(fixture_, token, path, messages, ends));
    calls_.back()->Open();
  }

 private:
  GatewayFixture& fixture_;
  std::vector<std::shared_ptr<RawStream>> calls_;
};

TEST(WireAccessTest, LimitsTheIncompleteCallsOfAPlayerAndOfAnAddress) {
  constexpr int kPlayers = kIncompleteCallsPerAddressMax / kIncompleteCallsPerPlayerMax;
  GatewayFixture fixture([](Options& options) { options.address_calls_per_second = 1e6; });
  const std::string path = "/tarot.rules.v1.TableService/GetTable";
  OpenCalls open(fixture);
  for (int i = 0; i < kPlayers; ++i) {
    const std::string player = fixture.SignIn(absl::StrCat("Player ", i));
    for (int n = 0; n < kIncompleteCallsPerPlayerMax; ++n) open.Open(player, path, {}, false);
    const double calls = (i + 1) * kIncompleteCallsPerPlayerMax + i;
    ASSERT_TRUE(Eventually(
        [&] { return fixture.Metric("grpc_server_started_total", "GetTable") == calls; }));
    EXPECT_THAT(fixture.GetTable(player), HasReason("RATE_LIMITED")) << i;
  }
  EXPECT_THAT(fixture.GetTable(fixture.SignIn("Bela")), HasReason("RATE_LIMITED"))
      << "the address has too many incomplete calls";
  EXPECT_EQ(fixture.Metric("tarot_gateway_rate_limited_total", "in_flight"), kPlayers + 1);
}

TEST(WireAccessTest, LimitsTheListsInFlightOfAPlayerAndOfAnAddress) {
  constexpr int kPlayers = kListsPerAddressMax / kListsPerPlayerMax;
  GatewayFixture fixture;
  const std::string path = "/tarot.rules.v1.TableService/ListTables";
  rules::v1::ListTablesRequest request;
  request.set_page_token(FakeTables::kNeverToken);
  const grpc::Slice bytes(request.SerializeAsString());
  const std::vector<grpc::ByteBuffer> messages = {grpc::ByteBuffer(&bytes, 1)};
  OpenCalls open(fixture);
  for (int i = 0; i < kPlayers; ++i) {
    const std::string player = fixture.SignIn(absl::StrCat("Player ", i));
    for (int n = 0; n < kListsPerPlayerMax; ++n) open.Open(player, path, messages, true);
    const int lists = (i + 1) * kListsPerPlayerMax;
    ASSERT_TRUE(Eventually([&] { return fixture.tables.waiting_lists == lists; }));
    EXPECT_THAT(RawCall(fixture, player, path, messages), HasReason("RATE_LIMITED")) << i;
    EXPECT_THAT(fixture.GetTable(player), IsOk()) << "other calls have slots of their own";
  }
  EXPECT_THAT(RawCall(fixture, fixture.SignIn("Bela"), path, messages), HasReason("RATE_LIMITED"))
      << "the address has too many lists in flight";
}

TEST(WireAccessTest, LimitsTheAnalysesOfAPlayerAndOfAnAddress) {
  constexpr int kPlayers = kAnalysesPerAddressMax / kAnalysesPerPlayerMax;
  GatewayFixture fixture;
  const std::string path = "/tarot.bot.v1.AnalysisService/AnalyzeDeal";
  OpenCalls open(fixture);
  for (int i = 0; i < kPlayers; ++i) {
    const std::string player = fixture.SignIn(absl::StrCat("Player ", i));
    for (int n = 0; n < kAnalysesPerPlayerMax; ++n) open.Open(player, path, {EmptyMessage()}, true);
    const int analyses = (i + 1) * kAnalysesPerPlayerMax;
    ASSERT_TRUE(Eventually([&] { return fixture.rules.analyses.waiting == analyses; }));
    EXPECT_THAT(RawCall(fixture, player, path, {EmptyMessage()}), HasReason("RATE_LIMITED")) << i;
  }
  EXPECT_THAT(RawCall(fixture, fixture.SignIn("Bela"), path, {EmptyMessage()}),
              HasReason("RATE_LIMITED"))
      << "the address has too many analyses";
}

TEST(WireAccessTest, ForwardsNoCallThatThePlayerResetsBeforeItsEnd) {
  GatewayFixture fixture;
  const std::string anna = fixture.SignIn("Anna");
  for (int i = 0; i < 50; ++i) {
    const auto call =
        std::make_shared<RawStream>(fixture, anna, "/tarot.rules.v1.TableService/GetTable",
                                    std::vector<grpc::ByteBuffer>{EmptyMessage()}, /*ends=*/false);
    call->Open();
    ASSERT_TRUE(Eventually(
        [&] { return fixture.Metric("grpc_server_msg_received_total", "GetTable") == i + 1; }));
    call->Close();
    call->Wait();
  }
  fixture.gateway->Shutdown();  // Waits for the end of all calls.
  EXPECT_EQ(fixture.Metric("grpc_client_started_total", "GetTable"), 0);
}

TEST(WireAccessTest, LimitsThePlayersRate) {
  GatewayFixture fixture([](Options& options) {
    options.calls_per_second = 0.5;
    options.call_burst = 2;
  });
  const std::string anna = fixture.SignIn("Anna");
  EXPECT_THAT(fixture.GetTable(anna), IsOk());
  EXPECT_THAT(fixture.GetTable(anna), IsOk());
  const absl::Status refused = fixture.GetTable(anna);
  EXPECT_THAT(refused,
              AllOf(StatusIs(absl::StatusCode::kResourceExhausted), HasReason("RATE_LIMITED")));
  EXPECT_EQ(GetErrorDetails(refused).metadata.at("retry_after_seconds"), "2");
  EXPECT_EQ(fixture.tables.gets, 2);
  EXPECT_EQ(fixture.Metric("tarot_gateway_rate_limited_total", "calls"), 1);
  EXPECT_THAT(fixture.GetTable(fixture.SignIn("Bela")), IsOk());
  fixture.time.Advance(absl::Seconds(2));
  EXPECT_THAT(fixture.GetTable(anna), IsOk());
}

TEST(WireAccessTest, UsesTheLimitsThatOperatorsHaveSet) {
  GatewayFixture fixture([](Options& options) { options.call_burst = 5; });
  const std::string anna = fixture.SignIn("Anna");
  const auto shown = [&](const std::string& limit, double value) {
    return fixture.Eventually(
        [&] { return fixture.Metric("tarot_gateway_limit", limit) == value; });
  };
  EXPECT_EQ(fixture.Metric("tarot_gateway_limit", "call_burst"), 5);
  EXPECT_EQ(fixture.Metric("tarot_gateway_limit", "streams_max"), 50'000);
  // The gateway knows no limit "later_release", and 0 is no value of sign_in_burst.
  fixture.rules.player_admin.SetLimits({{"calls_per_second", 1},
                                        {"call_burst", 12},
                                        {"streams_max", 100},
                                        {"sign_in_burst", 0},
                                        {"later_release", 7}});
  ASSERT_TRUE(shown("call_burst", 12));
  EXPECT_EQ(fixture.Metric("tarot_gateway_limit", "calls_per_second"), 1);
  EXPECT_EQ(fixture.Metric("tarot_gateway_limit", "sign_in_burst"), 100);
  for (int i = 0; i < 12; ++i) EXPECT_THAT(fixture.GetTable(anna), IsOk());
  EXPECT_THAT(fixture.GetTable(anna), HasReason("RATE_LIMITED"));
  // If ratings does not answer, the limits stay.
  fixture.rules.player_admin.away = true;
  fixture.time.Advance(kRevocationsInterval);
  EXPECT_EQ(fixture.Metric("tarot_gateway_limit", "call_burst"), 12);
  fixture.rules.player_admin.away = false;
  // An operator takes the limits back. The gateway uses its options again.
  fixture.rules.player_admin.SetLimits({});
  ASSERT_TRUE(shown("call_burst", 5));
  EXPECT_EQ(fixture.Metric("tarot_gateway_limit", "calls_per_second"), 100);
}

// All players of the fixture have the address 127.0.0.1.
TEST(WireAccessTest, LimitsEachPlayerOfAnAddressThatCallsTooOften) {
  GatewayFixture fixture([](Options& options) { options.address_calls_per_second = 30; });
  const std::string anna = fixture.SignIn("Anna"), bela = fixture.SignIn("Bela");
  const auto accepted = [&](const std::string& token) {
    int count = 0;
    while (count < 100 && fixture.GetTable(token).ok()) ++count;
    return count;
  };
  EXPECT_EQ(accepted(anna), 30 + kCrowdedBurst);
  EXPECT_EQ(accepted(bela), kCrowdedBurst) << "Anna's calls cost Bela nothing of this.";
  fixture.time.Advance(absl::Seconds(1));
  EXPECT_THAT(fixture.GetTable(bela), IsOk());
}

TEST(WireAccessTest, AListCostsAsMuchAsManyCalls) {
  GatewayFixture fixture([](Options& options) {
    options.calls_per_second = 1;
    options.call_burst = 3;
  });
  const std::string token = fixture.SignIn();
  ASSERT_THAT(fixture.GetTable(token), IsOk());
  grpc::ClientContext context;
  AddToken(context, token);
  rules::v1::ListTablesResponse response;
  // The fake service answers UNIMPLEMENTED, so the gateway has forwarded the call.
  EXPECT_EQ(fixture.stub->ListTables(&context, {}, &response).error_code(),
            grpc::StatusCode::UNIMPLEMENTED);
  EXPECT_THAT(fixture.GetTable(token), HasReason("RATE_LIMITED"));
}

// One player floods the gateway with calls that get no answer, with streams and with sign-ins. The
// other players must still get their answers soon.
TEST(WireAccessTest, AFloodSlowsNoOtherPlayer) {
  GatewayFixture fixture([](Options& options) {
    options.calls_per_second = 1e6;
    options.call_burst = 1e6;
    // The flood has 16 threads, so some of its calls are refused.
    options.calls.per_player = 14;
    options.sign_ins_per_second = 1;
    options.sign_in_burst = 10;
  });
  const std::string flooder = fixture.SignIn("Flood");
  const std::string anna = fixture.SignIn("Anna");
  std::atomic<bool> stopping = false;
  std::atomic<int> refused = 0;
  std::vector<std::thread> flood;
  for (int i = 0; i < 16; ++i) {
    flood.emplace_back([&] {
      while (!stopping) {
        const absl::Status answer =
            fixture.GetTable(flooder, fixture.tables.never, absl::Milliseconds(500));
        if (absl::IsResourceExhausted(answer)) ++refused;
        if (absl::IsResourceExhausted(SignInAs(fixture, "Flood"))) ++refused;
        grpc::ClientContext context;
        AddToken(context, flooder);
        auto reader = fixture.stub->WatchTable(&context, {});
        rules::v1::WatchTableResponse response;
        (void)reader->Read(&response);
        context.TryCancel();
        (void)reader->Finish();
      }
    });
  }
  std::vector<absl::Duration> times;
  for (int i = 0; i < 200; ++i) {
    const Stopwatch watch;
    EXPECT_THAT(fixture.GetTable(anna), IsOk());
    times.push_back(watch.Elapsed());
  }
  stopping = true;
  for (std::thread& thread : flood) thread.join();
  std::sort(times.begin(), times.end());
  EXPECT_LT(times[times.size() / 2], absl::Milliseconds(250))
      << "Even a busy machine answers within this time.";
  EXPECT_GT(refused, 100);
  EXPECT_GT(fixture.Metric("tarot_gateway_rate_limited_total", "in_flight"), 0);
  EXPECT_GT(fixture.Metric("tarot_gateway_rate_limited_total", "sign_ins"), 0);
}

TEST(WireAccessTest, LimitsAllPlayersTogether) {
  GatewayFixture fixture([](Options& options) { options.calls.all = 1; });
  const std::string anna = fixture.SignIn("Anna");
  std::thread waiting(
      [&] { (void)fixture.GetTable(anna, fixture.tables.never, absl::Seconds(1)); });
  ASSERT_TRUE(fixture.Eventually([&] { return fixture.tables.gets == 1; }));
  EXPECT_THAT(fixture.GetTable(fixture.SignIn("Bela")),
              AllOf(StatusIs(absl::StatusCode::kUnavailable), HasReason("OVERLOADED")));
  waiting.join();
  EXPECT_TRUE(fixture.Eventually([&] { return fixture.GetTable(anna).ok(); }));
  EXPECT_GE(fixture.Metric("tarot_gateway_overloaded_total"), 1);
}

TEST(WireAccessTest, ACellThatDoesNotAnswerLeavesTheSlotsOfTheOtherCells) {
  testkit::ManualTime time;
  FakeReplica one(time);  // The only replica of cell 1.
  GatewayFixture fixture([&](Options& options) {
    options.calls.all = 2;  // Each of the two cells has one slot.
    options.rules_address = absl::StrCat("0=", options.rules_address, ";1=", one.address());
  });
  SeededEntropy entropy(2);
  const auto new_table = [&](int cell) {
    return absl::StrCat("tables/", NewTableUuid(entropy, time.Now(), cell).ToString());
  };
  one.tables.never = new_table(1);
  const std::string anna = fixture.SignIn("Anna");
  std::thread waiting([&] { (void)fixture.GetTable(anna, one.tables.never, absl::Seconds(5)); });
  ASSERT_TRUE(fixture.Eventually([&] { return one.tables.gets == 1; }));
  const std::string bela = fixture.SignIn("Bela");
  EXPECT_THAT(fixture.GetTable(bela, new_table(1)), HasReason("OVERLOADED"));
  EXPECT_THAT(fixture.GetTable(bela, new_table(0)), IsOk());
  waiting.join();
}

TEST(WireAccessTest, LimitsTheSignInsOfAnAddress) {
  GatewayFixture fixture([](Options& options) {
    options.sign_ins_per_second = 1;
    options.sign_in_burst = 2;
  });
  EXPECT_THAT(SignInAs(fixture, "Anna"), IsOk());
  EXPECT_THAT(SignInAs(fixture, "An\na"), HasReason("BAD_REQUEST"));
  EXPECT_THAT(SignInAs(fixture, "Bela"), HasReason("RATE_LIMITED"));
  EXPECT_EQ(fixture.Metric("tarot_gateway_rate_limited_total", "sign_ins"), 1);
  fixture.time.Advance(absl::Seconds(1));
  EXPECT_THAT(SignInAs(fixture, "Bela"), IsOk());
  EXPECT_EQ(fixture.Metric("tarot_gateway_sign_ins_total", "guest"), 2);
}

}  // namespace
}  // namespace tarot::gateway_service
