// Cuts the pack, deals it into hands and dog, and gathers the pack after a deal. All functions are
// deterministic: equal packs give equal deals on every machine.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "libs/rules/action.h"
#include "libs/rules/parameters/rule_set.h"

namespace tarot::rules {

struct Deal;

struct DealtCards {
  std::array<CardSet, kPlayersMax> hands;
  CardSet dog;
};

// All cards of the pack; the first element is the top card.
using PackOrder = std::array<Card, kCardCount>;

// Returns the cards in the order of their numbers.
PackOrder OrderedPack();

// Returns true if a cut may take `taken` cards off the top. Both parts must have at least cut_min
// cards.
bool CutAllowed(const RuleSet& rules, int taken);

// Returns the pack after a player took `taken` cards from its top and put them beneath the others.
PackOrder Cut(const PackOrder& order, int taken);

// Deals packets to the seats that play, beginning with the seat after the dealer. `rules` must be
// valid. Without DogDeal::kInterleavedSingly, the dog gets the cards that remain.
//
// With DogDeal::kInterleavedSingly, the dog gets single cards between the packets. It gets them at
// these places: after the first packet of each round, then after the second packet of each round,
// and so on. Places that the rule set forbids are skipped. If the dog is not full after the last
// place, it gets more cards at the same places, in the same order.
DealtCards DealOut(const RuleSet& rules, int players, Seat dealer, const PackOrder& order);

// Returns the number of places where the dog may get a card. A place is between two packets. At
// least dog_forbidden_first cards of the hands must be dealt before the place, and at least
// dog_forbidden_last cards of the hands after it.
int DogPlaces(const RuleSet& rules, int players);

// Returns the cards that a finished deal leaves, for rule sets that do not shuffle between deals.
// After a scored deal, the pack has from the top:
//   1. the écart, or the dog if it counts for the taker's camp;
//   2. the tricks of the taker's camp, in the order in which they were won;
//   3. the dog, if it counts for the defence;
//   4. the tricks of the defence, in the order in which they were won.
// With Teams::kEveryoneAlone, the pack has the dog and then the tricks of each seat, first those of
// the seat after the dealer.
//
// After a deal without a score, the pack has the hands as they were dealt, first the hand of the
// seat after the dealer, and then the dog.
//
// The cards of a trick lie in the order in which they were played. The cards of a hand, a dog or an
// écart are sorted by their numbers. Every player knows this order, so Procedure::kDrawnGathering
// (libs/dealing/provenance.h) draws another order.
PackOrder GatheredPack(const Deal& deal);

// Returns whether the next deal may use the gathered pack. If not, the pack is shuffled. Players
// know which cards are in each pile, and perhaps see the dog. In two cases they could find out the
// hands, so the function returns false:
// - The dog has more than 18 cards, so the hands have few cards.
// - A seat gets more than 12 cards at once, so one pile may become its whole hand.
bool MayGather(const RuleSet& rules, int players);

// The sizes of the packets in each pile of a gathered pack, from the top. The server draws a new
// order of the cards, but keeps the cards of a packet together. In GatheredPiles(), each pile is
// one packet. In old records, each trick, dog or écart is a packet.
using PileSizes = std::vector<std::vector<std::uint8_t>>;

// Returns the piles of GatheredPack(deal). The deal must be scored. There is a pile for each camp;
// with Teams::kEveryoneAlone, there is one for the dog and one for each seat. A pile without cards
// is left out. Each pile is one packet, because the players mix the cards of a pile when they count
// its points.
PileSizes GatheredPiles(const Deal& deal);

// Returns whether `piles` has no empty pile and no empty packet, and holds the whole pack.
bool HoldsWholePack(const PileSizes& piles);

}  // namespace tarot::rules
