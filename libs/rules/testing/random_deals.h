// Makes deals for tests: random deals, and hands that hold given cards.
#pragma once

#include <array>
#include <initializer_list>

#include "libs/base/check.h"
#include "libs/base/rng.h"
#include "libs/rules/cards.h"
#include "libs/rules/deal.h"
#include "libs/rules/deck.h"

namespace tarot::rules {

inline CardSet Set(std::initializer_list<const char*> texts) {
  CardSet set;
  for (const char* text : texts) set.Insert(*ParseCard(text));
  return set;
}

inline Card Pick(CardSet set, Rng& rng) {
  int skip = rng.Below(set.Size());
  for (const Card c : set) {
    if (skip-- == 0) return c;
  }
  return kNoCard;
}

inline PackOrder RandomPack(Rng& rng) {
  PackOrder order;
  for (int i = 0; i < kCardCount; ++i) order[static_cast<std::size_t>(i)] = CardAt(i);
  rng.Shuffle(order);
  return order;
}

inline Deal RandomDeal(const RuleSet& rules, int players, Rng& rng) {
  const Seat dealer = rng.Below(players);
  const DealtCards cards = DealOut(rules, players, dealer, RandomPack(rng));
  const Seat taker = rules.taker_by == TakerBy::kBoard ? rng.Below(players) : kNoSeat;
  return StartDeal(rules, players, dealer, cards.hands, cards.dog, taker);
}

// Returns a bid for the seat in turn, in an auction that the first seat wins. The first seat bids
// `wanted`, or the lowest possible bid if `wanted` is not allowed. The other seats pass.
inline Action FirstTakes(const Deal& deal, Contract wanted) {
  const LegalActions legal = ListLegal(deal);
  if (deal.bid_count > 0) return Action::Bid(Contract::kPass);
  if (legal.bids[static_cast<std::size_t>(wanted)]) return Action::Bid(wanted);
  std::size_t lowest = 1;
  while (!legal.bids[lowest]) ++lowest;
  return Action::Bid(static_cast<Contract>(lowest));
}

// Returns a random legal action. A handful always has the lowest trumps and no Excuse.
inline Action RandomAction(const Deal& deal, Rng& rng) {
  const LegalActions legal = ListLegal(deal);
  switch (deal.phase) {
    case Phase::kBidding: {
      const auto contract = static_cast<Contract>(rng.Below(5));
      const bool open = legal.bids[static_cast<std::size_t>(contract)];
      const bool takes = !legal.bids[0] || rng.Below(2) == 0;
      if (open && takes) return Action::Bid(contract);
      if (legal.bids[0]) return Action::Bid(Contract::kPass);
      return RandomAction(deal, rng);
    }
    case Phase::kCalling:
      if (legal.call_nobody && (legal.calls.Empty() || rng.Below(3) == 0)) {
        return Action::Call(kNoCard);
      }
      return Action::Call(Pick(legal.calls, rng));
    case Phase::kDiscarding: {
      CardSet out;
      if (legal.discard_trump_count > 0) out = legal.discards - CardSet::AllTrumps();
      CardSet rest = legal.discards - out;
      while (out.Size() < legal.discard_count) {
        out.Insert(Pick(rest, rng));
        rest -= out;
      }
      return Action::Discard(out);
    }
    case Phase::kSlam:
      return Action::Slam(rng.Below(8) == 0);
    default:
      break;
  }
  for (int level = 1; level <= 3; ++level) {
    if (!legal.handful_levels[static_cast<std::size_t>(level)] || rng.Below(2) == 0) continue;
    const CardSet trumps = legal.handful_cards & CardSet::AllTrumps();
    CardSet shown;
    for (const Card c : trumps) {
      if (shown.Size() < deal.rules.HandfulSize(deal.players, level)) shown.Insert(c);
    }
    if (shown.Size() == deal.rules.HandfulSize(deal.players, level)) return Action::Handful(shown);
  }
  return Action::Play(Pick(legal.cards, rng));
}

// Returns hands in which seat 0 holds the first set of `given`, seat 1 the second, and so on. The
// other cards fill the hands in the order of the seats.
inline std::array<CardSet, kPlayersMax> HandsWith(const RuleSet& rules, int players, CardSet dog,
                                                  std::initializer_list<CardSet> given) {
  std::array<CardSet, kPlayersMax> hands;
  CardSet left = CardSet::All() - dog;
  std::size_t at = 0;
  for (const CardSet set : given) {
    hands[at++] = set;
    left -= set;
  }
  for (std::size_t seat = 0; seat < static_cast<std::size_t>(players); ++seat) {
    for (const Card c : left) {
      if (hands[seat].Size() == rules.HandSize(players)) break;
      hands[seat].Insert(c);
    }
    left -= hands[seat];
    TAROT_CHECK(hands[seat].Size() == rules.HandSize(players));
  }
  TAROT_CHECK(left.Empty());
  return hands;
}

}  // namespace tarot::rules
