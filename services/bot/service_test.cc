#include <gmock/gmock.h>
#include <sys/resource.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "libs/ai/arena.h"
#include "libs/testkit/status_matchers.h"
#include "libs/wire/convert.h"
#include "services/bot/limits.h"
#include "services/bot/testing/service_fixture.h"

namespace tarot::bot_service {
namespace {

using testing::ElementsAre;
using testkit::HasReason;
using testkit::IsOk;

v1::ChooseActionRequest RequestFor(const rules::View& view) {
  v1::ChooseActionRequest request;
  wire::EncodeView(view, "fft", request.mutable_deal());
  request.set_level("club");
  request.set_seed(7);
  request.set_node_budget(2000);
  return request;
}

TEST_F(BotServiceTest, PlaysADealOverTheWire) {
  Rng rng(11);
  rules::Deal deal = ai::RandomDeal(rules::FindRuleSet("fft")->rules, 4, rng);
  while (deal.phase != rules::Phase::kDone) {
    const v1::ChooseActionRequest request = RequestFor(RememberedView(deal, deal.turn));
    v1::ChooseActionResponse first, again;
    ASSERT_THAT(Choose(request, &first), IsOk());
    ASSERT_THAT(Choose(request, &again), IsOk());
    EXPECT_EQ(first.SerializeAsString(), again.SerializeAsString());
    const auto action = wire::DecodeAction(first.action(), "action");
    ASSERT_THAT(action, IsOk());
    ASSERT_TRUE(Apply(deal, deal.turn, *action).ok());
  }
}

// Returns how many threads of this process have this nice value or a higher one.
int ThreadsWithNice(int nice) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    const auto thread = static_cast<id_t>(std::stoi(entry.path().filename()));
    count += getpriority(PRIO_PROCESS, thread) >= nice;
  }
  return count;
}

TEST_F(BotServiceTest, MovesGoFirstWhenBotsNeedAllProcessors) {
  // A thread sets its nice value when it starts to run.
  for (int i = 0; i < 1'000 && ThreadsWithNice(kWorkerNice) <= kAnalysisThreads; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_GT(ThreadsWithNice(kWorkerNice), kAnalysisThreads);
  EXPECT_GE(ThreadsWithNice(kAnalysisNice), kAnalysisThreads);
}

TEST_F(BotServiceTest, RefusesPlayersAndBadRequests) {
  Rng rng(12);
  const rules::Deal deal = ai::RandomDeal(rules::FindRuleSet("fft")->rules, 4, rng);
  v1::ChooseActionRequest request = RequestFor(RememberedView(deal, deal.turn));
  v1::ChooseActionResponse response;
  const rpc::Caller player{.player = {entropy_.NewUuid()}, .display_name = "Anna"};
  EXPECT_THAT(Choose(request, &response, player), HasReason("NOT_A_SERVICE"));
  request.mutable_deal()->set_rule_set("poker");
  EXPECT_THAT(Choose(request, &response), HasReason("BAD_REQUEST"));
  EXPECT_THAT(Choose({}, &response), HasReason("BAD_REQUEST"));
  EXPECT_THAT(Choose(RequestFor(RememberedView(deal, deal.dealer)), &response),
              HasReason("NOT_YOUR_TURN"));
}

// Sends requests with some changed bytes. The service must answer or refuse each request, and keep
// running.
TEST_F(BotServiceTest, SurvivesMutatedRequests) {
  Rng rng(13);
  rules::Deal deal = ai::RandomDeal(rules::FindRuleSet("fft")->rules, 5, rng);
  int refused = 0;
  while (deal.phase != rules::Phase::kDone) {
    const rules::View view = RememberedView(deal, deal.turn);
    const std::string good = RequestFor(view).SerializeAsString();
    for (int i = 0; i < 20; ++i) {
      std::string bytes = good;
      for (int changes = 1 + rng.Below(3); changes > 0; --changes) {
        // The first 12 bytes contain the name of the rule set. The test does not change them,
        // because the service would refuse an unknown name before it reads anything else.
        const int at = 12 + rng.Below(static_cast<int>(bytes.size()) - 12);
        bytes[static_cast<std::size_t>(at)] = static_cast<char>(rng.Below(128));
      }
      v1::ChooseActionRequest mutant;
      if (!mutant.ParseFromString(bytes)) continue;
      v1::ChooseActionResponse response;
      const absl::Status status = Choose(mutant, &response);
      if (status.ok()) continue;
      ASSERT_THAT(status, testing::AnyOf(HasReason("BAD_REQUEST"), HasReason("NOT_YOUR_TURN")));
      ++refused;
    }
    const ai::Decision next = ai::FindPolicy("novice")->Choose(view, Rng(0), {});
    ASSERT_TRUE(Apply(deal, deal.turn, next.action).ok());
  }
  EXPECT_GT(refused, 400);
}

TEST_F(BotServiceTest, ReturnsALegalActionBeforeTheDeadline) {
  Rng rng(14);
  rules::Deal deal = ai::RandomDeal(rules::FindRuleSet("fft")->rules, 4, rng);
  while (deal.cards_played < 9) {
    const bool first = deal.phase == rules::Phase::kBidding && deal.bid_count == 0;
    const auto next = ai::FindPolicy("novice")->Choose(RememberedView(deal, deal.turn), Rng(0), {});
    const auto prise = rules::Action::Bid(rules::Contract::kPrise);
    ASSERT_TRUE(Apply(deal, deal.turn, first ? prise : next.action).ok());
  }
  v1::ChooseActionRequest request = RequestFor(RememberedView(deal, deal.turn));
  request.set_node_budget(2'000'000);
  v1::ChooseActionResponse response;
  grpc::ClientContext context;
  // The deadline is shorter than kAnswerMargin, so the search must end at once.
  rpc::SetTimeout(context, absl::Milliseconds(25));
  rpc::Authenticator(*rpc::KeyRing::FromFile(key_file_), clock_)
      .Sign(context, {.service = "rules"});
  const absl::Status status = status::FromGrpc(stub_->ChooseAction(&context, request, &response));
  // On a busy machine the answer may still come too late. Then there is no action to check.
  if (status.ok()) {
    EXPECT_TRUE(response.stopped());
    const auto action = wire::DecodeAction(response.action(), "action");
    ASSERT_THAT(action, IsOk());
    EXPECT_TRUE(Check(deal, deal.turn, *action).ok());
  } else {
    EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  }
}

TEST_F(BotServiceTest, ListsTheLevelsForAllCallers) {
  grpc::ClientContext context;
  v1::ListLevelsResponse response;
  ASSERT_THAT(status::FromGrpc(stub_->ListLevels(&context, {}, &response)), IsOk());
  EXPECT_THAT(response.levels(), ElementsAre("novice", "club", "sociable", "strong", "expert"));
}

}  // namespace
}  // namespace tarot::bot_service
