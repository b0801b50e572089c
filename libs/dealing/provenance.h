// The origin of a deal's cards: the server's seed and the players' nonces. Some tables only cut the
// pack between deals. There the origin also includes the pack of the deal before.
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

// The procedures that make a deal from a provenance. Logs store the numbers, so they never change.
enum class Procedure : std::uint8_t {
  // A shuffle with `seed`, without a cut; the last seat deals first. Only old logs have it.
  kSeedAlone = 1,
  kSeedAndNonces = 2,
};

inline constexpr std::size_t kNonceBytesMax = 32;
// Raw bytes for each seat of the table. Empty if the seat added none.
using Nonces = std::array<std::string, rules::kPlayersMax>;

struct Provenance {
  Procedure procedure = Procedure::kSeedAndNonces;
  DealSeed seed{};
  Nonces nonces;
  // The pack before the cut, if this deal does not shuffle (rules::GatheredPack).
  std::optional<rules::PackOrder> gathered;
  friend bool operator==(const Provenance&, const Provenance&) = default;
};

// Returns the number of cards that the cut takes off the top. All numbers that the rule set allows
// are equally likely. Returns 0 for kSeedAlone.
int CutOf(const rules::RuleSet& rules, int players, const Provenance& provenance);

// Returns the pack after shuffle and cut. A gathered pack is only cut.
rules::PackOrder PackOf(const rules::RuleSet& rules, int players, const Provenance& provenance);

// Returns the first dealer of a match by the method of the rule set, from the provenance of the
// first deal. The cards of this draw reveal nothing about the cards of the deal. If a board names
// the dealer, returns the last seat.
rules::Seat FirstDealerOf(const rules::RuleSet& rules, int players, const Provenance& provenance);

// Returns the seats of `drawn` (one card per seat, without the Excuse) that have the lowest card.
// Trumps are above suits; within these, ranks count. Some rule sets order equal ranks by suit
// (spades highest, clubs lowest); under the others all seats with the lowest rank remain.
std::vector<rules::Seat> LowestDrawn(const rules::RuleSet& rules,
                                     const std::vector<std::pair<rules::Seat, rules::Card>>& drawn);

}  // namespace tarot::dealing
