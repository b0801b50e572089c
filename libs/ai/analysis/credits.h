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
  // credits[seat] is the sum of the credits of all cards that this defender has played. It is 0 for
  // the attack. To value a position, a play-out with open hands plays the deal to its end. The
  // value is the attack's threshold minus its card points at this end. The credit of a card is the
  // value after the card minus the value before the card, limited to the range from -1 to 1.
  std::array<double, rules::kPlayersMax> credits{};
};

// Computes the credits of a deal that ended with a score. Returns std::nullopt for a deal that
// ended without a score, and for a deal of a practice game. The result depends on `history` alone.
// The function takes about a millisecond.
std::optional<DefenceCredits> CreditDefenders(const History& history);

}  // namespace tarot::ai
