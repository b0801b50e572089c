#include "libs/rules/playout.h"

#include <gtest/gtest.h>

#include "libs/rules/random_rules.h"
#include "libs/rules/test_deals.h"

namespace tarot::rules {
namespace {

// How often the rare things happened, so that they are known to be compared.
struct Seen {
  int slams = 0;
  int petits = 0;
  int partners = 0;
  int excuses_lost = 0;
};

// Somebody with nearly all the trumps, so that slams happen.
Deal Lopsided(const RuleSet& rules, int players, Rng& rng) {
  Deal deal = RandomDeal(rules, players, rng);
  auto hands = deal.dealt;
  const CardSet wanted = CardSet::TrumpsAbove(4) | CardSet::Kings() |
                         (rng.Below(2) == 0 ? CardSet{kExcuse} : CardSet{});
  CardSet& target = hands[static_cast<std::size_t>(rng.Below(players))];
  for (std::size_t seat = 0; seat < static_cast<std::size_t>(players); ++seat) {
    if (&hands[seat] == &target) continue;
    for (const Card c : hands[seat] & wanted) {
      const CardSet give = target - wanted - CardSet{kPetit};
      if (give.Empty()) break;
      target.Erase(give.First());
      hands[seat].Insert(give.First());
      hands[seat].Erase(c);
      target.Insert(c);
    }
  }
  return StartDeal(rules, players, deal.dealer, hands, deal.dog, deal.taker);
}

void ExpectSameScore(const Deal& start, const Playout& playout, const DealResult& result) {
  const ScoreInput input = CountPlayout(start, playout);
  ASSERT_EQ(input.attack_half_points, result.attack_half_points);
  ASSERT_EQ(input.bouts, result.bouts);
  ASSERT_EQ(input.honours, result.honours);
  ASSERT_EQ(input.petit_au_bout, result.petit_au_bout);
  ASSERT_EQ(input.slam, result.slam);
  ASSERT_EQ(ComputeScore(start.rules, input).unit, result.score.unit);
  ASSERT_EQ(ComputeScore(start.rules, input).taker, result.score.taker);
}

// The card that PlayAtRandom takes: the Excuse is number 0, where it is legal.
Card Drawn(CardSet legal, Rng& rng) {
  auto n = (rng.Next() >> 32) * static_cast<std::uint64_t>(legal.Size()) >> 32;
  if (legal.Contains(kExcuse) && n-- == 0) return kExcuse;
  for (const Card c : legal - CardSet{kExcuse}) {
    if (n-- == 0) return c;
  }
  return kNoCard;
}

void ExpectSamePlay(Deal deal, Rng& rng, Seen& seen) {
  const Contract wanted = static_cast<Contract>(1 + rng.Below(4));
  while (deal.phase != Phase::kPlaying && deal.phase != Phase::kDone) {
    const bool bidding = deal.phase == Phase::kBidding;
    const Action action = bidding ? FirstTakes(deal, wanted) : RandomAction(deal, rng);
    ASSERT_TRUE(Apply(deal, deal.turn, action).ok());
  }
  if (deal.phase == Phase::kDone || deal.taker == kNoSeat) return;
  const Deal start = deal;
  Playout playout = StartPlayout(deal);
  const std::uint64_t seed = rng.Next();
  Rng draws(seed);
  while (deal.phase == Phase::kPlaying) {
    ASSERT_FALSE(playout.Over());
    ASSERT_EQ(playout.turn, PlayoutSeat(deal, deal.turn));
    ASSERT_EQ(playout.Legal(), ListLegal(deal).cards);
    const Card card = Drawn(playout.Legal(), draws);
    playout.Play(card);
    ASSERT_TRUE(Apply(deal, deal.turn, Action::Play(card)).ok());
  }
  ASSERT_TRUE(playout.Over());
  ASSERT_NO_FATAL_FAILURE(ExpectSameScore(start, playout, deal.result));
  for (const PlayoutCode code : {PlayoutCode::kPortable, PlayoutCode::kBmi2}) {
    if (code == PlayoutCode::kBmi2 && !HasBmi2()) continue;
    Playout random = StartPlayout(start);
    Rng same(seed);
    PlayAtRandom(random, same, code);
    ASSERT_NO_FATAL_FAILURE(ExpectSameScore(start, random, deal.result));
    ASSERT_EQ(random.attack_cards, playout.attack_cards);
  }
  seen.slams += deal.result.slam != SlamOutcome::kNone ? 1 : 0;
  seen.petits += deal.result.petit_au_bout != 0 ? 1 : 0;
  seen.partners += deal.partner != kNoSeat ? 1 : 0;
  seen.excuses_lost += playout.excuse_left == 0 ? 1 : 0;
}

// Seat 0 leads and wins all it can; the Excuse is kept for the last trick. `taker` has a Garde
// sans.
void ExpectSameSlam(const RuleSet& rules, std::initializer_list<CardSet> hands, Seat taker) {
  const CardSet dog = Set({"S1", "S2", "S3", "S4", "S5", "S6"});
  Deal deal = StartDeal(rules, 4, 3, HandsWith(rules, 4, dog, hands), dog);
  while (deal.phase != Phase::kPlaying) {
    const Contract bid = deal.turn == taker ? Contract::kGardeSans : Contract::kPass;
    const bool bids = deal.phase == Phase::kBidding;
    ASSERT_TRUE(Apply(deal, deal.turn, bids ? Action::Bid(bid) : Action::Slam(false)).ok());
  }
  const Deal start = deal;
  Playout playout = StartPlayout(deal);
  while (deal.phase == Phase::kPlaying) {
    const CardSet kept = playout.Legal() - CardSet{kExcuse};
    const Card card = kept.Empty() ? kExcuse : kept.Last();
    playout.Play(card);
    ASSERT_TRUE(Apply(deal, deal.turn, Action::Play(card)).ok());
  }
  ASSERT_EQ(playout.excuse_left, 0);
  ASSERT_NO_FATAL_FAILURE(ExpectSameScore(start, playout, deal.result));
}

TEST(PlayoutTest, TheExcuseInTheLastTrickOfASlam) {
  const CardSet trumps = CardSet::TrumpsAbove(4);
  const CardSet weak = Set({"S7", "S8", "S9", "S10", "S11", "S12", "S13", "C1", "C2", "C3", "C4",
                            "C5", "C6", "C7", "C8", "C9", "C10", "C11"});
  const CardSet with_excuse = Set({"EX", "D1", "D2", "D3"}) | CardSet::OfSuit(Suit::kHearts);
  for (const char* text :
       {"fft", "fft +excuse_slam_wins_when_led=false", "fft +excuse_slam_applies_to_defence=false",
        "pagat +excuse_slam_applies_to_defence=false"}) {
    SCOPED_TRACE(text);
    const RuleSet rules = ParseRuleSet(text).value();
    for (const Seat taker : {0, 1}) {
      // Led by who wins the slam; or played by seat 2, who then is of its camp or is not.
      ASSERT_NO_FATAL_FAILURE(ExpectSameSlam(rules, {trumps | CardSet{kExcuse}}, taker));
      ASSERT_NO_FATAL_FAILURE(
          ExpectSameSlam(rules, {trumps | Set({"S14"}), weak, with_excuse}, taker));
    }
  }
}

TEST(PlayoutTest, PlaysAndCountsLikeTheDealUnderCustomRuleSets) {
  Seen seen;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Rng rng(seed);
    const RuleSet rules = RandomRuleSet(rng);
    SCOPED_TRACE(testing::Message() << RuleSetText(rules) << " seed=" << seed);
    const int players = rules.players_min + rng.Below(rules.players_max - rules.players_min + 1);
    ASSERT_NO_FATAL_FAILURE(ExpectSamePlay(RandomDeal(rules, players, rng), rng, seen));
    ASSERT_NO_FATAL_FAILURE(ExpectSamePlay(Lopsided(rules, players, rng), rng, seen));
  }
  EXPECT_GT(seen.slams, 100);
}

TEST(PlayoutTest, PlaysAndCountsLikeTheDeal) {
  Seen seen;
  for (const NamedRuleSet& named : RuleSets()) {
    for (int players = named.rules.players_min; players <= named.rules.players_max; ++players) {
      for (std::uint64_t seed = 0; seed < 150; ++seed) {
        SCOPED_TRACE(testing::Message() << std::string(named.name.data(), named.name.size())
                                        << " players=" << players << " seed=" << seed);
        Rng rng(seed);
        ExpectSamePlay(RandomDeal(named.rules, players, rng), rng, seen);
        ExpectSamePlay(Lopsided(named.rules, players, rng), rng, seen);
        if (HasFatalFailure()) return;
      }
    }
  }
  EXPECT_GT(seen.slams, 20);
  EXPECT_GT(seen.petits, 20);
  EXPECT_GT(seen.partners, 20);
  EXPECT_GT(seen.excuses_lost, 20);
}

}  // namespace
}  // namespace tarot::rules
