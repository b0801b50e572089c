#include "tools/lab/fit/auction.h"

#include "libs/ai/classic_bid.h"
#include "libs/rules/scoring.h"

namespace tarot::ai {

std::size_t DogOf(int contract) {
  return contract <= static_cast<int>(rules::Contract::kGarde)       ? 0
         : contract == static_cast<int>(rules::Contract::kGardeSans) ? 1
                                                                     : 2;
}

bool BiddingTurn::Open(int contract) const {
  return contract > highest && hand().endings[DogOf(contract)].known;
}

std::vector<int> Scores(const SampledDeal& deal, int taker, int contract) {
  const auto& ending = deal.hands[static_cast<std::size_t>(taker)].endings[DogOf(contract)];
  const rules::RuleSet& rules = rules::FindRuleSet("fft")->rules;
  rules::ScoreInput input;
  input.players = static_cast<int>(deal.hands.size());
  input.contract = static_cast<rules::Contract>(contract);
  input.attack_half_points = 2 * rules.threshold[0] + ending.margin;
  input.petit_au_bout = ending.petit_au_bout;
  input.slam = static_cast<rules::SlamOutcome>(ending.slam);
  input.has_partner = ending.partner >= 0 && ending.partner != taker;
  const rules::Score score = ComputeScore(rules, input);
  // SampledHand::Ending::handful is the number of points that the taker gets from each opponent.
  const int opponents = input.players - (input.has_partner ? 2 : 1);
  std::vector<int> scores(deal.hands.size(), score.defender - ending.handful);
  scores[static_cast<std::size_t>(taker)] =
      score.taker + ending.handful * (input.has_partner ? opponents - 1 : opponents);
  if (input.has_partner) {
    scores[static_cast<std::size_t>(ending.partner)] = score.partner + ending.handful;
  }
  return scores;
}

Auction Bid(const SampledDeal& deal, const std::vector<const Bidder*>& bidders, int forced_place,
            int forced) {
  Auction auction;
  auction.bids.resize(deal.hands.size());
  for (std::size_t place = 0; place < deal.hands.size() && auction.contract < 4; ++place) {
    const BiddingTurn turn{deal, static_cast<int>(place), auction.contract};
    const int bid = turn.place == forced_place ? forced : (*bidders[place])(turn);
    auction.bids[place] = bid;
    if (bid <= auction.contract) continue;
    auction.contract = bid;
    auction.taker = turn.place;
  }
  return auction;
}

std::vector<int> ScoresOf(const SampledDeal& deal, const Auction& auction) {
  if (auction.contract == 0) return std::vector<int>(deal.hands.size());
  return Scores(deal, auction.taker, auction.contract);
}

int ClassicBidder(const BiddingTurn& turn) {
  const int value = turn.hand().classic[turn.highest > 0 ? 1 : 0];
  int bid = static_cast<int>(ClassicContract(value, static_cast<int>(turn.deal.hands.size())));
  while (bid > turn.highest && !turn.Open(bid)) --bid;
  return bid > turn.highest ? bid : 0;
}

}  // namespace tarot::ai
