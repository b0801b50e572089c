// Tests AnalyzeDeal over the wire.
#include <gmock/gmock.h>

#include "libs/ai/arena.h"
#include "libs/dealing/provenance.h"
#include "libs/testkit/status_matchers.h"
#include "libs/wire/convert.h"
#include "services/bot/testing/service_fixture.h"
#include "tarot/bot/v1/analysis_service.grpc.pb.h"

namespace tarot::bot_service {
namespace {

using testing::HasSubstr;
using testkit::HasReason;
using testkit::IsOk;

// Returns the record of a deal that novices played, in the form in which GetRecord returns records.
rules::v1::DealRecord Record(int players, std::uint8_t seed) {
  const rules::RuleSet& rules = rules::FindRuleSet("fft")->rules;
  dealing::Provenance from;
  from.seed.fill(seed);
  const rules::DealtCards cards =
      rules::DealOut(rules, players, 0, dealing::PackOf(rules, players, from));
  rules::Deal deal = rules::StartDeal(rules, players, 0, cards.hands, cards.dog);
  rules::v1::DealRecord record;
  record.set_procedure(2);
  record.set_seed(std::string(from.seed.begin(), from.seed.end()));
  record.set_rule_set("fft");
  record.set_dealer(static_cast<std::uint32_t>(deal.dealer));
  for (int seat = 0; seat < players; ++seat) {
    record.add_players();
    wire::EncodeCards(deal.dealt[static_cast<std::size_t>(seat)],
                      record.add_hands()->mutable_cards());
  }
  wire::EncodeCards(deal.dog, record.mutable_dog());
  while (deal.phase != rules::Phase::kDone) {
    auto decision = ai::FindPolicy("novice")->Choose(MakeView(deal, deal.turn), Rng(1), {});
    const bool first = deal.phase == rules::Phase::kBidding && deal.bid_count == 0;
    // With this bid, not all seats pass.
    if (first) decision.action = rules::Action::Bid(rules::Contract::kPrise);
    rules::v1::DealRecord::Entry* const entry = record.add_entries();
    entry->set_seat(static_cast<std::uint32_t>(deal.turn));
    wire::EncodeAction(decision.action, entry->mutable_action());
    EXPECT_TRUE(Apply(deal, deal.turn, decision.action).ok());
  }
  wire::EncodeResult(MakeView(deal, rules::kNoSeat), record.mutable_result());
  return record;
}

class AnalysisWireTest : public BotServiceTest {
 protected:
  void SetUp() override {
    BotServiceTest::SetUp();
    analysis_ = v1::AnalysisService::NewStub(
        rpc::MakeChannel(absl::StrCat("127.0.0.1:", service_->port())));
  }

  static v1::AnalyzeDealRequest Request(int players = 4) {
    v1::AnalyzeDealRequest request;
    *request.mutable_record() = Record(players, 6);
    request.set_level("club");
    request.set_node_budget(500);
    request.set_open_node_budget(2000);
    return request;
  }

  std::unique_ptr<grpc::ClientReader<v1::AnalyzeDealResponse>> Start(
      const v1::AnalyzeDealRequest& request, grpc::ClientContext& context,
      const rpc::Caller& caller) {
    rpc::SetTimeout(context, absl::Seconds(60));
    rpc::Authenticator(*rpc::KeyRing::FromFile(key_file_), clock_).Sign(context, caller);
    return analysis_->AnalyzeDeal(&context, request);
  }

  // Makes one call and appends all its messages to `responses`.
  absl::Status Call(const v1::AnalyzeDealRequest& request,
                    std::vector<v1::AnalyzeDealResponse>& responses) {
    grpc::ClientContext context;
    const auto reader = Start(request, context, player_);
    v1::AnalyzeDealResponse response;
    while (reader->Read(&response)) responses.push_back(response);
    return status::FromGrpc(reader->Finish());
  }

  const rpc::Caller player_{.player = {entropy_.NewUuid()}, .display_name = "Anna"};
  std::unique_ptr<v1::AnalysisService::Stub> analysis_;
};

TEST_F(AnalysisWireTest, StreamsEveryDecisionThenTheSummary) {
  for (const int players : {3, 5}) {
    const v1::AnalyzeDealRequest request = Request(players);
    std::vector<v1::AnalyzeDealResponse> responses;
    ASSERT_THAT(Call(request, responses), IsOk());
    const int entries = request.record().entries_size();
    ASSERT_EQ(static_cast<int>(responses.size()), entries + 1);
    std::vector<std::uint32_t> cost(static_cast<std::size_t>(players));
    for (int i = 0; i < entries; ++i) {
      const v1::AnalyzeDealResponse& response = responses[static_cast<std::size_t>(i)];
      EXPECT_EQ(response.decisions_done(), static_cast<std::uint32_t>(i + 1));
      EXPECT_EQ(response.decision().seat(), request.record().entries(i).seat());
      EXPECT_EQ(response.decision().played().SerializeAsString(),
                request.record().entries(i).action().SerializeAsString());
      cost[response.decision().seat()] += response.decision().expected_cost();
    }
    const v1::DealAnalysis& summary = responses.back().summary();
    ASSERT_EQ(summary.seats_size(), players);
    for (int seat = 0; seat < players; ++seat) {
      EXPECT_EQ(summary.seats(seat).expected_cost(), cost[static_cast<std::size_t>(seat)]);
    }
    std::vector<v1::AnalyzeDealResponse> again;
    ASSERT_THAT(Call(request, again), IsOk());
    EXPECT_EQ(again.back().SerializeAsString(), responses.back().SerializeAsString());
  }
}

TEST_F(AnalysisWireTest, RefusesBadRequests) {
  std::vector<v1::AnalyzeDealResponse> none;
  EXPECT_THAT(Call({}, none), HasReason("BAD_REQUEST"));
  v1::AnalyzeDealRequest request = Request();
  request.set_level("champion");
  EXPECT_THAT(Call(request, none), HasReason("BAD_REQUEST"));
  request = Request();
  request.set_open_node_budget(1'000'000'000'000);
  EXPECT_THAT(Call(request, none), HasReason("BAD_REQUEST"));
  request = Request();
  request.mutable_record()->mutable_dog()->Add(3);
  EXPECT_THAT(Call(request, none), HasReason("BAD_REQUEST"));
  request = Request();
  request.mutable_record()->mutable_entries(0)->set_seat(request.record().dealer());
  EXPECT_THAT(Call(request, none), HasReason("BAD_REQUEST"));
  EXPECT_TRUE(none.empty());
}

// The service must not analyze a deal in play, because a player could then ask for the best card.
TEST_F(AnalysisWireTest, RefusesDealsThatMayBeInPlay) {
  const auto problem_of = [&](const v1::AnalyzeDealRequest& request) {
    std::vector<v1::AnalyzeDealResponse> none;
    const absl::Status status = Call(request, none);
    EXPECT_THAT(status, HasReason("BAD_REQUEST"));
    EXPECT_TRUE(none.empty());
    return std::string(status.message());
  };
  v1::AnalyzeDealRequest unfinished = Request();
  unfinished.mutable_record()->mutable_entries()->RemoveLast();
  EXPECT_THAT(problem_of(unfinished), HasSubstr("to its end"));
  v1::AnalyzeDealRequest without_seed = Request();
  without_seed.mutable_record()->clear_seed();
  EXPECT_THAT(problem_of(without_seed), HasSubstr("must give the hands"));
  v1::AnalyzeDealRequest invented = Request();
  invented.mutable_record()->mutable_seed()->back() ^= 1;
  EXPECT_THAT(problem_of(invented), HasSubstr("must give the hands"));
  v1::AnalyzeDealRequest gathered = Request();
  for (std::uint32_t card = 0; card < 78; ++card) gathered.mutable_record()->add_gathered(card);
  EXPECT_THAT(problem_of(gathered), HasSubstr("without a shuffle"));
}

TEST_F(AnalysisWireTest, AllowsOneCancellableAnalysisPerPlayer) {
  v1::AnalyzeDealRequest request = Request();
  {
    grpc::ClientContext context;
    const auto reader = Start(request, context, {.service = "rules"});
    v1::AnalyzeDealResponse response;
    EXPECT_FALSE(reader->Read(&response));
    EXPECT_THAT(status::FromGrpc(reader->Finish()), HasReason("NOT_A_PLAYER"));
  }
  // With this budget, the analysis still runs at the second call.
  request.set_node_budget(1'000'000);
  grpc::ClientContext context;
  const auto reader = Start(request, context, player_);
  v1::AnalyzeDealResponse response;
  ASSERT_TRUE(reader->Read(&response));
  std::vector<v1::AnalyzeDealResponse> none;
  EXPECT_THAT(Call(request, none), HasReason("ANALYSIS_RUNNING"));
  context.TryCancel();
  while (reader->Read(&response)) continue;
  EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::CANCELLED);
  // The queue notices that the client is gone when it next calls Gone().
  absl::Status status;
  for (int i = 0; i < 2000; ++i) {
    std::vector<v1::AnalyzeDealResponse> responses;
    status = Call(Request(), responses);
    if (status.ok()) break;
    EXPECT_THAT(status, HasReason("ANALYSIS_RUNNING"));
    usleep(5000);
  }
  EXPECT_THAT(status, IsOk());
}

}  // namespace
}  // namespace tarot::bot_service
