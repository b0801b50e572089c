// Contains the "naive rules", a second implementation of the legal actions. Tests compare
// libs/rules with the naive rules. The naive rules follow only the sources in docs/rules, and work
// card by card, without sets of bits.
#pragma once

#include <algorithm>
#include <vector>

#include "libs/rules/deal.h"

namespace tarot::rules::naive {

inline std::vector<Card> ListOf(CardSet set) {
  std::vector<Card> cards;
  for (int i = 0; i < kCardCount; ++i) {
    if (set.Contains(CardAt(i))) cards.push_back(CardAt(i));
  }
  return cards;
}

inline bool Has(const std::vector<Card>& cards, Card card) {
  return std::find(cards.begin(), cards.end(), card) != cards.end();
}

// Returns whether a seat with `hand` may play `card`. Checks only the duties to follow suit, to
// trump and to overtrump. The Excuse is always legal. If the Excuse is led, the next card sets the
// suit.
inline bool MayFollow(const std::vector<Card>& hand, const std::vector<Card>& trick, Card card) {
  const Card* asked = nullptr;
  int highest = 0;
  for (const Card& c : trick) {
    if (asked == nullptr && c != kExcuse) asked = &c;
    if (IsTrump(c) && RankOf(c) > highest) highest = RankOf(c);
  }
  if (card == kExcuse || asked == nullptr) return true;
  bool has_suit = false, has_trump = false, has_higher = false;
  for (const Card& c : hand) {
    if (c == kExcuse) continue;
    has_suit = has_suit || SuitOf(c) == SuitOf(*asked);
    has_trump = has_trump || IsTrump(c);
    has_higher = has_higher || (IsTrump(c) && RankOf(c) > highest);
  }
  if (!IsTrump(*asked) && has_suit) return SuitOf(card) == SuitOf(*asked);
  if (has_higher) return IsTrump(card) && RankOf(card) > highest;
  return !has_trump || IsTrump(card);
}

// With five players, returns whether the call forbids `card` in the first trick. Usually only the
// leader is affected: the leader may lead no card of the called suit except the called card. In the
// rule set `booklet`, the other seats are affected too: they may not play the called suit if the
// leader did not lead the called card.
inline bool IsBarred(const Deal& deal, const std::vector<Card>& trick, Card card) {
  if (deal.called_card == kNoCard || deal.trick_count > 1) return false;
  if (deal.rules.call_lead == CallLead::kFree) return false;
  if (SuitOf(card) == Suit::kNone || SuitOf(card) != SuitOf(deal.called_card)) return false;
  if (trick.empty()) return card != deal.called_card;
  if (deal.rules.call_lead == CallLead::kSuitBarredExceptCard) return false;
  return trick.front() != deal.called_card;
}

inline bool MayPlay(const Deal& deal, Card card) {
  const std::vector<Card> hand = ListOf(deal.hands[static_cast<std::size_t>(deal.turn)]);
  const Trick& now = deal.tricks[static_cast<std::size_t>(deal.trick_count - 1)];
  const std::vector<Card> trick(now.cards.begin(), now.cards.begin() + now.size);
  if (!Has(hand, card) || !MayFollow(hand, trick, card)) return false;
  // If the call forbids all cards that MayFollow() allows, the seat may play any of them.
  bool anything_free = false;
  for (const Card c : hand) {
    anything_free = anything_free || (MayFollow(hand, trick, c) && !IsBarred(deal, trick, c));
  }
  return !anything_free || !IsBarred(deal, trick, card);
}

// Returns whether the seat in turn may bid `contract`, or pass if `contract` is kPass.
inline bool MayBid(const Deal& deal, Contract contract) {
  const bool board = deal.rules.taker_by == TakerBy::kBoard;
  if (contract == Contract::kPass) return !board || deal.rules.pass_allowed;
  for (int i = 0; i < deal.bid_count; ++i) {
    if (deal.bids[static_cast<std::size_t>(i)] >= contract) return false;
  }
  return (deal.rules.bids & (1 << static_cast<int>(contract))) != 0;
}

// Returns whether the taker may call `card`. With Call::kAnyCard, the card may be any card. With
// Call::kKingThenLower, it may be a King. With all four Kings in hand, it may also be a Queen. This
// rule continues down to the rank call_rank_min. `self_call` may forbid a card of the taker's own
// hand.
inline bool MayCall(const Deal& deal, Card card) {
  const std::vector<Card> hand = ListOf(deal.hands[static_cast<std::size_t>(deal.turn)]);
  const auto holds_all = [&](int rank) {
    int held = 0;
    for (const Card c : hand) held += Index(c) < 56 && RankOf(c) == rank ? 1 : 0;
    return held == 4;
  };
  if (deal.rules.self_call == SelfCall::kForbidden && Has(hand, card)) return false;
  if (deal.rules.self_call == SelfCall::kOnlyWithFourKings && Has(hand, card) && !holds_all(14)) {
    return false;
  }
  if (deal.rules.call == Call::kAnyCard) return true;
  if (Index(card) >= 56 || RankOf(card) < deal.rules.call_rank_min) return false;
  for (int rank = RankOf(card) + 1; rank <= 14; ++rank) {
    if (!holds_all(rank)) return false;
  }
  return true;
}

inline bool IsPlain(const Deal& deal, Card card) {
  const bool kept = card == deal.called_card && !deal.rules.discard_called_card_allowed;
  return !kept && Index(card) < 56 && RankOf(card) < 14;
}

inline bool IsLowTrump(const Deal& deal, Card card) {
  const bool kept = card == deal.called_card && !deal.rules.discard_called_card_allowed;
  return !kept && IsTrump(card) && RankOf(card) > 1 && RankOf(card) < 21;
}

// Returns whether the taker may lay aside `cards`. Kings and bouts always stay. With
// TrumpDiscard::kFree, the taker may lay aside any other trumps. With TrumpDiscard::kIfNeededShown,
// the number of trumps in the écart must be as small as possible.
inline bool MayDiscard(const Deal& deal, const std::vector<Card>& cards) {
  const std::vector<Card> hand = ListOf(deal.hands[static_cast<std::size_t>(deal.turn)]);
  const int due = deal.rules.dog_size[static_cast<std::size_t>(deal.players - 3)];
  int plain = 0, plain_gone = 0, trumps_gone = 0;
  for (const Card c : hand) plain += IsPlain(deal, c) ? 1 : 0;
  for (const Card c : cards) {
    if (!Has(hand, c) || (!IsPlain(deal, c) && !IsLowTrump(deal, c))) return false;
    ++(IsPlain(deal, c) ? plain_gone : trumps_gone);
  }
  if (plain_gone + trumps_gone != due) return false;
  if (deal.rules.trump_discard == TrumpDiscard::kFree) return true;
  return trumps_gone == std::max(0, due - plain);
}

// Returns whether the seat in turn can show a handful of `level`. A handful consists of trumps in
// the hand and, for the taker, of trumps of the écart that every seat has seen. It may contain the
// Excuse only if it shows all trumps in the hand.
inline bool MayShowLevel(const Deal& deal, int level) {
  if (!deal.rules.handful || deal.trick_count != 1) return false;
  for (int i = 0; i < deal.handful_count; ++i) {
    if (deal.handfuls[static_cast<std::size_t>(i)].seat == deal.turn) return false;
  }
  int held = 0, shown = 0;
  bool excuse = false;
  for (const Card c : ListOf(deal.hands[static_cast<std::size_t>(deal.turn)])) {
    held += IsTrump(c) ? 1 : 0;
    excuse = excuse || c == kExcuse;
  }
  const bool exposed = deal.rules.trump_discard == TrumpDiscard::kIfNeededShown &&
                       deal.rules.handful_shown_discard_counts && deal.turn == deal.taker;
  for (const Card c : ListOf(deal.discard)) shown += exposed && IsTrump(c) ? 1 : 0;
  const int size = deal.rules.HandfulSize(deal.players, level);
  if (held + shown >= size) return true;
  const bool counts = deal.rules.handful_excuse == HandfulExcuse::kIfNoHiddenTrump;
  return counts && excuse && held + shown + 1 == size;
}

}  // namespace tarot::rules::naive
