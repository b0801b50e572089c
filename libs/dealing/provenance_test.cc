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

// A second implementation, with Python's hashlib, computed these values. They must never change.
TEST(ProvenanceTest, IsStableForEver) {
  const RuleSet fft;
  EXPECT_EQ(CutOf(fft, 4, kNoNonce), 63);
  EXPECT_EQ(Top(PackOf(fft, 4, kNoNonce)), "S13 C5 C9 H3 T19 ");
  EXPECT_EQ(CutOf(fft, 4, WithNonces()), 47);
  EXPECT_EQ(Top(PackOf(fft, 4, WithNonces())), "S2 H13 H11 D10 C4 ");
  EXPECT_EQ(FirstDealerOf(fft, 4, kNoNonce), 0) << "D6 S9 H12 S6: diamonds are below spades";
  EXPECT_EQ(FirstDealerOf(fft, 4, WithNonces()), 3) << "T21 D14 D11 H6";
}

TEST(ProvenanceTest, TheSeedAloneIsThePackOfOldLogs) {
  const Provenance old{.procedure = Procedure::kSeedAlone};
  EXPECT_EQ(PackOf(RuleSet{}, 4, old), ShuffledPack(DealSeed{}));
  EXPECT_EQ(CutOf(RuleSet{}, 4, old), 0);
  EXPECT_EQ(FirstDealerOf(RuleSet{}, 5, old), 4);
}

TEST(ProvenanceTest, EveryNonceAndItsSeatCounts) {
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
  // The expected count is 274, with a standard deviation of 17.
  for (const auto& [cut, count] : cuts) EXPECT_NEAR(count, 274, 85) << cut;
}

// For rule sets with different ways to deal, tests that each card is equally likely in every hand
// and in the dog. It is a chi-square test over many deals.
TEST(ProvenanceTest, EveryCardIsEquallyLikelyInEveryHand) {
  SeededEntropy entropy(2027);
  for (const char* name : {"fft", "booklet", "pagat"}) {
    const RuleSet& rules = rules::FindRuleSet(name)->rules;
    for (int players = 3; players <= 5; ++players) {
      constexpr int kDeals = 4000;
      std::array<std::array<int, 78>, 6> count{};  // The last element is the dog.
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
      // There are `players` + 1 places (the hands and the dog), so `players` of them are free. Each
      // free place has 77 degrees of freedom. The limit is five standard deviations.
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

TEST(FirstDealerTest, ABoardsFirstDealerIsTheLastSeat) {
  RuleSet rules;
  rules.dealer_by = rules::DealerBy::kBoard;
  EXPECT_EQ(FirstDealerOf(rules, 4, WithNonces()), 3);
  EXPECT_EQ(FirstDealerOf(rules, 4, kNoNonce), 3);
}

}  // namespace
}  // namespace tarot::dealing
