// Computes the cards of a deal from their provenance: the server's seed and the players' nonces.
// For rule sets without a shuffle between deals, the pack that the previous deal left is also part
// of the provenance.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libs/dealing/shuffle.h"
#include "libs/rules/deck.h"

namespace tarot::dealing {

// The procedures that make a deal from a provenance. Logs store these numbers, so they never
// change.
enum class Procedure : std::uint8_t {
  // The seed alone shuffles the pack, and there is no cut. The last seat deals the first deal. Only
  // old logs have this procedure.
  kSeedAlone = 1,
  // The seed and the nonces shuffle the pack and decide the cut. A gathered pack is only cut.
  kSeedAndNonces = 2,
  // For rule sets without a shuffle between deals. The seed and the nonces also give the gathered
  // pack a new order: they draw the order of its piles, of the packets in each pile, and of the
  // cards in each packet. In three cases the pack is shuffled instead: for the first deal of a
  // match, after a deal without a score, and if rules::MayGather() returns false.
  kDrawnGathering = 3,
};

// Returns the procedure of a new deal under `rules`.
Procedure ProcedureOf(const rules::RuleSet& rules);

inline constexpr std::size_t kNonceBytesMax = 32;
// The nonce of each seat, as raw bytes. It is empty if the seat added none.
using Nonces = std::array<std::string, rules::kPlayersMax>;

struct Provenance {
  Procedure procedure = Procedure::kSeedAndNonces;
  DealSeed seed{};
  Nonces nonces;
  // The cards that the previous deal left, see rules::GatheredPack(). Set only if this deal does
  // not shuffle the pack.
  std::optional<rules::PackOrder> gathered;
  // The piles of `gathered`. Set only with kDrawnGathering, and only if `gathered` is set.
  rules::PileSizes piles;
  friend bool operator==(const Provenance&, const Provenance&) = default;
};

// Returns whether `a` and `b` have the same number of piles, and a[i] has as many cards as b[i] for
// each i. The packets of the piles may differ.
bool SamePiles(const rules::PileSizes& a, const rules::PileSizes& b);

// Returns the number of cards that the cut takes off the top. The rule set allows several numbers,
// and all of them are equally likely. With kSeedAlone there is no cut, so the result is 0.
int CutOf(const rules::RuleSet& rules, int players, const Provenance& provenance);

// Returns the pack after the shuffle and the cut. A gathered pack is cut, but not shuffled. With
// kDrawnGathering, its piles, packets and cards get a new order before the cut.
rules::PackOrder PackOf(const rules::RuleSet& rules, int players, const Provenance& provenance);

// A card that a seat drew to decide the first dealer.
struct DrawnCard {
  rules::Seat seat = rules::kNoSeat;
  rules::Card card = rules::kNoCard;
  // The number of the round in the draw for the dealer. If several seats have the lowest card,
  // these seats draw again in the next round.
  int round = 1;
  bool put_aside = false;  // True if the card is the Excuse. Then the seat draws one more card.
  friend bool operator==(const DrawnCard&, const DrawnCard&) = default;
};

struct FirstDealerDraw {
  rules::Seat dealer = 0;
  // The cards in the order of drawing. The list is empty if the rule set does not decide the dealer
  // by cards.
  std::vector<DrawnCard> cards;
};

// Returns the first dealer of a match. `provenance` must belong to the first deal. The rule set
// says how the dealer is found. If seats draw cards for this, these cards reveal nothing about the
// cards of the deal. With DealerBy::kBoard or kSeedAlone, the last seat deals.
FirstDealerDraw DrawFirstDealer(const rules::RuleSet& rules, int players,
                                const Provenance& provenance);

// Returns only the dealer of DrawFirstDealer().
rules::Seat FirstDealerOf(const rules::RuleSet& rules, int players, const Provenance& provenance);

// Returns the seats in `drawn` that have the lowest card. No card in `drawn` may be the Excuse. All
// trumps are above all cards of the suits. Among trumps, and among cards of the suits, the rank
// decides. With FirstDealer::kDrawLowest, the suit decides between cards of equal rank (spades are
// highest, clubs lowest), so the result is one seat. With any other value of FirstDealer, the
// result has every seat with the lowest rank.
std::vector<rules::Seat> LowestDrawn(const rules::RuleSet& rules,
                                     const std::vector<std::pair<rules::Seat, rules::Card>>& drawn);

}  // namespace tarot::dealing
