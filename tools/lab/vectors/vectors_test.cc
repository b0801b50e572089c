#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "libs/rules/parameters/rule_set.h"
#include "tools/lab/vectors/files.h"

namespace tarot::lab {
namespace {

using ::testing::HasSubstr;

constexpr char kVectors[] = TAROT_SOURCE_DIR "/tests/data/vectors/";

std::string ReadVectors(const std::string& name) {
  std::ifstream in(absl::StrCat(kVectors, name), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

struct Outcome {
  Tally tally;
  std::string out;
};

Outcome Check(const std::string& text) {
  const auto referee = MakeLocalReferee();
  std::ostringstream out;
  const Tally tally = CheckText("f", text, "fft", *referee, out);
  return {tally, out.str()};
}

class FullPlayTest : public testing::TestWithParam<std::pair<const char*, int>> {};

TEST_P(FullPlayTest, EveryDealPasses) {
  const auto [file, count] = GetParam();
  const Outcome outcome = Check(ReadVectors(file));
  EXPECT_EQ(outcome.tally.passed, count);
  EXPECT_EQ(outcome.out, "");
}

INSTANTIATE_TEST_SUITE_P(Shared, FullPlayTest,
                         testing::Values(std::pair("fullplay_3.jsonl", 91),
                                         std::pair("fullplay_4.jsonl", 84),
                                         std::pair("fullplay_5.jsonl", 91),
                                         std::pair("presets.jsonl", 222)),
                         [](const auto& test) {
                           const std::string file = test.param.first;
                           return file.substr(0, file.find('.'));
                         });

TEST(VectorsTest, ListsAWrongExpectation) {
  const std::string line = absl::StrReplaceAll(FirstLine(ReadVectors("fullplay_4.jsonl")),
                                               {{"\"unit\":", "\"unit\":1"}});
  const Outcome outcome = Check(line);
  EXPECT_EQ(outcome.tally.failed, 1);
  EXPECT_EQ(outcome.out, "f:1 4p-000: unit: expected 1342, got 342\n");
}

TEST(VectorsTest, ListsARevoke) {
  // Seat 1 plays S2 on a trump, although it holds T5.
  const std::string line = absl::StrReplaceAll(FirstLine(ReadVectors("fullplay_4.jsonl")),
                                               {{"[\"T21\",\"T5\"", "[\"T21\",\"S2\""}});
  const Outcome outcome = Check(line);
  EXPECT_EQ(outcome.tally.failed, 1);
  EXPECT_THAT(outcome.out, HasSubstr("f:1 4p-000: "));
}

TEST(VectorsTest, FailsForUnreadableVectorsWithTheirLine) {
  const Outcome outcome = Check("{\"id\": \"x\"}\n\nnot json\n[1]\n");
  EXPECT_EQ(outcome.tally.failed, 3);
  EXPECT_THAT(outcome.out, HasSubstr("f:1 x: n: is missing\n"));
  EXPECT_THAT(outcome.out, HasSubstr("f:3: is not JSON: Unexpected token.\nf:4: "));
  EXPECT_THAT(outcome.out, HasSubstr("f:4: is not an object"));
}

TEST(VectorsTest, FailsForAnEmptyFile) {
  EXPECT_EQ(Check("").tally.failed, 1);
  EXPECT_EQ(Check("[]").tally.failed, 1);
  EXPECT_EQ(Check("[{\"id\":").tally.failed, 1);
}

constexpr char kScore[] = R"([{"id": "a", "source": "s", "preset": "fft", "n": 5,
  "contract": "garde", "bouts": 2, "points": 40.5, "expect_unit": UNIT,
  "expect_scores": [-104, -52, 52, 52, 52], "partner": "other"}])";

TEST(VectorsTest, ReadsHalfPointsAndRolesOfScores) {
  EXPECT_EQ(Check(absl::StrReplaceAll(kScore, {{"UNIT", "-52"}})).tally.passed, 1);
  EXPECT_EQ(Check(absl::StrReplaceAll(kScore, {{"UNIT", "-51"}})).out,
            "f[0] a: unit: expected -51, got -52\n");
}

TEST(VectorsTest, ScoresADeadHandAndPracticeGames) {
  const std::string score = R"([{"id": "d", "preset": "fft_dead5", "n": 5, "contract": "garde",
      "bouts": 2, "points": 41, "expect_unit": 50, "expect_scores": [150, -50, -50, -50, 0]}])";
  EXPECT_EQ(Check(score).out, "");
  EXPECT_EQ(Check(score).tally.passed, 1);
  EXPECT_THAT(Check(absl::StrReplaceAll(score, {{"fft_dead5", "booklet_practice1"}})).out,
              HasSubstr("every seat plays alone"));
  const std::string honours = R"([{"id": "h", "preset": "booklet_practice2", "n": 4,
      "contract": "garde", "bouts": 2, "points": 30, "honours": 11, "expect_unit": 22,
      "expect_scores": [22, 0, 0, 0]}])";
  EXPECT_EQ(Check(honours).out, "");
  EXPECT_EQ(Check(honours).tally.passed, 1);
}

TEST(VectorsTest, FailsForUnknownWordsAndPresets) {
  const std::string good = absl::StrReplaceAll(kScore, {{"UNIT", "-52"}});
  EXPECT_THAT(Check(absl::StrReplaceAll(good, {{"fft", "nowhere"}})).out,
              HasSubstr("There is no such rule set."));
  EXPECT_THAT(Check(absl::StrReplaceAll(good, {{"other", "ghost"}})).out,
              HasSubstr("partner: 'ghost' is not known"));
  EXPECT_THAT(Check(absl::StrReplaceAll(good, {{"40.5", "40.25"}})).out,
              HasSubstr("points: is not a whole number"));
  EXPECT_EQ(Check(absl::StrReplaceAll(good, {{"\"bouts\": 2", "\"bouts\": -1"}})).tally.failed, 1);
}

// Makes deals of every rule set and player count, with the results of the referee. CheckText() must
// find no difference in them.
TEST(VectorsTest, MakesDealsThatPass) {
  const auto referee = MakeLocalReferee();
  for (const rules::NamedRuleSet& named : rules::RuleSets()) {
    for (int n = named.rules.players_min; n <= named.rules.players_max; ++n) {
      SCOPED_TRACE(absl::StrCat(named.name, " ", n));
      std::ostringstream made, again, err;
      const std::string rules(named.name);
      EXPECT_EQ(MakePlays(rules, n, 6, 4, *referee, made, err).failed, 0) << err.str();
      EXPECT_EQ(MakePlays(rules, n, 6, 4, *referee, again, err).failed, 0);
      EXPECT_EQ(made.str(), again.str());
      EXPECT_EQ(Check(made.str()).tally.passed, 6) << Check(made.str()).out;
    }
  }
}

TEST(VectorsTest, ReplacesTheExpectationByTheAnswer) {
  const std::string path = absl::StrCat(testing::TempDir(), "/answer.jsonl");
  std::string line = FirstLine(ReadVectors("fullplay_4.jsonl"));
  std::ofstream(path) << absl::StrReplaceAll(line, {{"\"unit\":", "\"unit\":1"}}) << "\nnonsense\n";
  const auto referee = MakeLocalReferee();
  std::ostringstream out, err;
  const Tally tally = AnswerFiles({path}, "fft", *referee, out, err);
  EXPECT_EQ(tally.passed, 1);
  EXPECT_EQ(tally.failed, 1);
  EXPECT_THAT(err.str(), HasSubstr("answer.jsonl:2: is not JSON"));
  EXPECT_EQ(Check(out.str()).tally.passed, 1);
  EXPECT_THAT(out.str(), HasSubstr("\"unit\":342,"));
}

}  // namespace
}  // namespace tarot::lab
