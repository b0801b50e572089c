// Tests the texts of the score sheet. The tests compute the arithmetic of each text; its result
// must be the unit.
#include "libs/rules/score_text.h"

#include <gtest/gtest.h>

#include <cctype>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "libs/rules/testing/random_deals.h"
#include "libs/rules/testing/random_rules.h"
#include "libs/rules/testing/test_table.h"

namespace tarot::rules {
namespace {

// Evaluates sums, products and parentheses, for example "-(25 + 7)*1 + 10*1 - 20".
class Calculator {
 public:
  explicit Calculator(std::string text)
      : text_(absl::StrReplaceAll(text, {{"×", "*"}, {" ", ""}})) {}

  int Sum() {
    int sum = Take('-') ? -Product() : Product();
    while (at_ < text_.size() && text_[at_] != ')') {
      if (Take('+')) {
        sum += Product();
      } else if (Take('-')) {
        sum -= Product();
      } else {
        ADD_FAILURE() << text_;
        break;
      }
    }
    return sum;
  }

 private:
  bool Take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  int Product() {
    int product = Factor();
    while (Take('*')) product *= Factor();
    return product;
  }
  int Factor() {
    if (Take('(')) {
      const int sum = Sum();
      EXPECT_TRUE(Take(')')) << text_;
      return sum;
    }
    int number = 0;
    EXPECT_TRUE(at_ < text_.size() && std::isdigit(text_[at_])) << text_;
    while (at_ < text_.size() && std::isdigit(text_[at_]))
      number = 10 * number + text_[at_++] - '0';
    return number;
  }

  std::string text_;
  std::size_t at_ = 0;
};

// Checks one text: both sides of "=" are equal, and its last number is the unit.
void ExpectRight(const Deal& deal, const std::string& text) {
  const std::vector<std::string> sides = absl::StrSplit(text, " = ");
  ASSERT_EQ(sides.size(), 2u) << text;
  const std::vector<std::string> values = absl::StrSplit(sides[1], ", rounded to ");
  int sum = 0, unit = 0;
  ASSERT_TRUE(absl::SimpleAtoi(values.front(), &sum) && absl::SimpleAtoi(values.back(), &unit))
      << text;
  EXPECT_EQ(Calculator(sides[0]).Sum(), sum) << text;
  EXPECT_EQ(unit, deal.result.score.unit) << text;
  EXPECT_TRUE(values.size() == 1 || deal.rules.round_scores_to > 1) << text;
}

// Tests 40,000 deals under all named rule sets and player counts, and under custom rule sets. Some
// custom rule sets round scores. In half of the deals the players keep the Petit and the Excuse as
// long as they can, so that bonuses occur.
TEST(UnitArithmeticTest, EqualsTheUnitOfEveryDeal) {
  Rng rng(6);
  std::set<std::string> seen;
  int texts = 0;
  const auto try_one = [&](const RuleSet& rules, int players, int round) {
    Deal deal = RandomDeal(rules, players, rng);
    while (deal.phase == Phase::kBidding) {
      Apply(deal, deal.turn, FirstTakes(deal, static_cast<Contract>(1 + round % 4)));
    }
    while (deal.phase != Phase::kDone && deal.phase != Phase::kPlaying) {
      Apply(deal, deal.turn, RandomAction(deal, rng));
    }
    if (round % 2 == 0) PlayOut(deal, Set({"T1", "EX"}), rng);
    while (deal.phase != Phase::kDone) Apply(deal, deal.turn, RandomAction(deal, rng));
    const std::string text = UnitArithmetic(deal);
    const bool none = deal.result.outcome != Outcome::kScored || deal.taker == kNoSeat;
    ASSERT_EQ(text.empty(), none);
    if (none) return;
    ++texts;
    ExpectRight(deal, text);
    if (deal.result.petit_au_bout != 0) seen.insert("petit");
    if (deal.result.score.handful_points != 0) seen.insert("handful");
    if (deal.result.score.slam_points != 0) seen.insert("slam");
    if (absl::StrContains(text, "rounded")) seen.insert("rounded");
  };
  for (int round = 0; round < 850; ++round) {
    for (const NamedRuleSet& named : RuleSets()) {
      for (int n = named.rules.players_min; n <= named.rules.players_max; ++n) {
        try_one(named.rules, n, round);
      }
    }
    for (int i = 0; i < 10; ++i) {
      const RuleSet custom = RandomRuleSet(rng);
      try_one(custom, custom.players_min + rng.Below(custom.players_max - custom.players_min + 1),
              round);
    }
  }
  EXPECT_GT(texts, 34000);
  EXPECT_EQ(seen, (std::set<std::string>{"handful", "petit", "rounded", "slam"}));
}

// Returns a finished deal of four players with the numbers of `input`. ComputeScore() computes its
// score.
Deal Scored(const char* rule_set, const ScoreInput& input) {
  Deal deal{.rules = FindRuleSet(rule_set)->rules, .players = 4, .phase = Phase::kDone};
  deal.taker = 0;
  deal.contract = input.contract;
  deal.result = {.outcome = Outcome::kScored,
                 .attack_half_points = input.attack_half_points,
                 .bouts = input.bouts,
                 .honours = input.honours,
                 .petit_au_bout = input.petit_au_bout,
                 .slam = input.slam,
                 .score = ComputeScore(deal.rules, input)};
  return deal;
}

TEST(UnitArithmeticTest, ReadsLikeAScoreSheet) {
  const ScoreInput made{.contract = Contract::kGarde,
                        .bouts = 2,
                        .attack_half_points = 2 * 61,
                        .attack_handfuls = {0, 1, 0, 0}};
  EXPECT_EQ(UnitArithmetic(Scored("fft", made)), "(25 + 20) × 2 + 20 = 110");
  const ScoreInput lost{.contract = Contract::kPrise,
                        .bouts = 2,
                        .attack_half_points = 2 * 34,
                        .petit_au_bout = 1,
                        .attack_handfuls = {0, 1, 0, 0}};
  EXPECT_EQ(UnitArithmetic(Scored("fft", lost)), "-(25 + 7) × 1 + 10 × 1 - 20 = -42");
  EXPECT_EQ(UnitArithmetic(Scored("booklet_practice3", made)), "(25 + 20) × 2 = 90");
  const ScoreInput honours{.contract = Contract::kGardeSans, .bouts = 1, .honours = 9};
  EXPECT_EQ(UnitArithmetic(Scored("booklet_practice2", honours)), "-9 × 3 = -27");
  EXPECT_EQ(UnitArithmetic(Deal()), "") << "not scored";
}

// Tests every reason why the taker plays alone in a deal of five players.
TEST(WhyAloneTest, NamesTheCallThatFoundNoPartner) {
  Rng rng(7);
  std::set<Alone> seen;
  for (int round = 0; round < 3000 && seen.size() < 4; ++round) {
    Deal deal = RandomDeal(FindRuleSet("booklet")->rules, 5, rng);
    while (deal.phase != Phase::kDone) Apply(deal, deal.turn, RandomAction(deal, rng));
    const Alone why = WhyAlone(deal);
    if (deal.result.outcome != Outcome::kScored) {
      EXPECT_EQ(why, Alone::kNone);
      continue;
    }
    seen.insert(why);
    const CardSet own = deal.dealt[static_cast<std::size_t>(deal.taker)];
    EXPECT_EQ(why == Alone::kNone, deal.partner != kNoSeat);
    EXPECT_EQ(why == Alone::kCalledNoCard, deal.called_card == kNoCard);
    if (why == Alone::kCalledOwnCard) {
      EXPECT_TRUE(own.Contains(deal.called_card));
    }
    if (why == Alone::kCalledCardInDog) {
      EXPECT_TRUE(deal.dog.Contains(deal.called_card));
    }
  }
  EXPECT_EQ(seen.size(), 4u);
  Deal four = RandomDeal(RuleSet(), 4, rng);
  while (four.phase != Phase::kDone) Apply(four, four.turn, RandomAction(four, rng));
  EXPECT_EQ(WhyAlone(four), Alone::kNone);
}

}  // namespace
}  // namespace tarot::rules
