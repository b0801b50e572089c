// Simulates deals in which a defender may help the taker, for tests and benchmarks of collusion.
#pragma once

#include <array>

#include "libs/ai/analysis/analyzer.h"
#include "libs/base/rng.h"

namespace tarot::ai {

struct SimulatedPlayer {
  // The player plays a random legal card with the probability random_cards / 1000.
  int random_cards = 40;
  // The player helps this seat when it is the taker: as a defender, the player chooses a card as a
  // partner of the taker would, with the probability helping_cards / 100.
  rules::Seat friend_seat = rules::kNoSeat;
  int helping_cards = 0;
};

// Plays a random deal of the rule set `fft`. Apart from random and helping cards, the players bid
// and play as level `novice` does.
History PlayWithPartners(const std::array<SimulatedPlayer, rules::kPlayersMax>& players,
                         int player_count, Rng& rng);

}  // namespace tarot::ai
