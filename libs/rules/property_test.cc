// Tests properties of every deal, for every rule set and number of players.
#include <gtest/gtest.h>

#include <numeric>

#include "libs/rules/codec.h"
#include "libs/rules/match.h"
#include "libs/rules/testing/naive_rules.h"
#include "libs/rules/testing/random_deals.h"
#include "libs/rules/testing/random_rules.h"
#include "libs/rules/view.h"

namespace tarot::rules {
namespace {

void CheckCards(const Deal& deal) {
  CardSet seen = deal.discard;
  int count = seen.Size();
  const bool dog_apart = !deal.DogShown() || deal.taker == kNoSeat;
  const auto add = [&](CardSet set) {
    seen |= set;
    count += set.Size();
  };
  if (dog_apart) add(deal.dog);
  for (int seat = 0; seat < deal.players; ++seat) add(deal.hands[static_cast<std::size_t>(seat)]);
  for (int i = 0; i < deal.trick_count; ++i) {
    const Trick& trick = deal.tricks[static_cast<std::size_t>(i)];
    for (int at = 0; at < trick.size; ++at) add({trick.cards[static_cast<std::size_t>(at)]});
  }
  ASSERT_EQ(seen, CardSet::All());
  ASSERT_EQ(count, kCardCount) << "every card is in one place";
}

// Check() and the naive rules allow exactly the actions of ListLegal().
void CheckLegal(const Deal& deal) {
  const LegalActions legal = ListLegal(deal);
  const bool calling = deal.phase == Phase::kCalling;
  const bool playing = deal.phase == Phase::kPlaying;
  for (const Card card : CardSet::All()) {
    ASSERT_EQ(Check(deal, deal.turn, Action::Play(card)).ok(), legal.cards.Contains(card));
    ASSERT_EQ(Check(deal, deal.turn, Action::Call(card)).ok(), legal.calls.Contains(card));
    ASSERT_EQ(legal.cards.Contains(card), playing && naive::MayPlay(deal, card)) << CardText(card);
    ASSERT_EQ(legal.calls.Contains(card), calling && naive::MayCall(deal, card)) << CardText(card);
  }
  ASSERT_EQ(legal.cards.Empty(), !playing);
  ASSERT_EQ(Check(deal, deal.turn, Action::Call(kNoCard)).ok(), legal.call_nobody);
  ASSERT_EQ(legal.call_nobody, calling && (legal.calls.Empty() || !deal.rules.call_obligatory));
  for (std::size_t b = 0; b < legal.bids.size(); ++b) {
    const auto contract = static_cast<Contract>(b);
    ASSERT_EQ(Check(deal, deal.turn, Action::Bid(contract)).ok(), legal.bids[b]);
    ASSERT_EQ(legal.bids[b], deal.phase == Phase::kBidding && naive::MayBid(deal, contract));
  }
  ASSERT_EQ(Check(deal, deal.turn, Action::Slam(true)).ok(), legal.slam);
  ASSERT_EQ(legal.slam, deal.phase == Phase::kSlam);
  for (int level = 1; level <= 3; ++level) {
    ASSERT_EQ(legal.handful_levels[static_cast<std::size_t>(level)],
              playing && naive::MayShowLevel(deal, level));
  }
}

// Chooses random sets of cards as discards. The rules and the naive rules must agree on each. Most
// sets have the right number of cards.
void CheckDiscards(const Deal& deal, Rng& rng) {
  if (deal.phase != Phase::kDiscarding) return;
  const LegalActions legal = ListLegal(deal);
  ASSERT_GE(legal.discards.Size(), legal.discard_count);
  for (int i = 0; i < 20; ++i) {
    CardSet cards;
    CardSet from =
        rng.Below(2) == 0 ? legal.discards : deal.hands[static_cast<std::size_t>(deal.turn)];
    const int count = legal.discard_count + (rng.Below(4) == 0 ? rng.Below(3) - 1 : 0);
    while (cards.Size() < count && !from.Empty()) {
      cards.Insert(Pick(from, rng));
      from -= cards;
    }
    ASSERT_EQ(Check(deal, deal.turn, Action::Discard(cards)).ok(),
              naive::MayDiscard(deal, naive::ListOf(cards)));
  }
}

void CheckResult(const Deal& deal) {
  const DealResult& r = deal.result;
  const int sum = std::accumulate(r.scores.begin(), r.scores.end(), 0);
  if (r.outcome != Outcome::kScored || deal.rules.scoring == Scoring::kNormal) {
    ASSERT_EQ(sum, 0);
  }
  if (r.outcome != Outcome::kScored) return;
  if (deal.rules.teams == Teams::kEveryoneAlone) {
    // The pack has sixteen court cards and three bouts. Those in the dog are not in play.
    ASSERT_EQ(sum, 19 - (deal.dog & (Courts() | CardSet::Bouts())).Size());
  }
  ASSERT_GE(r.attack_half_points, 0);
  ASSERT_LE(r.attack_half_points, kTotalHalfPoints);
  // With four players, the points of each camp are whole numbers.
  if (deal.playing == 4) {
    ASSERT_EQ(r.attack_half_points % 2, 0);
  }
}

void PlayAndCheck(const RuleSet& rules, int players, Rng& rng) {
  Deal deal = RandomDeal(rules, players, rng);
  while (deal.phase != Phase::kDone) {
    ASSERT_NO_FATAL_FAILURE(CheckCards(deal));
    ASSERT_NO_FATAL_FAILURE(CheckLegal(deal));
    ASSERT_NO_FATAL_FAILURE(CheckDiscards(deal, rng));
    ASSERT_NE(deal.turn, deal.sits_out);
    const Action action = RandomAction(deal, rng);
    ASSERT_EQ(DecodeAction(EncodeAction(action)), action);
    ASSERT_TRUE(Apply(deal, deal.turn, action).ok());
  }
  ASSERT_NO_FATAL_FAILURE(CheckCards(deal));
  ASSERT_NO_FATAL_FAILURE(CheckResult(deal));
}

TEST(DealPropertyTest, HoldsForRandomPlayUnderEveryRuleSet) {
  for (const NamedRuleSet& named : RuleSets()) {
    for (int n = named.rules.players_min; n <= named.rules.players_max; ++n) {
      for (std::uint64_t seed = 0; seed < 40; ++seed) {
        SCOPED_TRACE(testing::Message() << named.name << " n=" << n << " seed=" << seed);
        Rng rng(seed * 8 + static_cast<std::uint64_t>(n));
        ASSERT_NO_FATAL_FAILURE(PlayAndCheck(named.rules, n, rng));
      }
    }
  }
}

int AnyPlayers(const RuleSet& rules, Rng& rng) {
  return rules.players_min + rng.Below(rules.players_max - rules.players_min + 1);
}

TEST(DealPropertyTest, HoldsForRandomPlayUnderCustomRuleSets) {
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    Rng rng(seed);
    const RuleSet rules = RandomRuleSet(rng);
    const int players = AnyPlayers(rules, rng);
    SCOPED_TRACE(testing::Message() << RuleSetText(rules) << " n=" << players << " seed=" << seed);
    ASSERT_EQ(ParseRuleSet(RuleSetText(rules)).value(), rules);
    ASSERT_NO_FATAL_FAILURE(PlayAndCheck(rules, players, rng));
  }
}

bool SameView(const View& a, const View& b) {
  const auto same_tricks = [&] {
    for (int i = 0; i < a.trick_count; ++i) {
      const Trick& x = a.tricks[static_cast<std::size_t>(i)];
      const Trick& y = b.tricks[static_cast<std::size_t>(i)];
      if (x.leader != y.leader || x.winner != y.winner || x.size != y.size || x.cards != y.cards) {
        return false;
      }
    }
    return true;
  };
  return a.hand == b.hand && a.hand_counts == b.hand_counts && a.bids == b.bids &&
         a.taker == b.taker && a.contract == b.contract && a.called_card == b.called_card &&
         a.partner == b.partner && a.dog == b.dog && a.discard == b.discard &&
         a.discard_shown == b.discard_shown && a.handful_count == b.handful_count &&
         a.handfuls == b.handfuls && a.trick_count == b.trick_count && same_tricks() &&
         a.legal == b.legal && a.turn == b.turn && a.phase == b.phase;
}

// If two deals differ only in cards that a viewer may not see, the viewer has the same view of
// both.
TEST(ViewPropertyTest, HiddenCardsNeverShow) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Rng rng(seed);
    const auto& named = RuleSets();
    const RuleSet rules = rng.Below(2) == 0 ? named[seed % named.size()].rules : RandomRuleSet(rng);
    const int n = AnyPlayers(rules, rng);
    SCOPED_TRACE(testing::Message() << RuleSetText(rules) << " n=" << n << " seed=" << seed);
    Deal deal = RandomDeal(rules, n, rng);
    for (int steps = rng.Below(60); steps > 0 && deal.phase != Phase::kDone; --steps) {
      ASSERT_TRUE(Apply(deal, deal.turn, RandomAction(deal, rng)).ok());
    }
    if (deal.phase == Phase::kDone) continue;
    // Makes a second deal, in which the cards that the viewer cannot see are shuffled.
    const Seat viewer = rng.Below(n + 1) - 1;
    Deal other = deal;
    std::vector<Card> hidden;
    const auto collect = [&](CardSet set) {
      for (const Card c : set) hidden.push_back(c);
    };
    const auto refill = [&](CardSet& set, CardSet known) {
      const int size = set.Size();
      set = known;
      while (set.Size() < size) {
        set.Insert(hidden.back());
        hidden.pop_back();
      }
    };
    const bool hide_dog = !deal.DogShown();
    const CardSet discard_known = deal.DiscardShown();
    const bool hide_discard = viewer != deal.taker;
    // The called card stays with its holder, because the rules may let the viewer know the holder.
    const CardSet called = deal.called_card == kNoCard ? CardSet{} : CardSet{deal.called_card};
    for (Seat seat = 0; seat < n; ++seat) {
      if (seat != viewer) collect(deal.hands[static_cast<std::size_t>(seat)] - called);
    }
    if (hide_dog) collect(deal.dog - called);
    if (hide_discard) collect(deal.discard - discard_known - called);
    rng.Shuffle(hidden);
    for (Seat seat = 0; seat < n; ++seat) {
      CardSet& hand = other.hands[static_cast<std::size_t>(seat)];
      if (seat != viewer) refill(hand, hand & called);
    }
    if (hide_dog) refill(other.dog, other.dog & called);
    if (hide_discard) refill(other.discard, discard_known | (other.discard & called));
    // Skips the case if the second deal shows other trumps of the écart.
    if (other.DiscardShown() != deal.DiscardShown()) continue;
    ASSERT_TRUE(SameView(MakeView(deal, viewer), MakeView(other, viewer)));
    ++compared;
  }
  EXPECT_GT(compared, 1000);
}

TEST(MatchTest, TotalsRunUntilEnoughDealsAreScored) {
  Rng rng(5);
  Match match = StartMatch(FindRuleSet("fft")->rules, 4, 3);
  std::array<int, kPlayersMax> totals{};
  int dealt = 0;
  while (!match.Finished()) {
    ASSERT_TRUE(StartNextDeal(match, RandomPack(rng)));
    EXPECT_EQ(match.deal.dealer, (3 + dealt) % 4) << "the deal goes round, redeals included";
    ++dealt;
    EXPECT_FALSE(match.DealRunning() && StartNextDeal(match, RandomPack(rng)));
    while (match.DealRunning()) {
      ASSERT_TRUE(Apply(match, match.deal.turn, RandomAction(match.deal, rng)).ok());
    }
    for (std::size_t s = 0; s < totals.size(); ++s) totals[s] += match.deal.result.scores[s];
  }
  EXPECT_EQ(match.deals_scored, 3);
  EXPECT_EQ(match.totals, totals);
  EXPECT_FALSE(StartNextDeal(match, RandomPack(rng)));
}

TEST(MatchTest, PassingForEverEndsToo) {
  Rng rng(6);
  Match match = StartMatch(FindRuleSet("fft")->rules, 4, 1);
  while (!match.Finished()) {
    ASSERT_TRUE(StartNextDeal(match, RandomPack(rng)));
    while (match.DealRunning()) {
      ASSERT_TRUE(Apply(match, match.deal.turn, Action::Bid(Contract::kPass)).ok());
    }
  }
  EXPECT_EQ(match.deals_dealt, DealsDealtMax(1));
  EXPECT_EQ(match.deals_scored, 0);
}

}  // namespace
}  // namespace tarot::rules
