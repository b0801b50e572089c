#include "libs/ai/classic_bid.h"

#include <algorithm>

namespace tarot::ai {
namespace {

using rules::CardSet;
using rules::Contract;
using rules::Suit;

// The limits of the contracts. With p players, a hand for contract c must have at least the value
// kLimits[c] + kMoved[p - 3].
constexpr std::array<int, 5> kLimits{0, 40, 56, 71, 81};
constexpr std::array<int, 3> kMoved{12, 0, -11};

int TrumpPoints(CardSet hand) {
  const CardSet trumps = hand & (CardSet::AllTrumps() | CardSet{rules::kExcuse});
  const int count = trumps.Size();
  int value = count > 4 ? 2 * count : 0;
  if (hand.Contains(rules::kTwentyOne)) value += 10;
  if (hand.Contains(rules::kExcuse)) value += 8;
  if (hand.Contains(rules::kPetit) && count >= 5) value += count == 5 ? 5 : count == 6 ? 7 : 9;
  for (int rank = 16; rank <= 21; ++rank) {
    if (!hand.Contains(rules::Trump(rank))) continue;
    value += 2;
    const bool above = rank < 21 && hand.Contains(rules::Trump(rank + 1));
    const bool below = rank > 16 && hand.Contains(rules::Trump(rank - 1));
    if (above || below) value += 1;
  }
  return value;
}

int SuitPoints(CardSet cards, Suit suit, bool distribution) {
  const bool king = cards.Contains(SuitCard(suit, 14));
  const bool queen = cards.Contains(SuitCard(suit, 13));
  int value = king && queen ? 10 : king ? 6 : queen ? 3 : 0;
  if (cards.Contains(SuitCard(suit, 12))) value += 2;
  if (cards.Contains(SuitCard(suit, 11))) value += 1;
  const int length = cards.Size();
  if (length >= 5) value += 2 * std::min(length, 7) - 5;
  if (distribution && length == 0) value += 6;
  if (distribution && length == 1) value += 3;
  return value;
}

}  // namespace

int ClassicValue(CardSet hand, bool distribution) {
  int value = TrumpPoints(hand);
  for (const Suit suit : {Suit::kSpades, Suit::kHearts, Suit::kDiamonds, Suit::kClubs}) {
    value += SuitPoints(hand & CardSet::OfSuit(suit), suit, distribution);
  }
  return value;
}

Contract ClassicContract(int value, int playing) {
  const int moved = value - kMoved[static_cast<std::size_t>(playing - 3)];
  std::size_t contract = 0;
  while (contract + 1 < kLimits.size() && moved >= kLimits[contract + 1]) ++contract;
  return static_cast<Contract>(contract);
}

Contract ClassicBid(const rules::View& view) {
  const auto& legal = view.legal.bids;
  // The published method adds points for voids and singletons only if another player has already
  // bid a contract.
  const bool over = std::any_of(view.bids.begin(), view.bids.begin() + view.bid_count,
                                [](Contract bid) { return bid != Contract::kPass; });
  auto bid = static_cast<std::size_t>(ClassicContract(ClassicValue(view.hand, over), view.playing));
  while (bid > 0 && !legal[bid]) --bid;
  // A pass is illegal only if a tournament board has fixed the viewer as the taker.
  while (!legal[bid]) ++bid;
  return static_cast<Contract>(bid);
}

Decision WithClassicBids::Choose(const rules::View& view, Rng rng, const Request& request) const {
  if (view.phase != rules::Phase::kBidding) return other_.Choose(view, rng, request);
  return {.action = rules::Action::Bid(ClassicBid(view))};
}

}  // namespace tarot::ai
