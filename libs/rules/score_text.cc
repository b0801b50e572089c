#include "libs/rules/score_text.h"

#include <cstdlib>

#include "absl/strings/str_cat.h"

namespace tarot::rules {
namespace {

bool HasTaker(const Deal& deal) {
  return deal.result.outcome == Outcome::kScored && deal.taker != kNoSeat;
}

// A sum as text, with its value.
class Sum {
 public:
  // Adds `factor` times the value of `text`, or subtracts it if `sign` is negative.
  void Add(int sign, const std::string& text, int value, int factor) {
    Term(sign, absl::StrCat(text, " × ", factor), value * factor);
  }
  void Add(int points) {
    if (points != 0) Term(points, absl::StrCat(std::abs(points)), std::abs(points));
  }
  // Returns the complete text: the terms, their sum, and `unit` if rounding changed the sum.
  std::string Text(int unit) const {
    return absl::StrCat(text_, " = ", value_,
                        unit == value_ ? "" : absl::StrCat(", rounded to ", unit));
  }

 private:
  void Term(int sign, const std::string& text, int value) {
    const bool first = text_.empty();
    const char* const minus = first ? "-" : " - ";
    absl::StrAppend(&text_, sign < 0 ? minus : first ? "" : " + ", text);
    value_ += sign < 0 ? -value : value;
  }

  std::string text_;
  int value_ = 0;
};

}  // namespace

std::string UnitArithmetic(const Deal& deal) {
  if (!HasTaker(deal)) return "";
  const RuleSet& rules = deal.rules;
  const Score& score = deal.result.score;
  const int multiplier = rules.Multiplier(deal.contract);
  const int sign = score.won ? 1 : -1;
  Sum sum;
  if (rules.scoring == Scoring::kTakerCountsHonours) {
    const int honours = deal.result.honours;
    sum.Add(sign, absl::StrCat(honours), honours, multiplier);
    return sum.Text(score.unit);
  }
  sum.Add(sign, absl::StrCat("(", rules.base_points, " + ", score.difference, ")"),
          rules.base_points + score.difference, multiplier);
  if (rules.scoring == Scoring::kNormal) {
    const int petit = rules.petit_au_bout_points;
    if (rules.petit_au_bout_mode == PetitAuBoutMode::kMultipliedBonus && petit > 0 &&
        deal.result.petit_au_bout != 0) {
      sum.Add(deal.result.petit_au_bout, absl::StrCat(petit), petit, multiplier);
    }
    sum.Add(score.handful_points);
    sum.Add(score.slam_points);
  }
  return sum.Text(score.unit);
}

Alone WhyAlone(const Deal& deal) {
  if (!HasTaker(deal) || deal.playing != 5 || deal.partner != kNoSeat) return Alone::kNone;
  if (deal.called_card == kNoCard) return Alone::kCalledNoCard;
  const bool own = deal.dealt[static_cast<std::size_t>(deal.taker)].Contains(deal.called_card);
  return own ? Alone::kCalledOwnCard : Alone::kCalledCardInDog;
}

}  // namespace tarot::rules
