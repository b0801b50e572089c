// From the order of a full pack to hands and dog: deterministic, so a seeded pack replays the same
// everywhere.
#pragma once

#include <array>

#include "libs/rules/action.h"
#include "libs/rules/cards.h"
#include "libs/rules/rule_set.h"

namespace tarot::rules {

struct DealtCards {
  std::array<CardSet, kPlayersMax> hands;
  CardSet dog;
};

using PackOrder = std::array<Card, kCardCount>;  // From the top; every card once.

// Packets go round from the seat after the dealer; one card goes to the dog after the first packet
// of each round until the dog is full, so never the first nor the last card of the pack
// (or, by the rule set, the dog is the last cards).
DealtCards DealOut(const RuleSet& rules, int players, Seat dealer, const PackOrder& order);

}  // namespace tarot::rules
