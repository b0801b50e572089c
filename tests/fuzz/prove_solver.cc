// Usage: prove_solver [endings [seed]]. Compares the solver with brute force on `endings` small
// endgames. After every 25 small endgames, also takes one longer endgame, and compares results of
// the solver with one another. Prints one line, or the first endgame where two results differ.
#include <cstdio>
#include <cstdlib>

#include "libs/ai/solver/testing/brute_force.h"

int main(int argc, char** argv) {
  const long count = argc > 1 ? std::atol(argv[1]) : 100000;
  const long seed = argc > 2 ? std::atol(argv[2]) : 1;
  if (count < 1) {
    std::fprintf(stderr, "usage: prove_solver [endings [seed]]\n");
    return 2;
  }
  std::string fault = tarot::ai::FirstWrongAnswer(count, static_cast<std::uint64_t>(seed));
  if (fault.empty()) {
    fault = tarot::ai::FirstInconsistency(count / 25, static_cast<std::uint64_t>(seed));
  }
  if (!fault.empty()) {
    std::printf("%s", fault.c_str());
    return 1;
  }
  std::printf("%ld endings: the solver and brute force agree on all\n", count);
  return 0;
}
