#include "tools/tarotctl/play/simplest_action.h"

#include "libs/rules/cards.h"
#include "tools/cli/card_face.h"

namespace tarot::tarotctl {
namespace {

using rules::v1::Contract;

Contract Bid(const rules::v1::DealView& deal) {
  const bool strong = (cli::ToSet(deal.hand()) & rules::CardSet::Bouts()).Size() >= 2;
  for (const int bid : deal.legal().bids()) {
    if (strong && bid != Contract::PASS) return static_cast<Contract>(bid);
  }
  return Contract::PASS;
}

// Takes as many trumps as the rules demand, and other cards first.
void Discard(const rules::v1::LegalActions& legal, rules::v1::Action::Discard& out) {
  std::uint32_t trumps = legal.discard_trump_count();
  std::uint32_t others = legal.discard_count() - trumps;
  const rules::CardSet all_trumps = rules::CardSet::OfSuit(rules::Suit::kTrumps);
  for (const std::uint32_t card : legal.discards()) {
    const bool is_trump = all_trumps.Contains(rules::CardAt(static_cast<int>(card)));
    std::uint32_t& left = is_trump ? trumps : others;
    if (left == 0) continue;
    --left;
    out.add_cards(card);
  }
}

}  // namespace

rules::v1::Action SimplestAction(const rules::v1::DealView& deal) {
  const rules::v1::LegalActions& legal = deal.legal();
  rules::v1::Action action;
  switch (deal.phase()) {
    case rules::v1::BIDDING:
      action.mutable_bid()->set_contract(Bid(deal));
      break;
    case rules::v1::CALLING:
      action.mutable_call();
      if (legal.calls_size() > 0) action.mutable_call()->set_card(legal.calls(0));
      break;
    case rules::v1::DISCARDING:
      Discard(legal, *action.mutable_discard());
      break;
    case rules::v1::SLAM:
      action.mutable_slam()->set_announce(false);
      break;
    default:
      if (legal.cards_size() > 0) action.mutable_play()->set_card(legal.cards(0));
      break;
  }
  return action;
}

}  // namespace tarot::tarotctl
