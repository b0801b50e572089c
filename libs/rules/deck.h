// The pack: the cut, the deal into hands and dog, and the pack that a finished deal leaves. All
// functions are deterministic, so a seeded pack gives the same deal on every machine.
#pragma once

#include <array>

#include "libs/rules/action.h"
#include "libs/rules/parameters/rule_set.h"

namespace tarot::rules {

struct Deal;

struct DealtCards {
  std::array<CardSet, kPlayersMax> hands;
  CardSet dog;
};

using PackOrder = std::array<Card, kCardCount>;  // The cards from the top; every card appears once.

// Returns the cards in the order of their numbers.
PackOrder OrderedPack();

// Returns true when a cut may take `taken` cards off the top: both parts have at least cut_min
// cards.
bool CutAllowed(const RuleSet& rules, int taken);

// Returns the pack after a player took `taken` cards from its top and put them beneath the others.
PackOrder Cut(const PackOrder& order, int taken);

// Deals packets to the seats that play, in turn from the seat after the dealer. `rules` must be
// valid. Without DogDeal::kInterleavedSingly the dog is the rest of the pack. With
// DogDeal::kInterleavedSingly the dog gets single cards at the places between packets that the rule
// set allows: one card after the first packet of each round until the dog is full, then one after
// the second packet of each round, and so on. If this does not fill the dog, some places get more
// than one card, in the same order. A card never goes to the dog between two cards of a packet or
// after the last packet.
DealtCards DealOut(const RuleSet& rules, int players, Seat dealer, const PackOrder& order);

// Returns the number of places between packets where a card may go to the dog. Before such a place,
// at least dog_forbidden_first cards have gone to hands; after it, at least dog_forbidden_last
// cards follow.
int DogPlaces(const RuleSet& rules, int players);

// Returns the pack that a finished deal leaves, from the top, for tables that do not shuffle it but
// only cut it for the next deal. For a scored deal, the order is:
//   1. the écart, or the dog where it counts for the taker's camp;
//   2. the tricks of the taker's camp in the order they were won, each in the order of play;
//   3. the dog, where it counts for the defence;
//   4. the tricks of the defence.
// Where every seat plays alone: the dog, then the tricks by seat from the seat after the dealer.
// For a deal that was not played: the hands as dealt, by seat from the seat after the dealer, then
// the dog. The cards of a hand, a dog or an écart lie in the order of their numbers.
PackOrder GatheredPack(const Deal& deal);

}  // namespace tarot::rules
