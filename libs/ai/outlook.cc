#include "libs/ai/outlook.h"

#include "libs/ai/thumb.h"

namespace tarot::ai {

using rules::CardSet;
using rules::Contract;

rules::ScoreInput PlayedOut(const rules::View& view, const World& world, Contract contract,
                            rules::Card call, std::uint64_t& nodes, const StyleWeights* style) {
  rules::View taken = view;
  taken.phase = rules::Phase::kPlaying;
  taken.taker = view.viewer;
  taken.contract = contract;
  taken.called_card = call;
  const bool announcer_leads = view.slam_announced && view.rules.slam_announcer_leads;
  taken.turn = announcer_leads ? view.viewer : view.After(view.dealer, 1);
  World after = world;
  if (contract == Contract::kPrise || contract == Contract::kGarde) {
    CardSet& hand = after.hands[static_cast<std::size_t>(view.viewer)];
    hand |= world.aside;
    const auto rule = DiscardRuleFor(view.rules, hand, call, view.rules.DogSize(view.players));
    taken.discard = ThumbDiscards(hand, rule, call, 1).front();
    hand -= taken.discard;
    after.aside = CardSet();
  }
  Table table = MakeTable(taken, after);
  const int cards = style != nullptr ? StylePlayOut(table, *style) : ThumbPlayOut(table);
  nodes += static_cast<std::uint64_t>(cards);
  return Count(taken, after, table);
}

int MarginOf(const rules::ScoreInput& input) {
  constexpr rules::RuleSet kFederation;
  return input.attack_half_points -
         2 * kFederation.threshold[static_cast<std::size_t>(input.bouts)];
}

}  // namespace tarot::ai
