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

// The cards in the order of their numbers.
PackOrder OrderedPack();

// True when a cut may take `taken` cards off the top: at least cut_min are taken, and at least as
// many stay.
bool CutAllowed(const RuleSet& rules, int taken);

// The pack after `taken` cards from its top were put beneath the others.
PackOrder Cut(const PackOrder& order, int taken);

// Packets go round from the seat after the dealer, to those who play. The dog is what is left, or
// dealt a card at a time: one after the first packet of each round until it is full, where the rule
// set lets that card go to the dog; if that is not enough, one after the second packet of each
// round, and so on; if there are still too few places, more than one card at a place in the same
// order. Never between two cards of a packet, never after the last packet. The rule set is valid.
DealtCards DealOut(const RuleSet& rules, int players, Seat dealer, const PackOrder& order);

// How many places between packets may take a card of the dog: those with at least
// dog_forbidden_first cards dealt to hands before, and dog_forbidden_last after.
int DogPlaces(const RuleSet& rules, int players);

}  // namespace tarot::rules
