#include "libs/ai/heuristic.h"

#include "libs/ai/thumb.h"
#include "libs/base/check.h"

namespace tarot::ai {
namespace {

using rules::Action;
using rules::CardSet;
using rules::Contract;
using rules::View;

// From which HandValue() on each contract is bid, by number of players. Sans and Contre are counted
// without voids: the dog stays where it is.
struct BidTable {
  int prise, garde, garde_sans, garde_contre;
};
constexpr std::array<BidTable, 3> kBidTables{
    {{56, 66, 96, 116}, {44, 54, 80, 96}, {34, 42, 68, 84}}};

Action ChooseBid(const View& view) {
  const BidTable& table = kBidTables[static_cast<std::size_t>(view.playing - 3)];
  const int value = HandValue(view.hand, true);
  const int plain = HandValue(view.hand, false);
  Contract bid = Contract::kPass;
  if (value >= table.prise) bid = Contract::kPrise;
  if (value >= table.garde) bid = Contract::kGarde;
  if (plain >= table.garde_sans) bid = Contract::kGardeSans;
  if (plain >= table.garde_contre) bid = Contract::kGardeContre;
  const auto& legal = view.legal.bids;
  if (legal[static_cast<std::size_t>(bid)]) return Action::Bid(bid);
  std::size_t lowest = 0;  // A pass, but for the taker of a board.
  while (!legal[lowest]) ++lowest;
  return Action::Bid(static_cast<Contract>(lowest));
}

Action ChooseDiscard(const View& view) {
  const rules::DiscardRule rule{.allowed = view.legal.discards,
                                .count = view.legal.discard_count,
                                .trump_count = view.legal.discard_trump_count};
  return Action::Discard(ThumbDiscards(view.hand, rule, view.called_card, 1).front());
}

// Everything that is not seen counts as still to come, with the others.
Action ChooseCard(const View& view) {
  World world;
  world.hands[static_cast<std::size_t>(view.viewer)] = view.hand;
  Table table = MakeTable(view, world);
  if (view.partner != rules::kNoSeat) table.attack |= 1u << static_cast<unsigned>(view.partner);
  CardSet gone = view.discard | view.discard_shown;
  for (int i = 0; i < view.trick_count; ++i) {
    const rules::Trick& trick = view.tricks[static_cast<std::size_t>(i)];
    for (int k = 0; k < trick.size; ++k) gone.Insert(trick.cards[static_cast<std::size_t>(k)]);
  }
  table.held = CardSet::All() - gone;
  const rules::Card card = ThumbCard(table);
  return Action::Play(view.legal.cards.Contains(card) ? card : view.legal.cards.First());
}

Action ChoosePlay(const View& view) {
  for (int level = 3; level >= 1; --level) {
    if (!view.legal.handful_levels[static_cast<std::size_t>(level)]) continue;
    const int size = view.rules.HandfulSize(view.players, level);
    return Action::Handful(HandfulCards(view.legal.handful_cards, size));
  }
  return ChooseCard(view);
}

}  // namespace

Decision Novice::Choose(const View& view, Rng /*rng*/, const Request& /*request*/) const {
  switch (view.phase) {
    case rules::Phase::kBidding:
      return {.action = ChooseBid(view)};
    case rules::Phase::kCalling:
      if (view.legal.calls.Empty()) return {.action = Action::Call(rules::kNoCard)};
      return {.action = Action::Call(ThumbCall(view.hand, view.legal.calls))};
    case rules::Phase::kDiscarding:
      return {.action = ChooseDiscard(view)};
    case rules::Phase::kSlam:
      return {.action = Action::Slam(CertainSlam(view.hand))};
    case rules::Phase::kPlaying:
      return {.action = ChoosePlay(view)};
    case rules::Phase::kDone:
      break;
  }
  TAROT_CHECK(false);  // Nobody is in turn.
  return {};
}

}  // namespace tarot::ai
