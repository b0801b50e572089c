#include "libs/ai/analysis/events.h"

#include <optional>
#include <vector>

#include "libs/ai/bid_belief.h"
#include "libs/ai/heuristic.h"
#include "libs/ai/sampler.h"
#include "libs/ai/search_policy.h"
#include "libs/ai/standard_error.h"

namespace tarot::ai {
namespace {

constexpr int kLayouts = 400;

// Adds the events of one finished play-out. `before` is the deal before the card.
void AddEvents(const FastDeal& before, const FastDeal& end, rules::Seat viewer,
               EventShares& counts) {
  const bool petit_was_out = before.petit_trick < 0 && end.petit_trick >= 0;
  if (!petit_was_out) return;
  const bool own = end.SameCamp(end.petit_owner, viewer);
  const bool won = end.SameCamp(end.petit_winner, viewer);
  if (own && !won) ++counts.petit_lost;
  if (!own && won) ++counts.petit_caught;
  if (won && end.petit_trick == end.tricks_played - 1) ++counts.petit_last;
}

}  // namespace

SampledEvents SampleEvents(const rules::View& view, const Knowledge& knowledge, rules::Card played,
                           rules::Card better, Rng rng) {
  std::optional<BidBelief> belief;
  if (kExpert.believes_bids[static_cast<std::size_t>(view.playing)]) {
    belief.emplace(view, knowledge);
  }
  Sampler sampler(knowledge, view.viewer, view.hand, rng, belief ? &*belief : nullptr);
  const LikelyDiscard likely_discard(view, knowledge);
  std::array<EventShares, 2> counts;
  std::vector<int> differences;  // In each layout, the half points that the better card brings.
  for (int layout = 0; layout < kLayouts; ++layout) {
    World world = sampler.Next();
    // As in the search for a card, three of four layouts get an écart that a player would choose.
    if (layout / 2 % 4 != 3) likely_discard.Rearrange(world);
    const FastDeal now = MakeFastDeal(view, world);
    std::array<int, 2> half_points{};
    for (std::size_t i = 0; i < counts.size(); ++i) {
      FastDeal deal = now;
      deal.Play(i == 0 ? played : better);
      while (deal.tricks_played == now.tricks_played) deal.Play(HeuristicCard(deal));
      // The winner of a trick leads the next one.
      if (deal.SameCamp(deal.turn, view.viewer)) ++counts[i].trick;
      if (layout % 2 == 0) {
        HeuristicPlayOut(deal);
      } else {
        StylePlayOut(deal, kFittedStyle);
      }
      AddEvents(now, deal, view.viewer, counts[i]);
      const int attack = Count(view, world, deal).attack_half_points;
      half_points[i] = deal.InAttack(view.viewer) ? attack : -attack;
    }
    differences.push_back(half_points[1] - half_points[0]);
  }
  for (EventShares& shares : counts) {
    for (int* share :
         {&shares.trick, &shares.petit_lost, &shares.petit_caught, &shares.petit_last}) {
      *share = 1000 * *share / kLayouts;
    }
  }
  int sum = 0;
  for (const int difference : differences) sum += difference;
  return {.shares = counts,
          .difference = 100 * sum / kLayouts,
          .difference_error = ErrorOfMean(differences, 100).value_or(0)};
}

}  // namespace tarot::ai
