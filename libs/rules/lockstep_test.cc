#include "libs/rules/lockstep.h"

#include <gtest/gtest.h>

#include <cmath>

#include "libs/rules/test_deals.h"

namespace tarot::rules {
namespace {

std::vector<LockstepCode> Codes() {
  std::vector<LockstepCode> codes;
  for (const auto code : {LockstepCode::kPortable, LockstepCode::kAvx2, LockstepCode::kAvx512}) {
    if (CanRun(code)) codes.push_back(code);
  }
  return codes;
}

// Deals with a taker, `played` cards after the first card.
std::vector<Deal> Deals(const RuleSet& rules, int players, int count, int played, Rng& rng) {
  std::vector<Deal> deals;
  while (static_cast<int>(deals.size()) < count) {
    Deal deal = RandomDeal(rules, players, rng);
    const auto wanted = static_cast<Contract>(1 + rng.Below(4));
    while (deal.phase != Phase::kPlaying && deal.phase != Phase::kDone) {
      const bool bidding = deal.phase == Phase::kBidding;
      const Action action = bidding ? FirstTakes(deal, wanted) : RandomAction(deal, rng);
      EXPECT_TRUE(Apply(deal, deal.turn, action).ok());
    }
    if (deal.phase == Phase::kPlaying) deals.push_back(deal);
  }
  for (Deal& deal : deals) {
    for (int i = 0; i < played; ++i) {
      const Card card = Pick(ListLegal(deal).cards, rng);
      EXPECT_TRUE(Apply(deal, deal.turn, Action::Play(card)).ok());
    }
  }
  return deals;
}

std::vector<Playout> Starts(const std::vector<Deal>& deals) {
  std::vector<Playout> playouts;
  for (const Deal& deal : deals) playouts.push_back(StartPlayout(deal));
  return playouts;
}

void ExpectTheResultOf(Deal deal, const std::vector<Card>& cards, const Playout& playout) {
  const Deal start = deal;
  for (const Card card : cards) {
    ASSERT_TRUE(Apply(deal, deal.turn, Action::Play(card)).ok());
  }
  ASSERT_EQ(deal.phase, Phase::kDone);
  const ScoreInput input = CountPlayout(start, playout);
  ASSERT_EQ(input.attack_half_points, deal.result.attack_half_points);
  ASSERT_EQ(input.bouts, deal.result.bouts);
  ASSERT_EQ(input.honours, deal.result.honours);
  ASSERT_EQ(input.petit_au_bout, deal.result.petit_au_bout);
  ASSERT_EQ(input.slam, deal.result.slam);
  ASSERT_EQ(ComputeScore(start.rules, input).taker, deal.result.score.taker);
}

TEST(LockstepTest, EachWorldIsALegalDealWithItsResult) {
  for (const NamedRuleSet& named : RuleSets()) {
    for (int players = named.rules.players_min; players <= named.rules.players_max; ++players) {
      SCOPED_TRACE(testing::Message()
                   << std::string(named.name.data(), named.name.size()) << " players=" << players);
      Rng rng(static_cast<std::uint64_t>(players));
      // 150: two full blocks of worlds and a part of one.
      const std::vector<Deal> deals = Deals(named.rules, players, 150, 0, rng);
      if (deals[0].taker == kNoSeat) continue;
      const std::vector<Playout> starts = Starts(deals);
      PlayedCards first;
      for (const LockstepCode code : Codes()) {
        std::vector<Playout> worlds = starts;
        PlayedCards cards;
        Rng draws(7);
        PlayAllAtRandom(absl::MakeSpan(worlds), draws, code, &cards);
        for (std::size_t i = 0; i < worlds.size(); ++i) {
          ASSERT_NO_FATAL_FAILURE(ExpectTheResultOf(deals[i], cards[i], worlds[i]));
        }
        if (first.empty()) first = cards;
        ASSERT_EQ(cards, first) << "code " << static_cast<int>(code);
      }
    }
  }
}

// Slams with the Excuse led last, and the Petit before it, are too rare above.
TEST(LockstepTest, ShortEndings) {
  const RuleSet& rules = FindRuleSet("fft")->rules;
  Rng rng(5);
  int led_slams = 0;
  for (int round = 0; round < 80; ++round) {
    const std::vector<Deal> deals = Deals(rules, 4, 64, 0, rng);
    std::vector<Playout> ended = Starts(deals);
    // One or two tricks are to come, and the leader, who has the Excuse, may have won all others.
    for (Playout& playout : ended) {
      while (playout.tricks_left > 1 + round % 2) playout.Play(Pick(playout.Legal(), rng));
      const bool held = playout.excuse_left < 0 && playout.excuse_holder != kNoSeat;
      if (held) playout.turn = playout.excuse_holder;
      const bool attacks = (playout.attack >> playout.turn & 1u) != 0;
      (attacks ? playout.defence_tricks : playout.attack_tricks) = 0;
    }
    PlayedCards cards;
    std::vector<Playout> worlds = ended;
    PlayAllAtRandom(absl::MakeSpan(worlds), rng, &cards);
    for (std::size_t i = 0; i < worlds.size(); ++i) {
      for (const Card card : cards[i]) {
        ASSERT_TRUE(ended[i].Legal().Contains(card));
        ended[i].Play(card);
      }
      ASSERT_TRUE(ended[i].Over());
      ASSERT_EQ(worlds[i].attack_cards, ended[i].attack_cards);
      ASSERT_EQ(worlds[i].attack_tricks, ended[i].attack_tricks);
      ASSERT_EQ(worlds[i].defence_tricks, ended[i].defence_tricks);
      ASSERT_EQ(worlds[i].petit_left, ended[i].petit_left);
      ASSERT_EQ(worlds[i].petit_winner, ended[i].petit_winner);
      ASSERT_EQ(worlds[i].excuse_left, ended[i].excuse_left);
      ASSERT_EQ(worlds[i].excuse_winner, ended[i].excuse_winner);
      ASSERT_EQ(worlds[i].excuse_led_slam, ended[i].excuse_led_slam);
      led_slams += worlds[i].excuse_led_slam ? 1 : 0;
    }
  }
  EXPECT_GT(led_slams, 10);
}

TEST(LockstepTest, ATrickBegunIsPlayedOut) {
  Rng rng(6);
  for (int played = 1; played < 4; ++played) {
    const std::vector<Deal> deals = Deals(FindRuleSet("fft")->rules, 4, 10, 0, rng);
    std::vector<Playout> worlds = Starts(deals);
    PlayedCards before(worlds.size()), after;
    for (std::size_t i = 0; i < worlds.size(); ++i) {
      for (int k = 0; k < played; ++k) {
        before[i].push_back(Pick(worlds[i].Legal(), rng));
        worlds[i].Play(before[i].back());
      }
    }
    PlayAllAtRandom(absl::MakeSpan(worlds), rng, &after);
    for (std::size_t i = 0; i < worlds.size(); ++i) {
      before[i].insert(before[i].end(), after[i].begin(), after[i].end());
      ASSERT_NO_FATAL_FAILURE(ExpectTheResultOf(deals[i], before[i], worlds[i]));
    }
  }
}

// How the results of the same deal lie, in classes of eight half points.
using Histogram = std::array<double, 24>;

void Add(const Deal& deal, const Playout& playout, Histogram& histogram) {
  const int half_points = CountPlayout(deal, playout).attack_half_points;
  histogram[static_cast<std::size_t>(half_points / 8)] += 1;
}

// Chi-square of two samples of the same size, less its degrees of freedom, in standard deviations.
double Distance(const Histogram& a, const Histogram& b) {
  double chi = 0, classes = -1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] + b[i] < 20) continue;
    chi += (a[i] - b[i]) * (a[i] - b[i]) / (a[i] + b[i]);
    classes += 1;
  }
  return (chi - classes) / std::sqrt(2 * classes);
}

TEST(LockstepTest, PlaysByTheSameLawAsOneAtATime) {
  constexpr int kPlayouts = 20000;
  Rng rng(8);
  for (const int players : {3, 4, 5}) {
    for (const Deal& deal : Deals(FindRuleSet("fft")->rules, players, 6, 0, rng)) {
      const Playout start = StartPlayout(deal);
      Histogram single{}, lockstep{};
      std::vector<Playout> worlds(kPlayouts, start);
      PlayAllAtRandom(absl::MakeSpan(worlds), rng);
      for (const Playout& playout : worlds) Add(deal, playout, lockstep);
      for (int i = 0; i < kPlayouts; ++i) {
        Playout playout = start;
        PlayAtRandom(playout, rng);
        Add(deal, playout, single);
      }
      EXPECT_LT(Distance(single, lockstep), 4) << "players " << players;
    }
  }
}

// Every decision of many play-outs, by its number of choices and the rank of the one taken.
TEST(LockstepTest, EachLegalCardIsEquallyLikely) {
  Rng rng(9);
  const std::vector<Deal> deals = Deals(FindRuleSet("fft")->rules, 4, 2000, 0, rng);
  const std::vector<Playout> starts = Starts(deals);
  std::vector<Playout> worlds = starts;
  PlayedCards played;
  PlayAllAtRandom(absl::MakeSpan(worlds), rng, &played);
  std::array<std::array<double, 19>, 19> taken{};
  for (std::size_t i = 0; i < starts.size(); ++i) {
    Playout playout = starts[i];
    for (const Card card : played[i]) {
      const CardSet legal = playout.Legal();
      int rank = 0;
      for (const Card other : legal) rank += other < card ? 1 : 0;
      taken[static_cast<std::size_t>(legal.Size())][static_cast<std::size_t>(rank)] += 1;
      playout.Play(card);
    }
  }
  for (std::size_t choices = 2; choices < taken.size(); ++choices) {
    double sum = 0, chi = 0;
    for (std::size_t k = 0; k < choices; ++k) sum += taken[choices][k];
    const double expected = sum / static_cast<double>(choices);
    ASSERT_GT(expected, 50);
    for (std::size_t k = 0; k < choices; ++k) {
      chi += (taken[choices][k] - expected) * (taken[choices][k] - expected) / expected;
    }
    const auto freedom = static_cast<double>(choices - 1);
    EXPECT_LT((chi - freedom) / std::sqrt(2 * freedom), 4.5) << choices << " choices";
  }
}

}  // namespace
}  // namespace tarot::rules
