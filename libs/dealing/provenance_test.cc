#include "libs/dealing/provenance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "libs/base/entropy.h"
#include "libs/rules/cards.h"

namespace tarot::dealing {
namespace {

using rules::FirstDealer;
using rules::RuleSet;

const Provenance kNoNonce;

Provenance WithNonces() {
  Provenance from;
  from.nonces[0] = "ana";
  from.nonces[2] = std::string("\0\1", 2);
  return from;
}

std::string Top(const rules::PackOrder& order) {
  std::string text;
  for (std::size_t i = 0; i < 5; ++i) text += rules::CardText(order[i]) + " ";
  return text;
}

// These values come from a second implementation, with Python's hashlib. They must never change.
TEST(ProvenanceTest, NeverChangesItsValues) {
  const RuleSet fft;
  EXPECT_EQ(CutOf(fft, 4, kNoNonce), 63);
  EXPECT_EQ(Top(PackOf(fft, 4, kNoNonce)), "S13 C5 C9 H3 T19 ");
  EXPECT_EQ(CutOf(fft, 4, WithNonces()), 47);
  EXPECT_EQ(Top(PackOf(fft, 4, WithNonces())), "S2 H13 H11 D10 C4 ");
  EXPECT_EQ(FirstDealerOf(fft, 4, kNoNonce), 0) << "D6 S9 H12 S6: diamonds are below spades";
  EXPECT_EQ(FirstDealerOf(fft, 4, WithNonces()), 3) << "T21 D14 D11 H6";
}

// Returns a gathered pack of two piles. The sizes of the packets in `piles` and the order of the
// cards are always the same.
Provenance Gathered() {
  Provenance from{.procedure = Procedure::kDrawnGathering};
  from.gathered = rules::OrderedPack();
  from.piles = {{6, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4}, {4, 4, 4, 4, 4, 4, 4, 4}};
  return from;
}

// The expected values come from a Python program that follows the steps of docs/dealing.md. They
// must never change.
TEST(ProvenanceTest, DrawnGatheringNeverChangesItsValues) {
  const RuleSet& customs = rules::FindRuleSet("booklet_customs")->rules;
  Provenance from = Gathered();
  EXPECT_EQ(CutOf(customs, 4, from), 48);
  EXPECT_EQ(Top(PackOf(customs, 4, from)), "T9 T7 C11 C10 C12 ");
  from.nonces = WithNonces().nonces;
  EXPECT_EQ(CutOf(customs, 4, from), 34);
  EXPECT_EQ(Top(PackOf(customs, 4, from)), "H10 H12 H8 H7 H6 ");
  const Provenance shuffled{.procedure = Procedure::kDrawnGathering};
  EXPECT_EQ(Top(PackOf(customs, 4, shuffled)), "T10 T20 S7 C4 T1 ") << "nothing was gathered";
}

// Source 002, page 28, does not shuffle between deals, because the cards are "naturally randomized
// during scoring and dealing". A drawn order of piles, packets and cards stands for this.
TEST(ProvenanceTest, DrawsTheOrderOfPilesPacketsAndCards) {
  const RuleSet& customs = rules::FindRuleSet("booklet_customs")->rules;
  Provenance from = Gathered();
  std::map<rules::Card, int> first;
  int second_pile_first = 0;
  for (int i = 0; i < 4000; ++i) {
    from.seed[0] = static_cast<std::uint8_t>(i);
    from.seed[1] = static_cast<std::uint8_t>(i >> 8);
    const rules::PackOrder order =
        rules::Cut(PackOf(customs, 4, from), rules::kCardCount - CutOf(customs, 4, from));
    // The second pile has the cards from number 46 on.
    const bool swapped = rules::Index(order[0]) >= 46;
    second_pile_first += swapped ? 1 : 0;
    if (!swapped) ++first[order[0]];
    const std::size_t begin = swapped ? 0 : 46;
    for (std::size_t at = begin; at < begin + 32; at += 4) {
      const int packet = (rules::Index(order[at]) - 46) / 4;
      for (std::size_t other = at; other < at + 4; ++other) {
        ASSERT_EQ((rules::Index(order[other]) - 46) / 4, packet) << "packets stay together";
      }
    }
  }
  EXPECT_NEAR(second_pile_first, 2000, 160);  // The standard deviation is 32.
  EXPECT_EQ(first.size(), 46u) << "every card of a pile can lie on top";
}

TEST(ProvenanceTest, OldLogsShuffleByTheSeedAlone) {
  const Provenance old{.procedure = Procedure::kSeedAlone};
  EXPECT_EQ(PackOf(RuleSet{}, 4, old), ShuffledPack(DealSeed{}));
  EXPECT_EQ(CutOf(RuleSet{}, 4, old), 0);
  EXPECT_EQ(FirstDealerOf(RuleSet{}, 5, old), 4);
}

TEST(ProvenanceTest, DependsOnEveryNonceAndItsSeat) {
  const RuleSet fft;
  std::map<rules::PackOrder, std::string> packs;
  const auto add = [&](const std::string& what, int players, const Nonces& nonces) {
    Provenance from;
    from.nonces = nonces;
    const auto [at, added] = packs.try_emplace(PackOf(fft, players, from), what);
    EXPECT_TRUE(added) << what << " gives the pack of " << at->second;
  };
  add("none", 4, {});
  add("none of three", 3, {});
  add("a of the first", 4, {"a"});
  add("a of the second", 4, {"", "a"});
  add("ab of the first", 4, {"ab"});
  add("a and b", 4, {"a", "b"});
  add("b and a", 4, {"b", "a"});
  add("a byte that looks like a length", 4, {std::string("\0", 1)});
}

TEST(ProvenanceTest, AGatheredPackIsOnlyCut) {
  RuleSet rules;
  rules.cut_min = 3;
  Provenance from;
  from.gathered = ShuffledPack(DealSeed{7});
  std::map<int, int> cuts;
  for (int i = 0; i < 20000; ++i) {
    from.seed[0] = static_cast<std::uint8_t>(i);
    from.seed[1] = static_cast<std::uint8_t>(i >> 8);
    const int cut = CutOf(rules, 4, from);
    ++cuts[cut];
    ASSERT_TRUE(rules::CutAllowed(rules, cut));
    ASSERT_EQ(PackOf(rules, 4, from), rules::Cut(*from.gathered, cut));
  }
  EXPECT_EQ(cuts.size(), 73u) << "every place from 3 to 75";
  // The expected count of each cut is 274, with a standard deviation of 16.4. The limit is about
  // five standard deviations.
  for (const auto& [cut, count] : cuts) EXPECT_NEAR(count, 274, 85) << cut;
}

// Tests that each card is equally likely in every hand and in the dog, for rule sets that deal in
// different ways. It is a chi-square test over many deals.
TEST(ProvenanceTest, EveryCardIsEquallyLikelyInEveryHand) {
  SeededEntropy entropy(2027);
  for (const char* name : {"fft", "booklet", "pagat"}) {
    const RuleSet& rules = rules::FindRuleSet(name)->rules;
    for (int players = 3; players <= 5; ++players) {
      constexpr int kDeals = 4000;
      // Elements 0 to 4 are the hands, and element 5 is the dog.
      std::array<std::array<int, 78>, 6> count{};
      for (int i = 0; i < kDeals; ++i) {
        Provenance from;
        entropy.Fill(absl::MakeSpan(from.seed));
        const rules::DealtCards dealt =
            DealOut(rules, players, i % players, PackOf(rules, players, from));
        for (std::size_t place = 0; place < 6; ++place) {
          const rules::CardSet cards = place == 5 ? dealt.dog : dealt.hands[place];
          for (const rules::Card card : cards) {
            ++count[place][static_cast<std::size_t>(rules::Index(card))];
          }
        }
      }
      double chi2 = 0;
      for (std::size_t place = 0; place < 6; ++place) {
        const int size = place == 5                                  ? rules.DogSize(players)
                         : place < static_cast<std::size_t>(players) ? rules.HandSize(players)
                                                                     : 0;
        const double expected = kDeals * size / 78.0;
        for (const int n : count[place]) {
          if (size > 0) chi2 += (n - expected) * (n - expected) / expected;
        }
      }
      // A card can be in `players` hands or in the dog, so the table of counts has 77 * `players`
      // degrees of freedom. The limit is five standard deviations.
      const double freedom = 77.0 * players;
      EXPECT_LT(std::abs(chi2 - freedom), 5 * std::sqrt(2 * freedom)) << name << " " << players;
    }
  }
}

std::vector<rules::Seat> Lowest(const RuleSet& rules, const std::vector<const char*>& cards) {
  std::vector<std::pair<rules::Seat, rules::Card>> drawn;
  for (std::size_t i = 0; i < cards.size(); ++i) {
    drawn.emplace_back(static_cast<int>(i), *rules::ParseCard(cards[i]));
  }
  return LowestDrawn(rules, drawn);
}

TEST(FirstDealerTest, TheLowestCardDeals) {
  using Seats = std::vector<rules::Seat>;
  RuleSet rules;
  rules.first_dealer = FirstDealer::kDrawLowest;
  EXPECT_EQ(Lowest(rules, {"T1", "S14", "H13", "T2"}), Seats{2}) << "trumps are above suits";
  EXPECT_EQ(Lowest(rules, {"T5", "T4", "T21"}), Seats{1});
  EXPECT_EQ(Lowest(rules, {"S1", "H1", "C1", "D1"}), Seats{2}) << "the ace of clubs is the least";
  EXPECT_EQ(Lowest(rules, {"S7", "H7", "D9"}), Seats{1});
  rules.first_dealer = FirstDealer::kDrawLowestNoTieBreak;
  EXPECT_EQ(Lowest(rules, {"S7", "D9", "H7"}), (Seats{0, 2})) << "these two draw again";
  EXPECT_EQ(Lowest(rules, {"T1", "D9", "H8"}), Seats{2});
}

TEST(FirstDealerTest, EverySeatIsEquallyLikelyHoweverItIsDrawn) {
  SeededEntropy entropy(2028);
  for (const FirstDealer by :
       {FirstDealer::kDrawLowest, FirstDealer::kDrawLowestNoTieBreak, FirstDealer::kRandom}) {
    RuleSet rules;
    rules.first_dealer = by;
    std::array<int, 5> count{};
    for (int i = 0; i < 5000; ++i) {
      Provenance from;
      entropy.Fill(absl::MakeSpan(from.seed));
      ++count[static_cast<std::size_t>(FirstDealerOf(rules, 5, from))];
    }
    // The standard deviation is 28.
    for (const int n : count) EXPECT_NEAR(n, 1000, 145) << static_cast<int>(by);
  }
}

TEST(FirstDealerTest, TheDrawShowsItsCards) {
  const RuleSet fft;
  const auto card = [](const char* text) { return *rules::ParseCard(text); };
  const FirstDealerDraw draw = DrawFirstDealer(fft, 4, kNoNonce);
  EXPECT_EQ(draw.dealer, 0);
  EXPECT_EQ(draw.cards, (std::vector<DrawnCard>{{.seat = 0, .card = card("D6")},
                                                {.seat = 1, .card = card("S9")},
                                                {.seat = 2, .card = card("H12")},
                                                {.seat = 3, .card = card("S6")}}));
  const RuleSet& random = rules::FindRuleSet("booklet")->rules;
  EXPECT_TRUE(DrawFirstDealer(random, 4, kNoNonce).cards.empty()) << "no cards decide";

  SeededEntropy entropy(2029);
  const RuleSet& again = rules::FindRuleSet("webguide")->rules;
  int aside = 0, rounds = 0;
  for (int i = 0; i < 2000; ++i) {
    Provenance from;
    entropy.Fill(absl::MakeSpan(from.seed));
    const FirstDealerDraw drawn = DrawFirstDealer(again, 5, from);
    std::vector<std::pair<rules::Seat, rules::Card>> last;
    for (const DrawnCard& one : drawn.cards) {
      EXPECT_EQ(one.put_aside, one.card == rules::kExcuse);
      aside += one.put_aside ? 1 : 0;
      rounds = std::max(rounds, one.round);
      if (one.round == drawn.cards.back().round && !one.put_aside) {
        last.emplace_back(one.seat, one.card);
      }
    }
    EXPECT_EQ(LowestDrawn(again, last), std::vector<rules::Seat>{drawn.dealer});
  }
  EXPECT_GT(aside, 0);
  EXPECT_GT(rounds, 1) << "seats with equal cards draw again";
}

TEST(FirstDealerTest, ABoardsFirstDealerIsTheLastSeat) {
  RuleSet rules;
  rules.dealer_by = rules::DealerBy::kBoard;
  EXPECT_EQ(FirstDealerOf(rules, 4, WithNonces()), 3);
  EXPECT_EQ(FirstDealerOf(rules, 4, kNoNonce), 3);
}

}  // namespace
}  // namespace tarot::dealing
