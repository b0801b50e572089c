// Simulates deals in which a defender may help the taker, for tests and benchmarks of collusion.
#pragma once

#include <array>

#include "libs/ai/analysis/analyzer.h"
#include "libs/base/rng.h"

namespace tarot::ai {

struct SimulatedPlayer {
  // The player plays a random legal card with the probability random_cards / 1000.
  int random_cards = 40;
  // While this seat is the taker and the player is a defender, the player helps this seat. With the
  // probability helping_cards / 100, the player chooses a card as a partner of the taker would.
  rules::Seat friend_seat = rules::kNoSeat;
  int helping_cards = 0;
};

// Plays a random deal of the rule set `fft`. The players bid and play as level `novice` does, apart
// from the random cards and the helping cards that `players` asks for.
History PlayWithPartners(const std::array<SimulatedPlayer, rules::kPlayersMax>& players,
                         int player_count, Rng& rng);

}  // namespace tarot::ai
