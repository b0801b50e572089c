// Small endings for the proof of the solver, and their values by brute force: every line of play
// through rules::Deal, nothing shared with the search.
#pragma once

#include "libs/ai/solver/solver.h"
#include "libs/base/rng.h"

namespace tarot::ai {

struct Ending {
  rules::Deal deal;  // In play.
  Objective objective;
};

// Any rule set, camps, number of players, cards and history; `tricks` left at most, the first of
// them perhaps begun. Bouts, sweeps and the Excuse in the last trick come far oftener than at a
// table.
Ending RandomEnding(int tricks, Rng& rng);

// The value of `objective` when the deal, being played, is played on at its best.
int BruteForceValue(const rules::Deal& deal, const Objective& objective);

// For people: the hands and what the objective is.
std::string Describe(const Ending& ending);

}  // namespace tarot::ai
