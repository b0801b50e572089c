// Contains helpers for tests of the rules. They make deals with given hands, and play these deals
// to the point that a test needs.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/rules/testing/random_deals.h"

namespace tarot::rules {

inline const RuleSet& Named(const char* name) { return FindRuleSet(name)->rules; }
inline Card CardOf(const char* text) { return *ParseCard(text); }

// Reads cards and runs of cards, for example "T8-21 S14 EX".
inline CardSet Cards(absl::string_view text) {
  CardSet set;
  for (const absl::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    const std::vector<std::string> ends = absl::StrSplit(word.substr(1), '-');
    if (word == "EX") {
      set.Insert(kExcuse);
      continue;
    }
    int low = 0;
    int high = 0;
    TAROT_CHECK(absl::SimpleAtoi(ends.front(), &low) && absl::SimpleAtoi(ends.back(), &high));
    for (int rank = low; rank <= high; ++rank) {
      set.Insert(*ParseCard(absl::StrCat(word.substr(0, 1), rank)));
    }
  }
  return set;
}

// Returns a deal under the rule set named `set`. The last seat deals, so seat 0 speaks and leads
// first.
inline Deal DealWith(const char* set, int players, CardSet dog,
                     std::initializer_list<CardSet> hands) {
  return StartDeal(Named(set), players, players - 1, HandsWith(Named(set), players, dog, hands),
                   dog);
}

inline void Do(Deal& deal, const Action& action) {
  const Verdict verdict = Apply(deal, deal.turn, action);
  ASSERT_TRUE(verdict.ok()) << ReasonName(verdict.reason);
}

// Returns why the seat in turn may not do `action`, or kOk if it may.
inline Reason WhyNot(const Deal& deal, const Action& action) {
  return Check(deal, deal.turn, action).reason;
}

// Makes the seat in turn bid `contract`, and the other seats pass.
inline void Take(Deal& deal, Contract contract) {
  Do(deal, Action::Bid(contract));
  while (deal.phase == Phase::kBidding) Do(deal, Action::Bid(Contract::kPass));
}

// Returns the discard action with the cards of the lowest numbers, and with no more trumps than
// necessary.
inline Action LowestDiscard(const LegalActions& legal) {
  CardSet out;
  if (legal.discard_trump_count > 0) out = legal.discards - CardSet::AllTrumps();
  for (const Card c : legal.discards) {
    if (out.Size() < legal.discard_count) out.Insert(c);
  }
  return Action::Discard(out);
}

// Plays from the end of the auction to the first card. The taker calls the card with the lowest
// number, makes the LowestDiscard(), and announces no slam.
inline void ToFirstCard(Deal& deal) {
  while (deal.phase != Phase::kPlaying && deal.phase != Phase::kDone) {
    const LegalActions legal = ListLegal(deal);
    if (deal.phase == Phase::kCalling) {
      Do(deal, Action::Call(legal.calls.Empty() ? kNoCard : legal.calls.First()));
    } else if (deal.phase == Phase::kDiscarding) {
      Do(deal, LowestDiscard(legal));
    } else {
      Do(deal, Action::Slam(false));
    }
  }
}

// Plays the deal to its end. Each seat plays random legal cards that are not in `kept`. If all
// legal cards of a seat are in `kept`, the seat plays one of them.
inline void PlayOut(Deal& deal, CardSet kept, Rng& rng) {
  while (deal.phase == Phase::kPlaying) {
    const CardSet cards = ListLegal(deal).cards;
    const CardSet spare = cards - kept;
    Do(deal, Action::Play(Pick(spare.Empty() ? cards : spare, rng)));
  }
}

// Plays the deal to its end. Each seat plays the legal card with the highest number that is not in
// `kept`. If all legal cards of a seat are in `kept`, the seat plays the legal card with the
// highest number.
inline void PlayHighest(Deal& deal, CardSet kept) {
  while (deal.phase == Phase::kPlaying) {
    const CardSet cards = ListLegal(deal).cards;
    const CardSet spare = cards - kept;
    Do(deal, Action::Play(spare.Empty() ? cards.Last() : spare.Last()));
  }
}

// Plays random deals and returns the first deal that satisfies `wanted` at its end. The seat after
// the dealer takes with `contract`, and PlayOut() plays the cards.
template <typename Predicate>
Deal PlayedDealWhere(const char* set, int players, Contract contract, CardSet kept,
                     Predicate wanted) {
  Rng rng(1);
  for (int i = 0; i < 100000; ++i) {
    Deal deal = RandomDeal(Named(set), players, rng);
    if (deal.phase == Phase::kDone) continue;
    Take(deal, contract);
    ToFirstCard(deal);
    PlayOut(deal, kept, rng);
    if (wanted(std::as_const(deal))) return deal;
  }
  TAROT_CHECK(false);
}

// Plays a deal of four players in which seat 0 wins all tricks before the last trick, and leads the
// Excuse to the last trick. If `defence` is true, seat 0 is a defender. If it is false, seat 0 is
// the taker.
inline Deal ExcuseLast(const RuleSet& rules, bool defence) {
  const CardSet dog = Cards("S1-6");
  const auto hands = HandsWith(rules, 4, dog, {Cards("T5-21 EX"), Cards("S7-14 H1-10")});
  Deal deal = StartDeal(rules, 4, 3, hands, dog);
  if (defence) Do(deal, Action::Bid(Contract::kPass));
  Take(deal, Contract::kGardeSans);
  ToFirstCard(deal);
  PlayHighest(deal, Cards("EX"));
  return deal;
}

// Plays a deal of four players in which the defenders win all tricks before the last trick. Seat 0
// leads S1 to the last trick, its partner in seat 1 plays the Excuse, and the taker in seat 2 plays
// the King of spades.
inline Deal ExcuseLastToAPartner(const RuleSet& rules) {
  const CardSet leader = Cards("T5-21 S1"), partner = Cards("H1-10 D1-7 EX");
  const CardSet taker = Cards("S10-14 C1-13");
  const CardSet dog = Cards("S2-5 H11 H12");
  Deal deal = StartDeal(rules, 4, 3, HandsWith(rules, 4, dog, {leader, partner, taker}), dog);
  Do(deal, Action::Bid(Contract::kPass));
  Do(deal, Action::Bid(Contract::kPass));
  Take(deal, Contract::kGardeSans);
  ToFirstCard(deal);
  PlayHighest(deal, Cards("S1 S14 EX"));
  return deal;
}

inline const Trick& TrickAt(const Deal& deal, int index) {
  return deal.tricks[static_cast<std::size_t>(index)];
}
inline const Trick& LastTrick(const Deal& deal) { return TrickAt(deal, deal.trick_count - 1); }

// Returns the seat that played `card` to `trick`, or kNoSeat if `trick` does not have `card`.
inline Seat PlayerOf(const Deal& deal, const Trick& trick, Card card) {
  for (int i = 0; i < trick.size; ++i) {
    if (trick.cards[static_cast<std::size_t>(i)] == card) return deal.After(trick.leader, i);
  }
  return kNoSeat;
}

// Returns the trick that has `card`, or nullptr if the card is in the dog or the écart.
inline const Trick* TrickOf(const Deal& deal, Card card) {
  for (int i = 0; i < deal.trick_count; ++i) {
    if (PlayerOf(deal, TrickAt(deal, i), card) != kNoSeat) return &TrickAt(deal, i);
  }
  return nullptr;
}

// Returns whether one camp played the Excuse to a trick that the other camp won. If `from_attack`
// is true, the attack must have played the Excuse. If it is false, the defence must have played it.
// If `last` is true, the trick must be the last trick. If it is false, the trick must be an earlier
// trick.
inline bool ExcuseCrosses(const Deal& deal, bool from_attack, bool last) {
  const Trick* trick = TrickOf(deal, kExcuse);
  return trick != nullptr && (trick == &LastTrick(deal)) == last &&
         deal.InAttack(PlayerOf(deal, *trick, kExcuse)) == from_attack &&
         deal.InAttack(trick->winner) != from_attack;
}

// Returns the cards that count for the attack before the Excuse changes its owner: the tricks that
// the attack won, the écart and, with Garde sans, the dog.
inline CardSet WonByAttack(const Deal& deal) {
  CardSet won = deal.discard;
  if (deal.contract == Contract::kGardeSans) won |= deal.dog;
  for (int i = 0; i < deal.trick_count; ++i) {
    const Trick& trick = TrickAt(deal, i);
    for (int at = 0; deal.InAttack(trick.winner) && at < trick.size; ++at) {
      won.Insert(trick.cards[static_cast<std::size_t>(at)]);
    }
  }
  return won;
}

// Returns the cards of `hand` that a seat may play after the cards of `table`, in the second trick.
// `set` is the name of the rule set.
inline CardSet MayPlay(const char* set, const char* hand, std::initializer_list<const char*> table,
                       int players = 4) {
  Deal deal;
  deal.rules = Named(set);
  deal.players = deal.playing = players;
  deal.phase = Phase::kPlaying;
  deal.taker = 0;
  deal.contract = Contract::kGarde;
  deal.trick_count = 2;
  Trick& trick = deal.tricks[1];
  trick.leader = 0;
  for (const char* card : table) trick.cards[static_cast<std::size_t>(trick.size++)] = CardOf(card);
  deal.turn = trick.size;
  deal.hands[static_cast<std::size_t>(deal.turn)] = Cards(hand);
  return ListLegal(deal).cards;
}

}  // namespace tarot::rules
