// Tests that the names of seats and suits do not matter. A deal with renumbered seats or exchanged
// suits must have the same legal actions, views and result.
#include <gtest/gtest.h>

#include "libs/rules/testing/random_deals.h"
#include "libs/rules/testing/random_rules.h"
#include "libs/rules/view.h"

namespace tarot::rules {
namespace {

// Says how seats and suits are renamed. Seat s becomes seat (s + by) % players, and suit number i
// becomes suit number suits[i].
struct Renaming {
  int players = 4;
  int by = 0;
  std::array<int, 4> suits{0, 1, 2, 3};

  Seat operator()(Seat seat) const { return seat == kNoSeat ? kNoSeat : (seat + by) % players; }
  Card operator()(Card card) const {
    if (card == kNoCard || Index(card) >= 56) return card;
    const auto suit = static_cast<std::size_t>(SuitOf(card));
    return SuitCard(static_cast<Suit>(suits[suit]), RankOf(card));
  }
  CardSet operator()(CardSet set) const {
    CardSet out;
    for (const Card c : set) out.Insert((*this)(c));
    return out;
  }
  template <typename T>
  std::array<T, kPlayersMax> Seats(const std::array<T, kPlayersMax>& by_seat) const {
    std::array<T, kPlayersMax> out{};
    for (Seat seat = 0; seat < players; ++seat) {
      const T& value = by_seat[static_cast<std::size_t>(seat)];
      T& target = out[static_cast<std::size_t>((*this)(seat))];
      if constexpr (std::is_same_v<T, CardSet>) {
        target = (*this)(value);
      } else {
        target = value;
      }
    }
    return out;
  }
  Action operator()(Action action) const {
    action.card = (*this)(action.card);
    action.cards = (*this)(action.cards);
    return action;
  }
  LegalActions operator()(LegalActions legal) const {
    legal.calls = (*this)(legal.calls);
    legal.discards = (*this)(legal.discards);
    legal.handful_cards = (*this)(legal.handful_cards);
    legal.cards = (*this)(legal.cards);
    return legal;
  }
};

void ExpectSameState(const Deal& deal, const Deal& other, const Renaming& rename) {
  ASSERT_EQ(other.phase, deal.phase);
  ASSERT_EQ(other.turn, rename(deal.turn));
  ASSERT_EQ(other.taker, rename(deal.taker));
  ASSERT_EQ(other.partner, rename(deal.partner));
  ASSERT_EQ(other.contract, deal.contract);
  ASSERT_EQ(other.hands, rename.Seats(deal.hands));
  ASSERT_EQ(other.discard, rename(deal.discard));
  ASSERT_EQ(ListLegal(other), rename(ListLegal(deal)));
}

void ExpectSameView(const Deal& deal, const Deal& other, const Renaming& rename) {
  for (Seat seat = kNoSeat; seat < deal.players; ++seat) {
    const View a = MakeView(deal, seat);
    const View b = MakeView(other, rename(seat));
    ASSERT_EQ(b.hand, rename(a.hand));
    ASSERT_EQ(b.hand_counts, rename.Seats(a.hand_counts));
    ASSERT_EQ(b.partner, rename(a.partner));
    ASSERT_EQ(b.dog, rename(a.dog));
    ASSERT_EQ(b.discard, rename(a.discard));
    ASSERT_EQ(b.discard_shown, rename(a.discard_shown));
    ASSERT_EQ(b.legal, rename(a.legal));
  }
}

void ExpectSamePlay(const RuleSet& rules, const Renaming& rename, Rng& rng) {
  Deal deal = RandomDeal(rules, rename.players, rng);
  Deal other = StartDeal(rules, rename.players, rename(deal.dealer), rename.Seats(deal.dealt),
                         rename(deal.dog), rename(deal.taker));
  while (deal.phase != Phase::kDone) {
    ASSERT_NO_FATAL_FAILURE(ExpectSameState(deal, other, rename));
    ASSERT_NO_FATAL_FAILURE(ExpectSameView(deal, other, rename));
    // The deal and its renamed copy must refuse an action for the same reason.
    const Card any = CardAt(rng.Below(kCardCount));
    ASSERT_EQ(Check(other, other.turn, Action::Play(rename(any))).reason,
              Check(deal, deal.turn, Action::Play(any)).reason);
    const Action action = RandomAction(deal, rng);
    ASSERT_TRUE(Apply(deal, deal.turn, action).ok());
    ASSERT_TRUE(Apply(other, other.turn, rename(action)).ok());
  }
  ASSERT_EQ(other.result.outcome, deal.result.outcome);
  ASSERT_EQ(other.result.attack_half_points, deal.result.attack_half_points);
  ASSERT_EQ(other.result.score.unit, deal.result.score.unit);
  ASSERT_EQ(other.result.scores, rename.Seats(deal.result.scores));
}

template <typename Rename>
void ForCustomRuleSets(const Rename& rename) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Rng rng(seed);
    const RuleSet rules = RandomRuleSet(rng);
    for (int n = rules.players_min; n <= rules.players_max; ++n) {
      SCOPED_TRACE(testing::Message() << RuleSetText(rules) << " players=" << n);
      ASSERT_NO_FATAL_FAILURE(ExpectSamePlay(rules, rename(n, rng), rng));
    }
  }
}

template <typename Rename>
void ForEveryRuleSet(const Rename& rename) {
  ASSERT_NO_FATAL_FAILURE(ForCustomRuleSets(rename));
  for (const NamedRuleSet& named : RuleSets()) {
    for (int n = named.rules.players_min; n <= named.rules.players_max; ++n) {
      for (std::uint64_t seed = 0; seed < 30; ++seed) {
        SCOPED_TRACE(testing::Message() << std::string(named.name.data(), named.name.size())
                                        << " players=" << n << " seed=" << seed);
        Rng rng(seed);
        ExpectSamePlay(named.rules, rename(n, rng), rng);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(MetamorphicTest, RenumberingSeatsChangesOnlySeats) {
  ForEveryRuleSet([](int players, Rng& rng) {
    return Renaming{.players = players, .by = 1 + rng.Below(players - 1)};
  });
}

TEST(MetamorphicTest, ExchangingSuitsChangesOnlyNames) {
  ForEveryRuleSet([](int players, Rng& rng) {
    Renaming rename{.players = players};
    rng.Shuffle(rename.suits);
    return rename;
  });
}

}  // namespace
}  // namespace tarot::rules
