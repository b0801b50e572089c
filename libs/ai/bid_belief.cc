#include "libs/ai/bid_belief.h"

#include <algorithm>

namespace tarot::ai {
namespace {

using rules::CardSet;
using rules::Contract;

}  // namespace

int LogChanceOfBid(const BidTurn& turn, Contract bid, int margin) {
  const auto height = std::min<std::size_t>(static_cast<std::size_t>(turn.highest), 3);
  const auto& odds = kBidOdds[static_cast<std::size_t>(turn.playing - 3)][height][turn.last ? 1 : 0]
                             [static_cast<std::size_t>(bid)];
  constexpr int kLast = (kBeliefMargins - 1) * kBeliefMarginStep;
  const int above = std::clamp(margin - kBeliefMarginMin, 0, kLast - 1);
  const auto at = static_cast<std::size_t>(above / kBeliefMarginStep);
  const int part = above % kBeliefMarginStep;
  return (odds[at] * (kBeliefMarginStep - part) + odds[at + 1] * part) / kBeliefMarginStep;
}

BidBelief::BidBelief(const rules::View& view, const Knowledge& knowledge)
    : strength_(HandStrength::For(view.playing)), dog_(view.dog) {
  if (view.rules.taker_by == rules::TakerBy::kBoard) return;
  Contract highest = Contract::kPass;
  for (int i = 0; i < view.bid_count; ++i) {
    const Contract bid = view.bids[static_cast<std::size_t>(i)];
    Turn turn{.seat = view.SeatOfBid(i),
              .place = i,
              .turn = {.playing = view.playing, .highest = highest, .last = i + 1 == view.playing},
              .bid = bid};
    highest = std::max(highest, bid);
    if (turn.seat == view.viewer) continue;
    turn.shown = PlayedBy(view, turn.seat);
    if (turn.seat == view.taker && rules::DogIsShown(view.rules, view.phase, view.contract)) {
      // If the view lacks cards of the dog, the taker's hand as dealt is unknown. So this bid says
      // nothing.
      if (view.dog.Size() != view.rules.DogSize(view.players)) continue;
      turn.shown |= view.discard_shown;
      turn.discarded = true;
    }
    turns_.push_back(turn);
  }
  if (knowledge.unseen.Empty()) turns_.clear();
}

int BidBelief::LogChance(const World& world) const {
  int sum = 0;
  for (const Turn& turn : turns_) {
    CardSet hand = world.hands[static_cast<std::size_t>(turn.seat)] | turn.shown;
    if (turn.discarded) hand = (hand | world.aside) - dog_;
    sum += LogChanceOfBid(turn.turn, turn.bid, strength_.Margin(hand, turn.place));
  }
  return sum;
}

}  // namespace tarot::ai
