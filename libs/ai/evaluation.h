// Evaluates actions over sampled worlds. The file has the loop over the worlds of a decision, and a
// function that plays out a contract in one world.
#pragma once

#include <cstdint>
#include <vector>

#include "libs/ai/policy.h"
#include "libs/ai/sampler.h"
#include "libs/ai/style.h"

namespace tarot::ai {

// Samples the worlds of one decision, and counts the nodes that the search of these worlds takes.
class WorldLoop {
 public:
  // `request` must outlive the loop, and `request.node_budget` must not be 0. `knowledge` must be
  // Know(view).
  WorldLoop(const rules::View& view, const Knowledge& knowledge, Rng rng, const Request& request,
            int worlds_max = 400);

  // Returns whether to evaluate one more world. The first call always returns true, even with a
  // very small budget.
  bool Again();
  const World& Next();
  // The number of cards played so far. After each play-out, the caller adds the number of cards
  // that it played.
  std::uint64_t& nodes() { return decision_.nodes; }
  int worlds() const { return decision_.worlds; }

  // Returns the mean of `points` over the worlds so far, in hundredths of a point. `points` is the
  // sum over these worlds.
  int Mean(std::int64_t points) const { return static_cast<int>(100 * points / worlds()); }

  // Returns the decision for the candidate with the highest value. Among equal values, the first
  // candidate wins. There must be at least one candidate.
  Decision Answer(std::vector<Candidate> candidates);

 private:
  const Request& request_;
  const int worlds_max_;
  Sampler sampler_;
  Decision decision_;
};

// Compares the points of one action with those of another action in the same worlds. Let d be the
// difference of their points in one world.
struct Difference {
  std::int64_t sum = 0;      // The sum of d over all worlds.
  std::int64_t squares = 0;  // The sum of the squares of d.
  std::int64_t worlds = 0;

  void Add(std::int64_t d) {
    sum += d;
    squares += d * d;
    ++worlds;
  }
  // Returns whether the mean of d is large compared with the differences of d between worlds: it
  // must be more than an eighth of the root mean square of d. A comparison with the standard error
  // would not be enough: for some actions, the play-outs have an error that does not become smaller
  // with more worlds.
  bool StandsOut() const {
    constexpr int kDeviations = 8;
    return kDeviations * kDeviations * sum * sum > worlds * squares;
  }
  // Returns whether d is large enough to commit a fault (faults.h). The mean of d must stand out,
  // and it must also be more than two standard errors, because with few worlds an action often
  // stands out by luck.
  bool ExcusesAFault() const { return StandsOut() && sum * sum > 4 * squares; }
};

// Plays out `world` as if the viewer had taken with `contract` and had called `call` (kNoCard: no
// card). Returns the input of the scoring formula. `world.aside` must have the dog, and no card may
// have been played. Adds the number of cards played to `nodes`. All seats play in `style`, or
// by the heuristic if `style` is null.
rules::ScoreInput PlayOutContract(const rules::View& view, const World& world,
                                  rules::Contract contract, rules::Card call, std::uint64_t& nodes,
                                  const StyleWeights* style = nullptr);

// Returns the attack's half points above the threshold that the federation's rules set for the
// attack's number of bouts.
int MarginOf(const rules::ScoreInput& input);

}  // namespace tarot::ai
