#include "libs/ai/likely_discard.h"

namespace tarot::ai {
namespace {

using rules::Card;
using rules::CardSet;
using rules::Suit;

constexpr std::array<Suit, 4> kSuits{Suit::kSpades, Suit::kHearts, Suit::kDiamonds, Suit::kClubs};
constexpr int kVoidMerit = 12;  // In half points of honours saved.

CardSet PlayedBy(const rules::View& view, rules::Seat seat) {
  CardSet played;
  for (int i = 0; i < view.trick_count; ++i) {
    const rules::Trick& trick = view.tricks[static_cast<std::size_t>(i)];
    for (int k = 0; k < trick.size; ++k) {
      if (view.After(trick.leader, k) == seat) {
        played.Insert(trick.cards[static_cast<std::size_t>(k)]);
      }
    }
  }
  return played;
}

// How much a player who holds `mine` of its suit wants `card` gone: honours that no King protects
// first, cards of long suits last.
int Wish(Card card, CardSet mine) {
  const int honour = HalfPoints(card) - 1;
  return (IsKing(mine.Last()) ? honour / 2 : 2 * honour) - 2 * mine.Size();
}

}  // namespace

LikelyDiscard::LikelyDiscard(const rules::View& view, const Knowledge& knowledge)
    : taker_(view.taker) {
  if (taker_ == rules::kNoSeat || taker_ == view.viewer) return;
  if (!rules::DogIsShown(view.rules, view.phase, view.contract)) return;
  count_ = knowledge.count[kAside];
  may_go_ = knowledge.may[kAside] - CardSet::AllTrumps();
  must_go_ = knowledge.unseen - knowledge.may[static_cast<std::size_t>(taker_)];
  played_ = PlayedBy(view, taker_);
}

CardSet LikelyDiscard::Choose(CardSet pool, unsigned emptied, int& merit) const {
  const CardSet hand = pool | played_;
  const CardSet may_go = pool & may_go_;
  CardSet cards = pool & must_go_;
  for (std::size_t i = 0; i < kSuits.size(); ++i) {
    if ((emptied >> i & 1u) == 0) continue;
    const CardSet mine = hand & CardSet::OfSuit(kSuits[i]);
    if (mine.Empty() || !may_go.ContainsAll(mine)) return CardSet();
    cards |= mine;
    merit += kVoidMerit;
  }
  if (cards.Size() > count_) return CardSet();
  std::array<int, rules::kCardCount> wish{};
  for (const Card card : may_go - cards) {
    wish[static_cast<std::size_t>(Index(card))] = Wish(card, hand & CardSet::OfSuit(SuitOf(card)));
  }
  while (cards.Size() < count_) {
    Card next = rules::kNoCard;
    for (const Card card : may_go - cards) {
      const bool more = next == rules::kNoCard || wish[static_cast<std::size_t>(Index(card))] >
                                                      wish[static_cast<std::size_t>(Index(next))];
      if (more) next = card;
    }
    if (next == rules::kNoCard) return CardSet();
    cards.Insert(next);
  }
  merit += HalfPoints(cards);
  return cards;
}

void LikelyDiscard::Rearrange(World& world) const {
  if (count_ == 0) return;
  CardSet& hand = world.hands[static_cast<std::size_t>(taker_)];
  const CardSet pool = hand | world.aside;
  CardSet best;
  int best_merit = 0;
  for (unsigned emptied = 0; emptied < 1u << kSuits.size(); ++emptied) {
    int merit = 0;
    const CardSet cards = Choose(pool, emptied, merit);
    if (cards.Empty() || merit <= best_merit) continue;
    best = cards;
    best_merit = merit;
  }
  if (best.Empty()) return;
  world.aside = best;
  hand = pool - best;
}

}  // namespace tarot::ai
