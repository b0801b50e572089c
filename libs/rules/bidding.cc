#include "libs/rules/bidding.h"

#include <algorithm>

namespace tarot::rules {
namespace {

CardSet OfRank(int rank) {
  CardSet cards;
  for (int suit = 0; suit < 4; ++suit) cards.Insert(SuitCard(static_cast<Suit>(suit), rank));
  return cards;
}

}  // namespace

Contract HighestBid(const Deal& deal) {
  return *std::max_element(deal.bids.begin(), deal.bids.end());  // Seats yet to speak hold kPass.
}

Seat HighestBidder(const Deal& deal) {
  const Contract highest = HighestBid(deal);
  if (highest == Contract::kPass) return kNoSeat;
  const auto at = std::find(deal.bids.begin(), deal.bids.end(), highest);
  return (deal.dealer + 1 + static_cast<Seat>(at - deal.bids.begin())) % deal.players;
}

CardSet CallableCards(const RuleSet& rules, CardSet hand) {
  CardSet callable;
  for (int rank = 14; rank >= rules.call_rank_min; --rank) {
    callable |= OfRank(rank);
    if (!hand.ContainsAll(OfRank(rank))) break;
  }
  const bool may_call_own =
      rules.self_call == SelfCall::kAllowed ||
      (rules.self_call == SelfCall::kOnlyWithFourKings && hand.ContainsAll(CardSet::Kings()));
  return may_call_own ? callable : callable - hand;
}

}  // namespace tarot::rules
