#include "services/gateway/transport/presence_reports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/registry.h>

#include <mutex>
#include <string>

#include "absl/strings/str_cat.h"
#include "libs/base/entropy.h"
#include "libs/rpc/call.h"
#include "libs/rpc/server.h"
#include "libs/testkit/manual_time.h"
#include "libs/testkit/status_matchers.h"
#include "services/gateway/limits.h"
#include "services/gateway/testing/gateway_fixture.h"

namespace tarot::gateway_service {
namespace {

namespace mm = ::tarot::matchmaking::v1;

// A matchmaking service that collects the reported players.
class FakeMatchmaking final : public mm::MatchmakingAdminService::CallbackService {
 public:
  grpc::ServerUnaryReactor* MarkOnline(grpc::CallbackServerContext* context,
                                       const mm::MarkOnlineRequest* request,
                                       mm::MarkOnlineResponse*) override {
    const std::lock_guard lock(mutex_);
    players_.insert(players_.end(), request->players().begin(), request->players().end());
    sizes_.push_back(request->players_size());
    auto* const reactor = context->DefaultReactor();
    reactor->Finish(answer_);
    return reactor;
  }
  void set_answer(const grpc::Status& answer) {
    const std::lock_guard lock(mutex_);
    answer_ = answer;
  }
  std::vector<std::string> players() {
    const std::lock_guard lock(mutex_);
    return players_;
  }
  std::vector<int> sizes() {
    const std::lock_guard lock(mutex_);
    return sizes_;
  }

 private:
  std::mutex mutex_;
  grpc::Status answer_;
  std::vector<std::string> players_;
  std::vector<int> sizes_;
};

class PresenceReportsTest : public testing::Test {
 protected:
  PresenceReportsTest() { reports_.Start(); }
  ~PresenceReportsTest() override { reports_.Stop(); }

  void AddPlayers(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) active_.push_back(PlayerId{entropy_.NewUuid()});
  }

  SeededEntropy entropy_{3};
  testkit::ManualTime time_;
  prometheus::Registry registry_;
  rpc::CallMetrics calls_{rpc::Side::kClient, registry_};
  const rpc::Authenticator identity_{rpc::KeyRing({{.id = "in", .secret = std::string(32, 'i')}}),
                                     time_};
  FakeMatchmaking matchmaking_;
  const std::unique_ptr<rpc::Server> server_ =
      rpc::Server::Start({.address = "127.0.0.1:0"}, {&matchmaking_}).value();
  std::vector<PlayerId> active_;
  PresenceReports reports_{rpc::MakeChannel(absl::StrCat("127.0.0.1:", server_->port())), identity_,
                           [this] { return active_; }, time_, calls_};
};

TEST_F(PresenceReportsTest, ReportsTheActivePlayersEveryInterval) {
  time_.Advance(kPresenceInterval);
  EXPECT_TRUE(matchmaking_.sizes().empty()) << "Without a player, no call is needed.";
  AddPlayers(1);
  const std::string player = absl::StrCat("players/", active_[0].ToString());
  for (std::size_t reports = 1; reports <= 2; ++reports) {
    time_.Advance(kPresenceInterval);
    EXPECT_TRUE(Eventually([&] { return matchmaking_.players().size() == reports; }));
  }
  EXPECT_THAT(matchmaking_.players(), testing::Each(player));
}

TEST_F(PresenceReportsTest, SplitsManyPlayersAndDropsTheRestAfterAFailure) {
  AddPlayers(kPresenceBatch + 1);
  time_.Advance(kPresenceInterval);
  EXPECT_TRUE(Eventually([&] { return matchmaking_.sizes().size() == 2; }));
  EXPECT_THAT(matchmaking_.sizes(), testing::ElementsAre(kPresenceBatch, 1));
  matchmaking_.set_answer({grpc::StatusCode::UNAVAILABLE, "away"});
  for (std::size_t calls = 3; calls <= 4; ++calls) {
    time_.Advance(kPresenceInterval);
    EXPECT_TRUE(Eventually([&] { return matchmaking_.sizes().size() == calls; }));
  }
  EXPECT_THAT(matchmaking_.sizes(),
              testing::ElementsAre(kPresenceBatch, 1, kPresenceBatch, kPresenceBatch));
}

// A player who only reads pages, for example of the ladder, has no stream, ticket or seat.
TEST(GatewayPresenceTest, APlayerWithoutAStreamIsReportedOnceForTheCallsOfAnInterval) {
  FakeMatchmaking matchmaking;
  const std::unique_ptr<rpc::Server> server =
      rpc::Server::Start({.address = "127.0.0.1:0"}, {&matchmaking}).value();
  GatewayFixture fixture([&](Options& options) {
    options.matchmaking_address = absl::StrCat("127.0.0.1:", server->port());
  });
  const std::string reader = fixture.SignIn("Anna"), other = fixture.SignIn("Bela");
  EXPECT_THAT(fixture.GetTable("forged"), testkit::HasReason("BAD_TOKEN"));
  for (int calls = 0; calls < 3; ++calls) EXPECT_THAT(fixture.GetTable(reader), testkit::IsOk());
  const std::string name =
      absl::StrCat("players/", fixture.tables.last_seen().caller.player.ToString());
  fixture.time.Advance(kPresenceInterval);
  EXPECT_TRUE(Eventually([&] { return !matchmaking.players().empty(); }));
  EXPECT_THAT(matchmaking.players(), testing::ElementsAre(name));
  // Without a further call of the first player, the next report has only the second player.
  EXPECT_THAT(fixture.GetTable(other), testkit::IsOk());
  fixture.time.Advance(kPresenceInterval);
  EXPECT_TRUE(Eventually([&] { return matchmaking.sizes().size() == 2; }));
  EXPECT_THAT(matchmaking.sizes(), testing::ElementsAre(1, 1));
  EXPECT_NE(matchmaking.players()[1], name);
}

}  // namespace
}  // namespace tarot::gateway_service
