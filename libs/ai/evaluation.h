// Evaluation of actions over sampled worlds: the loop over the worlds of a decision, and the result
// of taking a deal in one world.
#pragma once

#include <cstdint>
#include <vector>

#include "libs/ai/policy.h"
#include "libs/ai/sampler.h"
#include "libs/ai/style.h"

namespace tarot::ai {

// The sampled worlds of one decision, and the nodes spent on them.
class WorldLoop {
 public:
  // `request` must outlive the loop; `request.node_budget` is not 0. `knowledge` is Know(view).
  WorldLoop(const rules::View& view, const Knowledge& knowledge, Rng rng, const Request& request,
            int worlds_max = 400);

  // Returns whether to evaluate one more world. True at least once, however small the budget.
  bool Again();
  const World& Next();
  // Returns the cards played so far; the caller adds the cards of its play-outs.
  std::uint64_t& nodes() { return decision_.nodes; }
  int worlds() const { return decision_.worlds; }

  // Returns the mean, in hundredths, of a sum of points over the worlds so far.
  int Mean(std::int64_t points) const { return static_cast<int>(100 * points / worlds()); }

  // Decides for the candidate with the highest value, the first of equals. There is at least one.
  Decision Answer(std::vector<Candidate> candidates);

 private:
  const Request& request_;
  const int worlds_max_;
  Sampler sampler_;
  Decision decision_;
};

// Plays out `world`, in which the viewer has taken with `contract` and called `call` (kNoCard: no
// card), and returns the input of the scoring formula. The viewer has not played yet, and `world`
// still holds the dog aside. Adds the cards that were played to `nodes`. All seats play in `style`
// or, if it is null, by the heuristic.
rules::ScoreInput PlayOutContract(const rules::View& view, const World& world,
                                  rules::Contract contract, rules::Card call, std::uint64_t& nodes,
                                  const StyleWeights* style = nullptr);

// Returns the half points of the attack above those that the federation's rules ask for its bouts.
int MarginOf(const rules::ScoreInput& input);

}  // namespace tarot::ai
