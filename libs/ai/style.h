// A fast imitation of how our searching bots play cards. Learned weights give every legal card a
// score. Play-outs use these scores.
#pragma once

#include <array>
#include <cstdint>

#include "libs/ai/fast_deal.h"

namespace tarot::ai {

// The fit gives a legal card a probability proportional to exp(score / kStyleUnit).
inline constexpr int kStyleUnit = 8;
// The number of weights that make up the score of a card. Each weight comes from one of several
// tables, which share one array.
inline constexpr int kStyleTerms = 4;
using StyleTerms = std::array<std::uint16_t, kStyleTerms>;
inline constexpr int kStyleWeightCount = 26836;
using StyleWeights = std::array<std::int8_t, kStyleWeightCount>;

// ReadStyle() reads the weights from their text form. Each weight is one character: '#' means
// -kStyleWeightMax, and the next characters follow in order, without backslash and underscore.
inline constexpr int kStyleWeightMax = 44;
constexpr StyleWeights ReadStyle(const char* text) {
  StyleWeights weights{};
  for (std::int8_t& weight : weights) {
    const int left_out = (*text > '\\' ? 1 : 0) + (*text > '_' ? 1 : 0);
    weight = static_cast<std::int8_t>(*text - left_out - '#' - kStyleWeightMax);
    ++text;
  }
  return weights;
}

// The weights that tools/lab/fit/fit_style.cc has learned. They are in style_weights.cc.
extern const StyleWeights kFittedStyle;

// The features of the decision of the seat in turn. They describe its hand, the trick on the table,
// the seats that play after it, and the camps.
class StyleFeatures {
 public:
  explicit StyleFeatures(const FastDeal& deal);
  rules::CardSet legal() const { return legal_; }
  StyleTerms Terms(rules::Card card) const;

 private:
  // One suit from the point of view of the seat in turn.
  struct SuitFeatures {
    // The range of the number of cards of the suit in the seat's hand. A range covers one or more
    // numbers; the ranges are numbered from 0.
    int mine = 0;
    int others = 0;  // Like `mine`, for the cards of the suit in all other hands together.
    // A number that combines two facts. One fact is how often each camp led the suit. The other
    // fact is which camps have a seat that is known to be void in the suit.
    int shown = 0;
    rules::CardSet held;  // The cards that the other seats hold.
    rules::CardSet own;
  };

  StyleTerms LeadTerms(rules::Card card) const;
  StyleTerms FollowTerms(rules::Card card) const;
  int Order(rules::Card card) const;
  int Beaten(rules::Card card) const;

  const FastDeal& deal_;
  const rules::CardSet hand_;
  const rules::CardSet legal_;
  const rules::CardSet others_;
  int role_ = 0;   // 0 is the taker, 1 the partner, 2 a defender.
  int stage_ = 0;  // Like SuitFeatures::mine, for the number of tricks left.
  // The place of the taker in the order of play. 0 is this seat, 1 is the seat that plays just
  // after this seat, and 3 is the seat that plays just before this seat. 2 is any other seat.
  int taker_at_ = 0;
  int my_trumps_ = 0;
  int their_trumps_ = 0;
  int opponents_after_ = 0;
  int value_ = 0;   // Like SuitFeatures::mine, for the points in the trick.
  int friend_ = 0;  // 1 if the seat's camp is winning the trick.
  // 1 if trumps were led. If another suit was led: 0 if the seat follows suit, 2 if it ruffs, 3 if
  // it discards.
  int reply_ = 0;
  int cheapest_ = 0;  // The class of the lowest legal card.
  std::array<SuitFeatures, 5> suits_;
};

// The score of each legal card, in the order of `legal`.
struct StyleScores {
  rules::CardSet legal;
  int count = 0;
  std::array<int, 24> score{};
};
StyleScores ScoreCards(const FastDeal& deal, const StyleWeights& weights);

// Plays `deal` to its end. Each seat plays the card with the best score. Returns the number of
// cards played.
int StylePlayOut(FastDeal& deal, const StyleWeights& weights);

}  // namespace tarot::ai
