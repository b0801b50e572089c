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
  for (int seat = 0; seat < 4; ++seat) analysis.summary.add_seats();
  analysis.summary.mutable_seats(1)->set_decisions(1);
  analysis.summary.mutable_seats(1)->set_expected_cost(2055);
  analysis.summary.mutable_seats(1)->set_open_cost(75);
  analysis.summary.add_turning_points(1);
  analysis.summary.add_mistakes(1);
  return analysis;
}

TEST(AnalysisReportTest, ShowsOnlyCostlyDecisions) {
  const std::string text = RenderAnalysis(Sample(), false, TextStyle(false));
  EXPECT_THAT(text, HasSubstr("play ♥R   play ♥4  20.55  0.75    -3.5  fails"));
  EXPECT_THAT(text, Not(HasSubstr("Ana       play ♥4")));
  EXPECT_THAT(text, HasSubstr("the contract failed, and is now made"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(RenderAnalysis(Sample(), true, TextStyle(false)), HasSubstr("1  A Ana"));
}

TEST(AnalysisReportTest, SaysWhenNoDecisionWasCostly) {
  DealAnalysis analysis = Sample();
  analysis.decisions.pop_back();
  analysis.summary.clear_turning_points();
  EXPECT_THAT(RenderAnalysis(analysis, false, TextStyle(false)),
              HasSubstr("No decision cost half a point."));
}

TEST(AnalysisReportTest, WritesValidJsonWithTheNumbers) {
  const std::string json = AnalysisJson(Sample());
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
  EXPECT_EQ(decision.at("margin").number_value(), -3.5);
  const auto& option = decision.at("options").list_value().values(1).struct_value().fields();
  EXPECT_EQ(option.at("expected").number_value(), -8.05);
  EXPECT_EQ(option.at("open_loss").kind_case(), google::protobuf::Value::kNullValue);
}

}  // namespace
}  // namespace tarot::cli
