#include "libs/ai/arena.h"

#include <cmath>

#include "libs/base/check.h"
#include "libs/rules/deck.h"

namespace tarot::ai {

rules::Deal RandomDeal(const rules::RuleSet& rules, int players, Rng& rng) {
  rules::PackOrder order;
  for (int i = 0; i < rules::kCardCount; ++i) order[static_cast<std::size_t>(i)] = rules::CardAt(i);
  const rules::Seat dealer = rng.Below(players);
  for (;;) {
    rng.Shuffle(order);
    const rules::DealtCards dealt = DealOut(rules, players, dealer, order);
    const bool board = rules.taker_by == rules::TakerBy::kBoard;
    const rules::Seat taker = board ? rng.Below(players) : rules::kNoSeat;
    rules::Deal deal = StartDeal(rules, players, dealer, dealt.hands, dealt.dog, taker);
    if (deal.phase != rules::Phase::kDone) return deal;
  }
}

void PlayToEnd(rules::Deal& deal, absl::Span<const Policy* const> policies, Rng& rng,
               std::uint64_t node_budget, Witness witness, void* context) {
  while (deal.phase != rules::Phase::kDone) {
    const rules::Seat seat = deal.turn;
    const rules::View view = RememberedView(deal, seat);
    const Policy& policy = *policies[static_cast<std::size_t>(seat)];
    const Decision decision = policy.Choose(view, Rng(rng.Next()), {.node_budget = node_budget});
    if (witness != nullptr) witness(context, view, decision);
    TAROT_CHECK(Apply(deal, seat, decision.action).ok());
  }
}

Margin Duplicate(const rules::RuleSet& rules, int players, const Policy& one, const Policy& rest,
                 int deals, std::uint64_t seed, std::uint64_t node_budget) {
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < deals; ++i) {
    Rng rng(seed + static_cast<std::uint64_t>(i));
    const rules::Deal start = RandomDeal(rules, players, rng);
    int points = 0;
    for (int seat = 0; seat < players; ++seat) {
      std::vector<const Policy*> policies(static_cast<std::size_t>(players), &rest);
      policies[static_cast<std::size_t>(seat)] = &one;
      rules::Deal deal = start;
      Rng same_luck = rng;
      PlayToEnd(deal, policies, same_luck, node_budget);
      points += deal.result.scores[static_cast<std::size_t>(seat)];
    }
    const double mean = static_cast<double>(points) / players;
    sum += mean;
    squares += mean * mean;
  }
  const double mean = sum / deals;
  const double variance = squares / deals - mean * mean;
  return {.points = mean, .half_width = 1.96 * std::sqrt(variance / deals)};
}

}  // namespace tarot::ai
