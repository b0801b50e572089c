// How our own searching players play a card: a table of learned weights that gives every legal card
// a score. For play-outs, and for how likely a hand makes what its player did.
#pragma once

#include <array>
#include <cstdint>

#include "libs/ai/table.h"

namespace tarot::ai {

// A card is as likely as exp(score / kStyleUnit), among the legal ones.
inline constexpr int kStyleUnit = 8;
// What is looked up for one card: a weight each of so many tables, which lie in one row.
inline constexpr int kStyleTerms = 4;
using StyleTerms = std::array<std::uint16_t, kStyleTerms>;
inline constexpr int kStyleWeightCount = 26836;
using StyleWeights = std::array<std::int8_t, kStyleWeightCount>;

// Weights as text: a sign each, from '#' for -kStyleWeightMax on, without backslash and underscore.
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

// What tools/lab/fit/fit_style.cc has learned.
extern const StyleWeights kStyleOfPlay;

// What the seat in turn sees when it thinks about its cards: its own hand, the table, which cards
// are still to come, and who is in which camp.
class StyleSight {
 public:
  explicit StyleSight(const Table& table);
  rules::CardSet legal() const { return legal_; }
  StyleTerms Terms(rules::Card card) const;

 private:
  // Of the viewer's own and of the others' cards of a suit.
  struct SuitSight {
    int mine = 0;         // Bucket of how many.
    int others = 0;       // Likewise.
    int shown = 0;        // Who led it before and who is known to be void.
    rules::CardSet held;  // By others.
    rules::CardSet own;
  };

  StyleTerms LeadTerms(rules::Card card) const;
  StyleTerms FollowTerms(rules::Card card) const;
  int Order(rules::Card card) const;
  int Beaten(rules::Card card) const;

  const Table& table_;
  const rules::CardSet hand_;
  const rules::CardSet legal_;
  const rules::CardSet others_;
  int role_ = 0;      // 0 taker, 1 partner, 2 defender.
  int stage_ = 0;     // By tricks left.
  int taker_at_ = 0;  // 0 is the viewer; then next, between, last.
  int my_trumps_ = 0;
  int their_trumps_ = 0;
  int opponents_after_ = 0;
  int value_ = 0;     // Of the trick so far.
  int friend_ = 0;    // The trick is the camp's so far.
  int reply_ = 0;     // 0 follows a suit, 1 trumps were led, 2 trumps in, 3 throws away.
  int cheapest_ = 0;  // Class of the cheapest card besides the Excuse.
  std::array<SuitSight, 5> suits_;
};

// The scores of the legal cards, in their order.
struct StyleScores {
  rules::CardSet legal;
  int count = 0;
  std::array<int, 24> score{};
};
StyleScores ScoreCards(const Table& table, const StyleWeights& weights);

// Plays `table` to its end, every seat by the best score; how many cards that took.
int StylePlayOut(Table& table, const StyleWeights& weights);

}  // namespace tarot::ai
