// The origin of a deal's cards: the server's seed, the players' nonces, and, at a table that only
// cuts between deals, the pack of the deal before.
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

// The procedure from a provenance to a deal. The numbers are stored, so they never change.
enum class Procedure : std::uint8_t {
  kSeedAlone = 1,  // ShuffledPack(seed), no cut; the last seat deals first. Old logs only.
  kSeedAndNonces = 2,
};

inline constexpr std::size_t kNonceBytesMax = 32;
// Raw bytes for each seat of the table; empty if the seat added none.
using Nonces = std::array<std::string, rules::kPlayersMax>;

struct Provenance {
  Procedure procedure = Procedure::kSeedAndNonces;
  DealSeed seed{};
  Nonces nonces;
  // The pack before the cut, if this deal does not shuffle (rules::GatheredPack).
  std::optional<rules::PackOrder> gathered;
  friend bool operator==(const Provenance&, const Provenance&) = default;
};

// Returns the number of cards that the cut takes off the top, uniform over all numbers that the
// rule set allows. 0 for kSeedAlone.
int CutOf(const rules::RuleSet& rules, int players, const Provenance& provenance);

// Returns the pack as dealt: shuffled, unless it was gathered, then cut.
rules::PackOrder PackOf(const rules::RuleSet& rules, int players, const Provenance& provenance);

// Returns the first dealer of a match by the method of the rule set, from the provenance of the
// first deal. The cards of this draw reveal nothing about the cards of the deal. If a board gives
// the dealer, it is the last seat.
rules::Seat FirstDealerOf(const rules::RuleSet& rules, int players, const Provenance& provenance);

// Returns the seats of `drawn` (one card per seat, without the Excuse) with the lowest card: trumps
// are above suits, then ranks count. The rule set either orders equal ranks by suit (spades
// highest, clubs lowest), or all seats with the lowest rank remain.
std::vector<rules::Seat> LowestDrawn(const rules::RuleSet& rules,
                                     const std::vector<std::pair<rules::Seat, rules::Card>>& drawn);

}  // namespace tarot::dealing
