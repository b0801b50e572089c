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
  // The element of a seat that has not bid yet is kPass.
  return *std::max_element(deal.bids.begin(), deal.bids.end());
}

Seat HighestBidder(const Deal& deal) {
  const Contract highest = HighestBid(deal);
  if (highest == Contract::kPass) return kNoSeat;
  const auto at = std::find(deal.bids.begin(), deal.bids.end(), highest);
  return deal.SeatOfBid(static_cast<int>(at - deal.bids.begin()));
}

Verdict CheckBid(const Deal& deal, Contract contract) {
  if (contract == Contract::kPass) {
    const bool may_pass = deal.rules.taker_by == TakerBy::kAuction || deal.rules.pass_allowed;
    return may_pass ? Verdict{} : Verdict{.reason = Reason::kMustBid};
  }
  if (!deal.rules.AllowsBid(contract)) {
    return {.reason = Reason::kBidNotAllowed, .contract = contract};
  }
  const Contract highest = HighestBid(deal);
  if (contract <= highest) return {.reason = Reason::kBidTooLow, .contract = highest};
  return {};
}

bool AuctionOver(const Deal& deal) {
  const int speakers = deal.rules.taker_by == TakerBy::kBoard ? 1 : deal.playing;
  const int above_all = deal.rules.bids >> static_cast<int>(HighestBid(deal)) >> 1;
  return deal.bid_count == speakers || above_all == 0;
}

CardSet CallableCards(const RuleSet& rules, CardSet hand) {
  if (rules.call == Call::kAnyCard) return CardSet::All();
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
