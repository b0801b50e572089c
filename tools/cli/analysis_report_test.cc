#include "tools/cli/analysis_report.h"

#include <gmock/gmock.h>

#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"
#include "libs/wire/convert.h"

namespace tarot::cli {
namespace {

using rules::Action;
using testing::HasSubstr;
using testing::Not;

// The analysis has two decisions: a forced one, and one that cost points and changed the outcome.
DealAnalysis Sample() {
  DealAnalysis analysis;
  analysis.record.site = "tables/x/deals/1";
  analysis.record.rule_set = "fft";
  analysis.record.names = {"Ana", "B\"ert\x1b[2J", "Chloé", "Driss"};
  analysis.level = "expert";
  analysis.end.taker = 1;
  analysis.end.result.scores = {-30, 90, -30, -30, 0};
  const Action low = Action::Play(rules::SuitCard(rules::Suit::kHearts, 4));
  const Action high = Action::Play(rules::SuitCard(rules::Suit::kHearts, 14));
  bot::v1::DecisionAnalysis& forced = analysis.decisions.emplace_back();
  wire::EncodeAction(low, forced.mutable_played());
  forced.set_forced(true);
  bot::v1::DecisionAnalysis& dear = analysis.decisions.emplace_back();
  dear.set_entry(1);
  dear.set_seat(1);
  wire::EncodeAction(high, dear.mutable_played());
  dear.set_worlds(40);
  auto* const better = dear.add_options();
  wire::EncodeAction(low, better->mutable_action());
  better->set_expected(1250);
  better->set_open_loss(0);
  auto* const played = dear.add_options();
  wire::EncodeAction(high, played->mutable_action());
  played->set_expected(-805);
  dear.set_expected_cost(2055);
  dear.set_open_cost(75);
  dear.set_margin(-7);
  dear.set_contract_made(false);
  wire::EncodeAction(low, dear.mutable_better());
  dear.set_cost_low(1500);
  dear.set_cost_high(2600);
  bot::v1::Reason* const reason = dear.add_reasons();
  reason->set_kind(bot::v1::Reason::SUIT_RUFFED);
  reason->set_card(27);
  reason->set_suit(1);
  reason->set_seat(2);
  reason->set_trick(3);
  for (int seat = 0; seat < 4; ++seat) analysis.summary.add_seats();
  analysis.summary.mutable_seats(1)->set_decisions(1);
  analysis.summary.mutable_seats(1)->set_expected_cost(2055);
  analysis.summary.mutable_seats(1)->set_open_cost(75);
  analysis.summary.add_turning_points(1);
  analysis.summary.add_mistakes(1);
  return analysis;
}

TEST(AnalysisReportTest, ShowsOnlyCostlyDecisions) {
  const std::string text = RenderAnalysis(Sample(), false, Language::kEnglish, TextStyle(false));
  EXPECT_THAT(text, HasSubstr("play ♥R   play ♥4  20.55  15.0 to 26.0  0.75    -3.5  fails"));
  EXPECT_THAT(text, Not(HasSubstr("Ana       play ♥4")));
  EXPECT_THAT(text, HasSubstr("the contract failed, and is now made"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(RenderAnalysis(Sample(), true, Language::kEnglish, TextStyle(false)),
              HasSubstr("1  A Ana"));
}

TEST(AnalysisReportTest, TellsIntervalsAndReasonsInBothLanguages) {
  const std::string text = RenderAnalysis(Sample(), false, Language::kEnglish, TextStyle(false));
  EXPECT_THAT(text, HasSubstr("cost 20.6 (15.0 to 26.0)"));
  EXPECT_THAT(text, HasSubstr("C Chloé has had no hearts since trick 3 and may trump the King of "
                              "hearts."));
  const std::string french = RenderAnalysis(Sample(), false, Language::kFrench, TextStyle(false));
  EXPECT_THAT(french, HasSubstr("coût 20,6 (15,0 à 26,0)"));
  EXPECT_THAT(french, HasSubstr("C Chloé n’a plus de cœur depuis le pli 3 et peut couper le Roi de "
                                "cœur."));
}

TEST(AnalysisReportTest, ACostWithZeroInItsIntervalIsNoFault) {
  DealAnalysis analysis = Sample();
  analysis.decisions[1].set_cost_low(-10);
  analysis.decisions[1].clear_better();
  const std::string text = RenderAnalysis(analysis, false, Language::kEnglish, TextStyle(false));
  EXPECT_THAT(text, HasSubstr("20.55  -0.1 to 26.0"));
  EXPECT_THAT(text, Not(HasSubstr("Faults:")));
}

TEST(AnalysisReportTest, ShowsWhatABidCouldExpect) {
  DealAnalysis analysis = Sample();
  bot::v1::DecisionAnalysis& bid = analysis.decisions[0];
  bid.set_forced(false);
  wire::EncodeAction(Action::Bid(rules::Contract::kPass), bid.mutable_played());
  bid.mutable_hand()->set_trumps(9);
  for (const std::uint32_t bout : {76u, 77u}) bid.mutable_hand()->add_bouts(bout);
  for (const std::uint32_t length : {5u, 1u, 0u, 2u}) bid.mutable_hand()->add_suit_lengths(length);
  auto* const garde = bid.add_options();
  wire::EncodeAction(Action::Bid(rules::Contract::kGarde), garde->mutable_action());
  garde->set_expected(3420);
  garde->set_contract_chance(618);
  garde->set_low(-15000);
  garde->set_high(21000);
  const std::string text = RenderAnalysis(analysis, false, Language::kEnglish, TextStyle(false));
  EXPECT_THAT(text, HasSubstr("Passe: 9 trumps, 2 bouts (21, Excuse), 5 spades, a single heart, no "
                              "diamonds"));
  EXPECT_THAT(
      text, HasSubstr("Garde: expected 34.2, made in 62 %, eight of ten results from -150 to 210"));
}

TEST(AnalysisReportTest, SaysWhenNoDecisionWasCostly) {
  DealAnalysis analysis = Sample();
  analysis.decisions.pop_back();
  analysis.summary.clear_turning_points();
  EXPECT_THAT(RenderAnalysis(analysis, false, Language::kEnglish, TextStyle(false)),
              HasSubstr("No decision cost half a point."));
}

TEST(AnalysisReportTest, WritesValidJsonWithTheNumbers) {
  const std::string json = AnalysisJson(Sample(), Language::kEnglish);
  google::protobuf::Struct parsed;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(json, &parsed).ok()) << json;
  const auto& fields = parsed.fields();
  EXPECT_EQ(fields.at("taker").string_value(), "B");
  EXPECT_EQ(fields.at("partner").kind_case(), google::protobuf::Value::kNullValue);
  const auto& decision = fields.at("decisions").list_value().values(1).struct_value().fields();
  EXPECT_EQ(decision.at("number").number_value(), 2) << "as the text counts";
  for (const char* list : {"turning_points", "mistakes"}) {
    EXPECT_EQ(fields.at(list).list_value().values(0).number_value(), 2) << list;
  }
  EXPECT_EQ(decision.at("expected_cost").number_value(), 20.55);
  EXPECT_EQ(decision.at("cost_low").number_value(), 15);
  EXPECT_EQ(decision.at("reasons").list_value().values_size(), 1);
  EXPECT_EQ(decision.at("margin").number_value(), -3.5);
  const auto& option = decision.at("options").list_value().values(1).struct_value().fields();
  EXPECT_EQ(option.at("expected").number_value(), -8.05);
  EXPECT_EQ(option.at("open_loss").kind_case(), google::protobuf::Value::kNullValue);
}

}  // namespace
}  // namespace tarot::cli
