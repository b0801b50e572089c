// Where the cards of a deal come from: the server's seed, the nonces that the players added to it,
// and, at a table that only cuts between deals, the pack of the deal before.
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

// How a deal follows from its provenance. The numbers are stored: they never change.
enum class Procedure : std::uint8_t {
  kSeedAlone = 1,  // ShuffledPack(seed), no cut; the last seat deals first. Deals of old logs only.
  kSeedAndNonces = 2,
};

inline constexpr std::size_t kNonceBytesMax = 32;
// One a seat of the table, raw bytes; empty where a seat added none.
using Nonces = std::array<std::string, rules::kPlayersMax>;

struct Provenance {
  Procedure procedure = Procedure::kSeedAndNonces;
  DealSeed seed{};
  Nonces nonces;
  // The pack before the cut, where it is not shuffled for this deal (rules::GatheredPack).
  std::optional<rules::PackOrder> gathered;
  friend bool operator==(const Provenance&, const Provenance&) = default;
};

// How many cards the cut takes off the top: every number that the rule set allows is equally
// likely. 0 for kSeedAlone.
int CutOf(const rules::RuleSet& rules, int players, const Provenance& provenance);

// The pack as it is dealt out: shuffled, unless it was gathered, then cut.
rules::PackOrder PackOf(const rules::RuleSet& rules, int players, const Provenance& provenance);

// The first dealer of a match, as the rule set chooses it, from the provenance of the first deal.
// Nothing of the deal's cards follows from the cards of this draw. The last seat where a board
// gives the dealer.
rules::Seat FirstDealerOf(const rules::RuleSet& rules, int players, const Provenance& provenance);

// Who of `drawn` (one card a seat; the Excuse is not among them) has the lowest card: trumps are
// above suits, then ranks count. By the rule set equal ranks are told apart by their suits, spades
// highest and clubs lowest, or all who have the lowest rank stay.
std::vector<rules::Seat> LowestDrawn(const rules::RuleSet& rules,
                                     const std::vector<std::pair<rules::Seat, rules::Card>>& drawn);

}  // namespace tarot::dealing
