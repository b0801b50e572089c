// A hand as the numbers from which its worth in a contract is estimated (bid_model.h).
#pragma once

#include <array>

#include "libs/rules/cards.h"
#include "libs/rules/parameters/rule_set.h"

namespace tarot::ai {

// Small whole numbers, each with its own weight in the fit; the first is always 1.
enum class Feature {
  kOne,
  // Trumps without the Excuse: how many, and how many beyond some counts.
  kTrumps,
  kTrumpsOver5,
  kTrumpsOver7,
  kTrumpsOver10,
  // The bouts, and the Petit by the trumps that guard it.
  kTwentyOne,
  kExcuse,
  kPetit,
  kPetitTrumps,
  kPetitTrumpsOver6,
  kTwoBouts,
  kThreeBouts,
  kBoutTrumps,  // Bouts times trumps.
  // High trumps, in descending importance.
  kTrump20,
  kTrump19,
  kTrump18,
  kTrump17,
  kTrumps14To16,
  kTrumps10To13,
  kMasterTrumps,  // 21, 20, 19 ... without a gap.
  // Suits.
  kKings,
  kQueensWithKing,
  kQueensGuarded,  // Without the King, in three cards or more.
  kQueensBare,
  kKnightsBacked,  // Beside King or Queen.
  kKnights,
  kJacks,
  kKingSuitLength,  // Cards beside a King.
  kVoids,
  kSingletons,
  kDoubletons,
  kLengthOver4,
  kLengthOver5,
  kVoidTrumps,  // Voids and singletons times trumps.
  kLongTrumps,  // kLengthOver4 times trumps.
  // The place in the order of play: who leads first knows least.
  kFirstToLead,
  kLastToPlay,
  kCount
};
inline constexpr std::size_t kFeatureCount = static_cast<std::size_t>(Feature::kCount);
using Features = std::array<int, kFeatureCount>;

// `hand` as dealt, `place` in the order of play from 0, `playing` players with cards.
Features FeaturesOf(rules::CardSet hand, int place, int playing);

}  // namespace tarot::ai
