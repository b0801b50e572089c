// Values the cards of the defenders of a finished deal (docs/collusion.md). A defender who helps
// the taker loses credit.
#pragma once

#include <array>
#include <optional>

#include "libs/ai/analysis/analyzer.h"

namespace tarot::ai {

struct DefenceCredits {
  rules::Seat taker = rules::kNoSeat;
  unsigned defenders = 0;  // A bit for each defender.
  // credits[seat] is the sum of the credits of all cards that a defender has played; 0 for the
  // attack. The value of a position is the number of card points that the attack lacks at the end
  // of a play-out with open hands. The credit of a card is the value after the card minus the value
  // before it, limited to the range from -1 to 1.
  std::array<double, rules::kPlayersMax> credits{};
};

// Computes the credits of a deal that ended with a score. Returns std::nullopt for a deal that
// ended without a score, and for a deal of a practice game. The result depends on `history` alone.
// Takes about a millisecond.
std::optional<DefenceCredits> CreditDefenders(const History& history);

}  // namespace tarot::ai
