// A fast imitation of how our own searching bots play a card: learned weights give every legal card
// a score. Used in play-outs.
#pragma once

#include <array>
#include <cstdint>

#include "libs/ai/fast_deal.h"

namespace tarot::ai {

// The fit gives a legal card a probability proportional to exp(score / kStyleUnit).
inline constexpr int kStyleUnit = 8;
// A score is the sum of this many weights, one from each of several tables in one array.
inline constexpr int kStyleTerms = 4;
using StyleTerms = std::array<std::uint16_t, kStyleTerms>;
inline constexpr int kStyleWeightCount = 26836;
using StyleWeights = std::array<std::int8_t, kStyleWeightCount>;

// Decodes weights from text: one character each, from '#' for -kStyleWeightMax on, skipping
// backslash and underscore.
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

// The weights that tools/lab/fit/fit_style.cc has learned (style_weights.cc).
extern const StyleWeights kFittedStyle;

// The features of the seat in turn: its hand, the table, the cards still to come, and the camps.
class StyleFeatures {
 public:
  explicit StyleFeatures(const FastDeal& deal);
  rules::CardSet legal() const { return legal_; }
  StyleTerms Terms(rules::Card card) const;

 private:
  // One suit, as the seat sees it.
  struct SuitFeatures {
    int mine = 0;         // Bucket of how many cards the seat has.
    int others = 0;       // Bucket of how many the other seats have.
    int shown = 0;        // The camps that led it, and the seats known to be void.
    rules::CardSet held;  // Cards of the other seats.
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
  int role_ = 0;      // 0 taker, 1 partner, 2 defender.
  int stage_ = 0;     // Bucket of tricks left.
  int taker_at_ = 0;  // Position of the taker: 0 this seat; 1 next; 2 between; 3 last.
  int my_trumps_ = 0;
  int their_trumps_ = 0;
  int opponents_after_ = 0;
  int value_ = 0;     // Bucket of the points in the trick.
  int friend_ = 0;    // 1 if the own camp is winning the trick.
  int reply_ = 0;     // 0 follows suit, 1 trumps were led, 2 ruffs, 3 discards.
  int cheapest_ = 0;  // Class of the cheapest card besides the Excuse.
  std::array<SuitFeatures, 5> suits_;
};

// The scores of the legal cards, in their order.
struct StyleScores {
  rules::CardSet legal;
  int count = 0;
  std::array<int, 24> score{};
};
StyleScores ScoreCards(const FastDeal& deal, const StyleWeights& weights);

// Plays `deal` to its end, each seat the card with the best score. Returns how many cards were
// played.
int StylePlayOut(FastDeal& deal, const StyleWeights& weights);

}  // namespace tarot::ai
