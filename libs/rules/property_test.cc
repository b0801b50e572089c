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

// Chooses random sets of cards as discards. The rules and the naive rules must give the same answer
// for each set. Most sets have the right number of cards.
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
    // The pack has sixteen court cards and three bouts. Such a card in the dog counts for no seat.
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
         a.legal == b.legal && a.turn == b.turn && a.phase == b.phase &&
         a.result.outcome == b.result.outcome &&
         a.result.petit_sec_seat == b.result.petit_sec_seat &&
         a.result.petit_sec_hand == b.result.petit_sec_hand;
}

// Returns a copy of `deal` with other cards in all places that `viewer` cannot see. The deal must
// have no score: it is still running, or it ended without a score. If `remembered` is true, the
// viewer sees every card that its seat has seen so far. If `remembered` is false, the viewer sees
// only the cards that the rule set leaves open.
class Blindfold {
 public:
  Blindfold(const Deal& deal, Seat viewer, bool remembered, Rng& rng)
      : deal_(deal), viewer_(viewer), rng_(rng), other_(deal) {
    // The called card stays in its place, because the rules may let the viewer know its holder.
    if (deal.called_card != kNoCard) called_ = CardSet{deal.called_card};
    const RuleSet& rules = deal.rules;
    const bool to_taker = remembered || rules.discard_open == DiscardOpen::kToTaker;
    ShuffleUnseen(viewer != deal.taker || !to_taker);
    if (remembered) return;
    const int played = deal.cards_played;
    if (deal.DogShown() && played > 0 && rules.dog_open == DogOpen::kUntilFirstCard) {
      other_.dog = AnyCards(deal.dog.Size());
    }
    if (played > deal.playing && rules.handful_open == HandfulOpen::kFirstTrick) {
      for (ShownHandful& handful : other_.handfuls) handful.cards = Changed(handful.cards);
    }
    const int on_table = played % deal.playing == 0 ? 1 : 0;
    const int open = rules.tricks_open == TricksOpen::kAll    ? deal.trick_count
                     : rules.tricks_open == TricksOpen::kLast ? on_table + 1
                                                              : on_table;
    for (int i = 0; i < deal.trick_count - 1 - open; ++i) {
      Trick& trick = other_.tricks[static_cast<std::size_t>(i)];
      for (Card& card : trick.cards) card = called_.Contains(card) ? card : AnyCards(1).First();
    }
  }
  const Deal& other() const { return other_; }

 private:
  // Shuffles the cards that are hidden from the viewer. These are the hands of the other seats, a
  // hidden dog and, if `discard` is true, the écart.
  void ShuffleUnseen(bool discard) {
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
    const bool dog = !deal_.DogShown();
    const CardSet shown = deal_.DiscardShown();
    for (Seat seat = 0; seat < deal_.players; ++seat) {
      if (!Knows(seat)) collect(deal_.hands[static_cast<std::size_t>(seat)] - called_);
    }
    if (dog) collect(deal_.dog - called_);
    if (discard) collect(deal_.discard - shown - called_);
    rng_.Shuffle(hidden);
    for (Seat seat = 0; seat < deal_.players; ++seat) {
      CardSet& hand = other_.hands[static_cast<std::size_t>(seat)];
      if (!Knows(seat)) refill(hand, hand & called_);
    }
    if (dog) refill(other_.dog, other_.dog & called_);
    if (discard) refill(other_.discard, shown | (other_.discard & called_));
  }

  // Returns whether the viewer sees the hand of `seat`. All players see the hand of a petit sec.
  bool Knows(Seat seat) const { return seat == viewer_ || seat == deal_.result.petit_sec_seat; }

  CardSet AnyCards(int count) {
    CardSet cards;
    while (cards.Size() < count) cards.Insert(Pick(CardSet::All() - called_, rng_));
    return cards;
  }
  CardSet Changed(CardSet cards) {
    const CardSet known = cards & called_;
    return known.Empty() ? AnyCards(cards.Size()) : known;
  }

  const Deal& deal_;
  const Seat viewer_;
  Rng& rng_;
  CardSet called_;
  Deal other_;
};

// If two deals differ only in cards that are hidden from a viewer, the viewer must have the same
// view of both deals.
TEST(ViewPropertyTest, HiddenCardsNeverShow) {
  std::array<int, 2> compared{};
  std::array<int, 5> ended{};  // The number of deals by outcome; kNone counts the running deals.
  for (std::uint64_t seed = 0; seed < 6000; ++seed) {
    Rng rng(seed);
    const auto& named = RuleSets();
    const RuleSet rules = rng.Below(2) == 0 ? named[seed % named.size()].rules : RandomRuleSet(rng);
    const int n = AnyPlayers(rules, rng);
    SCOPED_TRACE(testing::Message() << RuleSetText(rules) << " n=" << n << " seed=" << seed);
    Deal deal = RandomDeal(rules, n, rng);
    for (int steps = rng.Below(60); steps > 0 && deal.phase != Phase::kDone; --steps) {
      ASSERT_TRUE(Apply(deal, deal.turn, RandomAction(deal, rng)).ok());
    }
    const bool voids = deal.phase != Phase::kDone && rng.Below(4) == 0;
    if (deal.result.outcome == Outcome::kScored) continue;
    ++ended[static_cast<std::size_t>(voids ? Outcome::kVoided : deal.result.outcome)];
    const Seat viewer = rng.Below(n + 1) - 1;
    for (const bool remembered : {true, false}) {
      const Blindfold blindfold(deal, viewer, remembered, rng);
      Deal one = deal;
      Deal other = blindfold.other();
      // Every seat sees the trumps of the écart, so the two views can be equal only if these trumps
      // are the same.
      if (other.DiscardShown() != one.DiscardShown()) continue;
      if (voids) VoidDeal(one);
      if (voids) VoidDeal(other);
      const auto view = remembered ? RememberedView : MakeView;
      ASSERT_TRUE(SameView(view(one, viewer), view(other, viewer))) << remembered;
      ++compared[remembered ? 1 : 0];
    }
  }
  EXPECT_GT(compared[0], 1000);
  EXPECT_GT(compared[1], 1000);
  for (const Outcome outcome : {Outcome::kAllPassed, Outcome::kPetitSec, Outcome::kVoided}) {
    EXPECT_GT(ended[static_cast<std::size_t>(outcome)], 5) << static_cast<int>(outcome);
  }
}

// After an operator has cancelled a deal, the views show no card and no partner that they did not
// show before.
TEST(ViewPropertyTest, ACancelledDealShowsNothingNew) {
  int partners = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Rng rng(seed);
    const RuleSet rules = RandomRuleSet(rng);
    const int n = AnyPlayers(rules, rng);
    SCOPED_TRACE(testing::Message() << RuleSetText(rules) << " n=" << n << " seed=" << seed);
    Deal deal = RandomDeal(rules, n, rng);
    for (int steps = rng.Below(60); steps > 0 && deal.phase != Phase::kDone; --steps) {
      ASSERT_TRUE(Apply(deal, deal.turn, RandomAction(deal, rng)).ok());
    }
    if (deal.phase == Phase::kDone) continue;
    const Seat viewer = rng.Below(n + 1) - 1;
    View before = MakeView(deal, viewer);
    partners += deal.partner != before.partner ? 1 : 0;
    VoidDeal(deal);
    const View after = MakeView(deal, viewer);
    ASSERT_TRUE(after.dog.Empty());
    before.dog = CardSet();
    before.legal = {};
    before.phase = after.phase;
    before.turn = after.turn;
    before.result = after.result;
    ASSERT_TRUE(SameView(before, after));
  }
  EXPECT_GT(partners, 50) << "views without the partner";
}

// MakeView() shows no card that RememberedView() does not show. After the deal, both show the same
// cards to a person who only watches.
TEST(ViewPropertyTest, OpenCardsAreRememberedCards) {
  int closed = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Rng rng(seed);
    const RuleSet rules = RandomRuleSet(rng);
    const int n = AnyPlayers(rules, rng);
    SCOPED_TRACE(testing::Message() << RuleSetText(rules) << " n=" << n << " seed=" << seed);
    Deal deal = RandomDeal(rules, n, rng);
    while (deal.phase != Phase::kDone) {
      const Seat viewer = rng.Below(n + 1) - 1;
      const View now = MakeView(deal, viewer);
      const View all = RememberedView(deal, viewer);
      ASSERT_EQ(now.hand, all.hand);
      ASSERT_EQ(now.legal, all.legal);
      ASSERT_EQ(now.discard_shown, all.discard_shown);
      ASSERT_TRUE(all.dog.ContainsAll(now.dog) && all.discard.ContainsAll(now.discard));
      ASSERT_EQ(now.trick_count, all.trick_count);
      for (int i = 0; i < now.trick_count; ++i) {
        const Trick& trick = now.tricks[static_cast<std::size_t>(i)];
        const Trick& whole = all.tricks[static_cast<std::size_t>(i)];
        ASSERT_TRUE(trick.leader == whole.leader && trick.winner == whole.winner);
        ASSERT_TRUE(trick.size == whole.size ? trick.cards == whole.cards : trick.size == 0);
        ASSERT_TRUE(trick.size == whole.size || i < now.trick_count - 1);
        closed += trick.size == whole.size ? 0 : 1;
      }
      ASSERT_TRUE(Apply(deal, deal.turn, RandomAction(deal, rng)).ok());
    }
    ASSERT_TRUE(SameView(MakeView(deal, kNoSeat), RememberedView(deal, kNoSeat)));
  }
  EXPECT_GT(closed, 1000);
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

TEST(MatchTest, EndsEvenIfAllSeatsAlwaysPass) {
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

TEST(MatchTest, ACancelledDealScoresNothingAndTheSameSeatDealsAgain) {
  for (const NamedRuleSet& named : RuleSets()) {
    SCOPED_TRACE(std::string(named.name));
    Rng rng(7);
    const int players = named.rules.players_max;
    Match match = StartMatch(named.rules, players, 2);
    EXPECT_FALSE(VoidDeal(match)) << "no deal runs";
    for (int deal = 0; deal < 10; ++deal) {
      const Seat dealer = match.next_dealer;
      ASSERT_TRUE(StartNextDeal(match, RandomPack(rng)));
      for (int steps = rng.Below(40); steps > 0 && match.DealRunning(); --steps) {
        ASSERT_TRUE(Apply(match, match.deal.turn, RandomAction(match.deal, rng)).ok());
      }
      if (!VoidDeal(match)) continue;  // The deal was over already.
      EXPECT_EQ(match.deal.result.outcome, Outcome::kVoided);
      EXPECT_EQ(match.next_dealer, dealer);
      EXPECT_EQ(match.totals, (std::array<int, kPlayersMax>{}));
      EXPECT_EQ(match.deals_scored, 0);
    }
  }
}

}  // namespace
}  // namespace tarot::rules
