#include "tools/lab/promises/promises.h"

#include <cmath>
#include <map>
#include <utility>

#include "libs/ai/arena.h"

namespace tarot::lab {
namespace {

// The promises of one deal so far, each with its seat. The results are not known yet.
struct Notes {
  std::vector<std::pair<rules::Seat, Promise>> promises;
};

PromiseRole RoleOf(const rules::View& view) {
  if (view.viewer == view.taker) return PromiseRole::kTaker;
  return view.viewer == view.partner ? PromiseRole::kPartner : PromiseRole::kDefender;
}

void Note(void* context, const rules::View& view, const ai::Decision& decision) {
  const bool card = decision.action.kind == rules::Action::Kind::kPlay;
  if (!card || view.taker == rules::kNoSeat || !decision.value().has_value()) return;
  const ai::Candidate& chosen = decision.candidates.front();
  if (!chosen.made.has_value()) return;
  Promise promise{.role = RoleOf(view),
                  .card = view.trick_count,
                  .cards = view.hand.Size() + view.trick_count - 1,
                  .multiplier = view.rules.Multiplier(view.contract),
                  .value = *decision.value() / 100.0,
                  .made = *chosen.made / 1000.0};
  static_cast<Notes*>(context)->promises.emplace_back(view.viewer, promise);
}

}  // namespace

std::vector<Promise> CollectPromises(const ai::Policy& policy, int players, int taken,
                                     std::uint64_t seed, std::uint64_t node_budget) {
  const std::vector<const ai::Policy*> seats(static_cast<std::size_t>(players), &policy);
  std::vector<Promise> all;
  for (int found = 0; found < taken; ++seed) {
    Rng rng(seed);
    rules::Deal deal = ai::RandomDeal(rules::FindRuleSet("fft")->rules, players, rng);
    Notes notes;
    ai::PlayToEnd(deal, seats, rng, node_budget, Note, &notes);
    if (deal.taker == rules::kNoSeat) continue;
    for (auto& [seat, promise] : notes.promises) {
      promise.deal = found;
      promise.result = deal.result.scores[static_cast<std::size_t>(seat)];
      promise.attack_won = deal.result.score.won;
      all.push_back(promise);
    }
    ++found;
  }
  return all;
}

Estimate MeanOf(const std::vector<Promise>& promises,
                const std::function<bool(const Promise&)>& counts,
                const std::function<double(const Promise&)>& number) {
  std::map<int, std::pair<double, int>> deals;  // By deal: the sum of the numbers, their count.
  double sum = 0;
  int count = 0;
  for (const Promise& promise : promises) {
    if (!counts(promise)) continue;
    auto& [deal_sum, deal_count] = deals[promise.deal];
    deal_sum += number(promise);
    ++deal_count;
    sum += number(promise);
    ++count;
  }
  if (count == 0) return {};
  Estimate estimate{.mean = sum / count, .deals = static_cast<int>(deals.size())};
  double squares = 0;
  for (const auto& [deal, part] : deals) {
    squares += std::pow(part.first - estimate.mean * part.second, 2);
  }
  estimate.half_width = 1.96 * std::sqrt(squares) / count;
  return estimate;
}

}  // namespace tarot::lab
