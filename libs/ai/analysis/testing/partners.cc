#include "libs/ai/analysis/testing/partners.h"

#include "libs/ai/arena.h"
#include "libs/ai/fast_deal.h"
#include "libs/ai/heuristic.h"
#include "libs/base/check.h"

namespace tarot::ai {
namespace {

rules::Card RandomCard(rules::CardSet legal, Rng& rng) {
  for (int skipped = rng.Below(legal.Size()); skipped > 0; --skipped) legal.Erase(legal.First());
  return legal.First();
}

rules::Card ChooseCard(const SimulatedPlayer& player, const FastDeal& deal, Rng& rng) {
  if (rng.Below(1000) < player.random_cards) return RandomCard(deal.Legal(), rng);
  const bool helps = player.friend_seat == deal.taker && rng.Below(100) < player.helping_cards;
  if (!helps) return HeuristicCard(deal);
  FastDeal as_partner = deal;
  as_partner.attack |= 1u << deal.turn;
  return HeuristicCard(as_partner);
}

}  // namespace

History PlayWithPartners(const std::array<SimulatedPlayer, rules::kPlayersMax>& players,
                         int player_count, Rng& rng) {
  History history{.start = RandomDeal(rules::RuleSet(), player_count, rng)};
  rules::Deal deal = history.start;
  std::optional<FastDeal> fast;
  while (deal.phase != rules::Phase::kDone) {
    const rules::Seat seat = deal.turn;
    rules::Action action;
    if (deal.phase != rules::Phase::kPlaying) {
      action = Novice().Choose(RememberedView(deal, seat), Rng(1), {}).action;
    } else {
      if (!fast) {
        World world{.hands = deal.hands};
        if (deal.discard.Empty()) world.aside = deal.dog;
        fast = MakeFastDeal(RememberedView(deal, deal.taker), world);
      }
      const auto& player = players[static_cast<std::size_t>(seat)];
      action = rules::Action::Play(ChooseCard(player, *fast, rng));
      fast->Play(action.card);
    }
    TAROT_CHECK(Apply(deal, seat, action).ok());
    history.entries.emplace_back(seat, action);
  }
  return history;
}

}  // namespace tarot::ai
