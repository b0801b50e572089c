#include "libs/ai/solver/prove.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "libs/ai/solver/endings.h"

namespace tarot::ai {
namespace {

using rules::Card;

std::string CheckCards(const Ending& ending, const OpenPosition& position, Solver& solver) {
  if (LegalCards(position) != ListLegal(ending.deal).cards) return "legal cards differ\n";
  for (const CardValue& card : solver.EveryCard(position, ending.objective)) {
    rules::Deal next = ending.deal;
    Apply(next, next.turn, rules::Action::Play(card.card));
    const int truth = BruteForceValue(next, ending.objective);
    if (card.value.lower != truth || card.value.upper != truth) {
      return absl::StrCat("card ", Index(card.card), ": ", card.value.lower, "..", card.value.upper,
                          ", not ", truth, "\n");
    }
  }
  return "";
}

// What is wrong with the solver's answers on `ending`.
std::string Fault(const Ending& ending, Rng& rng, Solver& solver) {
  const OpenPosition position = MakeOpenPosition(ending.deal);
  const int truth = BruteForceValue(ending.deal, ending.objective);
  const auto cap = static_cast<std::uint64_t>(1 + rng.Below(60));
  if (rng.Below(4) == 0) {
    const ValueBounds capped = solver.Value(position, ending.objective, cap);
    if (capped.lower > truth || capped.upper < truth) {
      return absl::StrCat("under a cap ", capped.lower, "..", capped.upper, ", not ", truth, "\n");
    }
  }
  if (rng.Below(4) == 0) {
    const Answer yes = solver.AtLeast(position, ending.objective, truth, cap);
    const Answer no = solver.AtLeast(position, ending.objective, truth + 1);
    if (yes == Answer::kNo) return absl::StrCat("at least ", truth, ": answered no\n");
    if (no != Answer::kNo) return absl::StrCat("at least ", truth + 1, ": not answered no\n");
  }
  if (rng.Below(8) == 0) {
    const std::string fault = CheckCards(ending, position, solver);
    if (!fault.empty()) return fault;
  }
  const ValueBounds value = solver.Value(position, ending.objective);
  if (value.lower == truth && value.upper == truth) return "";
  return absl::StrCat("value ", value.lower, "..", value.upper, ", not ", truth, "\n");
}

// Two tricks or three; now and then one, or four where few play: those cost a thousand times more.
int TricksOf(long i) {
  if (i % 512 == 0) return 4;
  if (i % 64 == 2) return 1;
  return i % 5 < 2 ? 3 : 2;
}

}  // namespace

std::string FirstFault(long count, std::uint64_t seed) {
  Solver solver(std::size_t{1} << 18);
  for (long i = 0; i < count; ++i) {
    Rng rng(seed << 40 | static_cast<std::uint64_t>(i));
    int tricks = TricksOf(i);
    Ending ending = RandomEnding(tricks, rng);
    if (tricks == 4 && ending.deal.players > 3) ending = RandomEnding(3, rng);
    const std::string fault = Fault(ending, rng, solver);
    if (!fault.empty()) return absl::StrCat("ending ", i, "\n", Describe(ending), "  ", fault);
  }
  return "";
}

std::string FirstMisfit(long count, std::uint64_t seed) {
  Solver solver(std::size_t{1} << 20);
  for (long i = 0; i < count; ++i) {
    Rng rng(seed << 40 | static_cast<std::uint64_t>(i));
    const Ending ending = RandomEnding(5, rng);
    const OpenPosition position = MakeOpenPosition(ending.deal);
    if (position.TricksLeft() < 3) continue;
    const int value = solver.Value(position, ending.objective).lower;
    const bool attack = position.InAttack(position.Turn());
    int best = attack ? -10'000 : 10'000;
    for (const Card card : LegalCards(position)) {
      rules::Deal next = ending.deal;
      Apply(next, next.turn, rules::Action::Play(card));
      const int behind =
          Solver(std::size_t{1} << 16).Value(MakeOpenPosition(next), ending.objective).lower;
      best = attack ? std::max(best, behind) : std::min(best, behind);
    }
    if (value == best) continue;
    return absl::StrCat("ending ", i, "\n", Describe(ending), "  value ", value,
                        ", but the best card's is ", best, "\n");
  }
  return "";
}

}  // namespace tarot::ai
