#include <bit>

#include "libs/ai/thumb.h"

namespace tarot::ai {
namespace {

using rules::Card;
using rules::CardSet;
using rules::Seat;
using rules::Suit;

constexpr std::array<Suit, 4> kSuits{Suit::kSpades, Suit::kHearts, Suit::kDiamonds, Suit::kClubs};

// What the seat in turn sees when it thinks about one card.
struct Sight {
  explicit Sight(const Table& t)
      : table(t),
        me(t.turn),
        hand(t.Hand(t.turn)),
        legal(t.Legal()),
        others(t.held - hand),
        opponents_after(std::popcount(t.waiting & t.OpponentsOf(t.turn))) {}

  // Nothing that is still to come in this trick is likely to beat `card`, were it winning.
  bool Safe(Card card) const {
    if (opponents_after == 0) return true;
    if (IsTrump(card)) return (others & CardSet::TrumpsAbove(RankOf(card))).Empty();
    const CardSet suit = others & CardSet::OfSuit(SuitOf(card));
    if (!suit.Empty() && RankOf(suit.Last()) > RankOf(card)) return false;
    return (others & CardSet::AllTrumps()).Empty() || suit.Size() >= 3 * opponents_after;
  }

  const Table& table;
  const Seat me;
  const CardSet hand;
  const CardSet legal;
  const CardSet others;
  const int opponents_after;  // Still to play to this trick.
};

// How much it hurts to lose `card`.
int Cost(Card card) {
  if (card == rules::kExcuse) return 1000;
  if (IsTrump(card)) return card == rules::kPetit ? 200 : 10 + RankOf(card);
  return 16 * HalfPoints(card) + RankOf(card);
}

Card Cheapest(CardSet cards) {
  Card best = rules::kNoCard;
  for (const Card c : cards) {
    if (best == rules::kNoCard || Cost(c) < Cost(best)) best = c;
  }
  return best;
}

// The most valuable card to put in a trick that one's camp is winning. The 21 wins by itself later.
Card Richest(CardSet cards) {
  Card best = rules::kNoCard;
  for (const Card c : cards - CardSet{rules::kExcuse, rules::kTwentyOne}) {
    if (best == rules::kNoCard || HalfPoints(c) > HalfPoints(best)) best = c;
  }
  return best == rules::kNoCard ? cards.First() : best;
}

Card LeadTrump(CardSet trumps, CardSet others) {
  const Card top = trumps.Last();
  if ((others & CardSet::TrumpsAbove(RankOf(top))).Empty()) return top;
  return Cheapest(trumps);
}

// A card that nothing in its suit beats, in the suit that others still hold most of; kNoCard when
// none is worth leading.
Card LeadMaster(const Sight& s, int others_min) {
  Card best = rules::kNoCard;
  int longest = others_min - 1;
  for (const Suit suit : kSuits) {
    const CardSet mine = s.legal & CardSet::OfSuit(suit);
    const CardSet theirs = s.others & CardSet::OfSuit(suit);
    if (mine.Empty()) continue;
    const bool master = theirs.Empty() || RankOf(theirs.Last()) < RankOf(mine.Last());
    if (master && theirs.Size() > longest) {
      longest = theirs.Size();
      best = mine.Last();
    }
  }
  return best;
}

// The lowest card of the longest suit, rather without honours that it would uncover.
Card LeadLow(CardSet cards) {
  Card best = rules::kNoCard;
  int best_length = -100;
  for (const Suit suit : kSuits) {
    const CardSet mine = cards & CardSet::OfSuit(suit);
    if (mine.Empty()) continue;
    const int length = 2 * mine.Size() - HalfPoints(mine.First());
    if (length > best_length) {
      best_length = length;
      best = mine.First();
    }
  }
  return best;
}

Card Lead(const Sight& s) {
  const CardSet trumps = s.legal & CardSet::AllTrumps();
  const CardSet their_trumps = s.others & CardSet::AllTrumps();
  const bool attack = s.table.InAttack(s.me);
  const bool draws = attack && !their_trumps.Empty() && 2 * trumps.Size() > their_trumps.Size();
  if (draws && trumps != CardSet{rules::kPetit}) return LeadTrump(trumps, s.others);
  const int others_min = their_trumps.Empty() ? 0 : 2 * (s.table.players - 1);
  if (const Card master = LeadMaster(s, others_min); master != rules::kNoCard) return master;
  if (const Card low = LeadLow(s.legal); low != rules::kNoCard) return low;
  if (!trumps.Empty()) return LeadTrump(trumps, s.others);
  return s.legal.First();
}

// Cards of `legal` that would win the trick as it lies.
CardSet Winners(const Sight& s) {
  const Table& t = s.table;
  if (t.led == Suit::kNone) return s.legal - CardSet{rules::kExcuse};
  if (IsTrump(t.winning)) return s.legal & CardSet::TrumpsAbove(RankOf(t.winning));
  CardSet winners = s.legal & CardSet::AllTrumps();
  for (const Card c : s.legal& CardSet::OfSuit(SuitOf(t.winning))) {
    if (RankOf(c) > RankOf(t.winning)) winners.Insert(c);
  }
  return winners;
}

Card Follow(const Sight& s) {
  const Table& t = s.table;
  const CardSet plain = s.legal - CardSet{rules::kExcuse};
  const CardSet winners = Winners(s);
  const bool ours = t.winning != rules::kNoCard && t.SameCamp(t.winner, s.me);
  if (ours && s.Safe(t.winning) && (winners.Empty() || !IsTrump(plain.Last())))
    return Richest(plain);
  CardSet safe;
  for (const Card c : winners) {
    if (s.Safe(c)) safe.Insert(c);
  }
  const CardSet trumps = safe & CardSet::AllTrumps();
  if (safe.Contains(rules::kPetit)) return rules::kPetit;
  if (!trumps.Empty()) return trumps.First();
  if (!safe.Empty()) return safe.Last();
  // The Petit of the other camp is worth a high trump, though a higher one may come.
  if (!ours && t.trick.Contains(rules::kPetit)) {
    const CardSet high = winners & CardSet::AllTrumps();
    if (!high.Empty()) return high.Last();
  }
  return Cheapest(plain);
}

}  // namespace

Card ThumbCard(const Table& table) {
  const Sight s(table);
  if (s.legal.First() == s.legal.Last()) return s.legal.First();
  const bool has_excuse = s.legal.Contains(rules::kExcuse);
  // In the last trick it would be lost.
  if (has_excuse && s.hand.Size() == 2 && !table.CampHasAllTricks(s.me)) return rules::kExcuse;
  if (table.led == Suit::kNone) return Lead(s);
  const Card card = Follow(s);
  // The Excuse saves an honour, or the Petit, that the other camp would get.
  const bool lost = !Winners(s).Contains(card) && !table.SameCamp(table.winner, s.me);
  return has_excuse && lost && Cost(card) >= 80 ? rules::kExcuse : card;
}

int ThumbPlayOut(Table& table) {
  int cards = 0;
  for (; !table.Over(); ++cards) table.Play(ThumbCard(table));
  return cards;
}

}  // namespace tarot::ai
