#include "tools/tarotctl/analysis/report.h"

#include <gmock/gmock.h>

#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"

namespace tarot::tarotctl {
namespace {

using rules::Action;
using testing::HasSubstr;
using testing::Not;

// Two decisions: one forced, one that cost and turned the deal.
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
  analysis.decisions = {{.entry = 0, .seat = 0, .played = low, .forced = true},
                        {.entry = 1,
                         .seat = 1,
                         .phase = rules::Phase::kPlaying,
                         .played = high,
                         .worlds = 40,
                         .options = {{low, 1250, 0}, {high, -805, std::nullopt}},
                         .expected_cost = 2055,
                         .open_cost = 75,
                         .margin = -7,
                         .contract_made = false}};
  analysis.summary = {.seats = {{}, {1, 2055, 75}, {}, {}}, .turning_points = {1}, .mistakes = {1}};
  return analysis;
}

TEST(AnalysisReportTest, TellsWhatWasDearAndNothingElse) {
  const std::string text = RenderAnalysis(Sample(), false, Style(false));
  EXPECT_THAT(text, HasSubstr("play HK   play H4  20.55  0.75    -3.5  fails"));
  EXPECT_THAT(text, Not(HasSubstr("Ana       play H4")));
  EXPECT_THAT(text, HasSubstr("the contract failed, and is now made"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(RenderAnalysis(Sample(), true, Style(false)), HasSubstr("1  A Ana"));
}

TEST(AnalysisReportTest, SaysSoWhenNothingWasDear) {
  DealAnalysis analysis = Sample();
  analysis.decisions.pop_back();
  analysis.summary.turning_points.clear();
  EXPECT_THAT(RenderAnalysis(analysis, false, Style(false)),
              HasSubstr("No decision cost half a point."));
}

TEST(AnalysisReportTest, JsonIsJsonAndHasTheNumbers) {
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
}  // namespace tarot::tarotctl
