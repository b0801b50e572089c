// Tests how the pack is dealt into hands, the cut, and the pack between two deals. Also tests the
// texts and bytes of cards, actions and rule sets, and the order of dealers.
#include "libs/rules/deck.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "libs/rules/codec.h"
#include "libs/rules/match.h"
#include "libs/rules/parameters/parameters.h"
#include "libs/rules/testing/random_deals.h"

namespace tarot::rules {
namespace {

TEST(DealOutTest, PacketsGoRoundAndTheDogIsNeverFirstNorLast) {
  PackOrder order;
  for (int i = 0; i < kCardCount; ++i) order[static_cast<std::size_t>(i)] = CardAt(i);
  const RuleSet fft = FindRuleSet("fft")->rules;
  const DealtCards four = DealOut(fft, 4, 1, order);
  EXPECT_TRUE(four.hands[2].ContainsAll({CardAt(0), CardAt(1), CardAt(2)})) << "after the dealer";
  EXPECT_TRUE(four.dog.Contains(CardAt(3)));
  EXPECT_TRUE(four.hands[3].ContainsAll({CardAt(4), CardAt(5), CardAt(6)}));
  for (int n = 3; n <= 5; ++n) {
    const DealtCards cards = DealOut(fft, n, 0, order);
    CardSet seen = cards.dog;
    for (int s = 0; s < n; ++s) {
      const CardSet hand = cards.hands[static_cast<std::size_t>(s)];
      EXPECT_EQ(hand.Size(), fft.HandSize(n));
      EXPECT_TRUE((seen & hand).Empty());
      seen |= hand;
    }
    EXPECT_EQ(seen, CardSet::All());
    EXPECT_EQ(cards.dog.Size(), fft.DogSize(n));
    EXPECT_FALSE(cards.dog.Contains(order.front()) || cards.dog.Contains(order.back()));
  }
}

TEST(DealOutTest, TheBookletsDogIsTheLastCards) {
  Rng rng(3);
  const PackOrder order = RandomPack(rng);
  const DealtCards cards = DealOut(FindRuleSet("booklet")->rules, 4, 0, order);
  for (std::size_t i = 72; i < 78; ++i) EXPECT_TRUE(cards.dog.Contains(order[i]));
}

TEST(DealOutTest, DogGetsCardsOnlyAtAllowedPlaces) {
  const PackOrder order = OrderedPack();
  RuleSet rules = FindRuleSet("pagat")->rules;
  for (int n = 3; n <= 5; ++n) {
    const CardSet dog = DealOut(rules, n, 0, order).dog;
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_FALSE(dog.Contains(order[i]) || dog.Contains(order[77 - i])) << n;
    }
  }
  // Four players get 24 packets of three cards. At least ten cards must go to the hands before the
  // dog gets its first card, and at least 30 cards after the dog gets its last card.
  rules.dog_forbidden_first = 10;
  rules.dog_forbidden_last = 30;
  EXPECT_EQ(DogPlaces(rules, 4), 11) << "after packets 4 to 14";
  // The dog gets a card after the first packet of rounds 2, 3 and 4 (packets 5, 9, 13). Then it
  // gets a card after the second packet of these rounds (packets 6, 10, 14).
  CardSet expected;
  for (const int at : {15, 19, 29, 33, 43, 47})
    expected.Insert(order[static_cast<std::size_t>(at)]);
  EXPECT_EQ(DealOut(rules, 4, 0, order).dog, expected);
  // If each seat gets its whole hand as one packet, there are three places. Each place gets two
  // cards of the dog.
  rules = RuleSet{};
  rules.packet_size[1] = 18;
  EXPECT_EQ(DogPlaces(rules, 4), 3);
  expected = {};
  for (const int at : {18, 19, 38, 39, 58, 59})
    expected.Insert(order[static_cast<std::size_t>(at)]);
  EXPECT_EQ(DealOut(rules, 4, 0, order).dog, expected);
}

TEST(DealOutTest, TheDealerWhoSitsOutGetsNothing) {
  RuleSet rules;
  rules.five_alternative = FiveAlternative::kDealerSitsOut;
  rules.hand_size[2] = 18;
  rules.dog_size[2] = 6;
  const DealtCards cards = DealOut(rules, 5, 2, OrderedPack());
  for (const std::size_t seat : {0u, 1u, 3u, 4u}) EXPECT_EQ(cards.hands[seat].Size(), 18);
  EXPECT_TRUE(cards.hands[2].Empty());
  EXPECT_EQ(cards.dog.Size(), 6);
  EXPECT_TRUE(cards.hands[3].Contains(CardAt(0))) << "the seat after the dealer is served first";
}

TEST(CutTest, PutsTheTopBeneathAndLeavesCutMinCards) {
  const PackOrder order = OrderedPack();
  const PackOrder cut = Cut(order, 4);
  EXPECT_EQ(cut[0], order[4]);
  EXPECT_EQ(cut[73], order[77]);
  EXPECT_EQ(cut[74], order[0]);
  EXPECT_EQ(Cut(order, 0), order);
  RuleSet rules;
  const auto allowed = [&](int cut_min, int taken) {
    rules.cut_min = static_cast<std::uint8_t>(cut_min);
    return CutAllowed(rules, taken);
  };
  EXPECT_FALSE(allowed(4, 3) || allowed(4, 75));
  EXPECT_TRUE(allowed(4, 4) && allowed(4, 74));
  EXPECT_TRUE(allowed(3, 3) && allowed(3, 75));
  EXPECT_TRUE(allowed(1, 1) && allowed(1, 77));
  EXPECT_FALSE(allowed(1, 0) || allowed(1, 78)) << "that is no cut";
}

TEST(CardTextTest, EveryCardRoundTripsAndNothingElseParses) {
  for (int i = 0; i < kCardCount; ++i) EXPECT_EQ(ParseCard(CardText(CardAt(i))), CardAt(i));
  for (const char* bad :
       {"", "S", "S0", "S15", "T22", "T0", "X", "EXX", "Z3", "S01", "s3", "T-1"}) {
    EXPECT_FALSE(ParseCard(bad).has_value()) << bad;
  }
}

TEST(CodecTest, RefusesBytesThatItNeverWrites) {
  const std::string good = EncodeAction(Action::Play(kExcuse));
  EXPECT_TRUE(DecodeAction(good).has_value());
  EXPECT_FALSE(DecodeAction("").has_value());
  EXPECT_FALSE(DecodeAction(good + "x").has_value());
  const std::string no_such_card("\x01\x02\x07\x00\x00\x00\x00\x00\x00\x00\x00\x40", 12);
  EXPECT_FALSE(DecodeAction(no_such_card).has_value()) << "the Excuse is the last";
  for (int kind = 0; kind < 256; ++kind) {
    for (int value = 0; value < 256; ++value) {
      const std::string bytes{1, static_cast<char>(kind), static_cast<char>(value)};
      if (const auto action = DecodeAction(bytes)) {
        EXPECT_EQ(EncodeAction(*action), bytes);
      }
    }
  }
}

// Version 1 of the codec wrote the bytes in this test. Never change these bytes.
TEST(CodecTest, StoredBytesStayReadable) {
  EXPECT_EQ(EncodeAction(Action::Play(kPetit)), std::string("\x01\x05\x38", 3));
  EXPECT_EQ(EncodeAction(Action::Bid(Contract::kGarde)), std::string("\x01\x00\x02", 3));
  EXPECT_EQ(DecodeAction(std::string("\x01\x03\x01", 3)), Action::Slam(true));
  EXPECT_EQ(DecodeAction(std::string("\x01\x02\x07\x00\x00\x00\x00\x00\x00\x0e\x00\x00", 12)),
            Action::Discard(Set({"S1", "S2", "S3", "T2", "T3", "T4"})));
}

TEST(CodecTest, RuleSetsComeBackAndStoredOnesStayReadable) {
  for (const NamedRuleSet& named : RuleSets()) {
    EXPECT_EQ(DecodeRuleSet(EncodeRuleSet(named.rules)), named.rules) << std::string(named.name);
  }
  // An old version of the program could store this text. The text names only the parameters that
  // this version knew. Never change the text.
  RuleSet old = FindRuleSet("fft")->rules;
  old.multiplier = {0, 1, 2, 3, 4};
  old.packet_size = {4, 3, 3};
  old.scoring = Scoring::kTakerCountsHonours;
  // The text does not name this parameter. The old version always played as if the parameter were
  // false.
  old.excuse_slam_wins_when_partner_leads = false;
  EXPECT_EQ(DecodeRuleSet("players=3,4,5 mult=1,2,3,4 deal_packet=3:4,4:3,5:3 "
                          "scoring=taker_only:v=courts+boutsinhiscards;signedv*mult"),
            old);
  for (const char* bad : {"", "mult", "mult=1,2", "no_such=1", "mult=1,2,3,4 "}) {
    EXPECT_FALSE(DecodeRuleSet(bad).has_value()) << bad;
  }
}

// After every deal the gathered pack has all cards, even if the deal was passed out or cancelled.
TEST(GatheredPackTest, HoldsEveryCardOnceUnderEveryRuleSet) {
  Rng rng(11);
  for (const NamedRuleSet& named : RuleSets()) {
    for (int n = named.rules.players_min; n <= named.rules.players_max; ++n) {
      Match match = StartMatch(named.rules, n, 3);
      PackOrder pack = RandomPack(rng);
      while (!match.Finished()) {
        ASSERT_TRUE(StartNextDeal(match, pack));
        while (match.DealRunning()) {
          const Action action = RandomAction(match.deal, rng);
          ASSERT_TRUE(Apply(match, match.deal.turn, action).ok()) << named.name << " " << n;
        }
        pack = GatheredPack(match.deal);
        const std::set<Card> cards(pack.begin(), pack.end());
        ASSERT_EQ(cards.size(), 78u) << named.name << " " << n;
      }
    }
  }
}

TEST(GatheredPackTest, HasTheOrderThatTheContractGives) {
  Rng rng(12);
  std::set<Contract> seen;
  while (seen.size() < 4) {
    Deal deal = RandomDeal(FindRuleSet("booklet_customs")->rules, 4, rng);
    while (deal.phase != Phase::kDone) Apply(deal, deal.turn, RandomAction(deal, rng));
    if (deal.result.outcome != Outcome::kScored) continue;
    seen.insert(deal.contract);
    const PackOrder pack = GatheredPack(deal);
    std::size_t attack = 0;
    std::vector<Card> first_of_defence;
    for (int i = 0; i < deal.trick_count; ++i) {
      const Trick& trick = deal.tricks[static_cast<std::size_t>(i)];
      if (trick.winner == deal.taker) ++attack;
      if (trick.winner != deal.taker && first_of_defence.empty()) {
        first_of_defence.assign(trick.cards.begin(), trick.cards.begin() + 4);
      }
    }
    const bool contre = deal.contract == Contract::kGardeContre;
    const std::size_t dog_at = contre ? 4 * attack : 0;
    CardSet beside;
    for (std::size_t i = 0; i < 6; ++i) beside.Insert(pack[dog_at + i]);
    EXPECT_EQ(beside, deal.discard.Empty() ? deal.dog : deal.discard);
    for (std::size_t i = 0; i < first_of_defence.size(); ++i) {
      EXPECT_EQ(pack[6 + 4 * attack + i], first_of_defence[i]);
    }
  }
}

TEST(GatheredPackTest, HasAPileForEachCampWithItsTricks) {
  Rng rng(14);
  for (const NamedRuleSet& named : RuleSets()) {
    for (int n = named.rules.players_min; n <= named.rules.players_max; ++n) {
      for (int round = 0; round < 10; ++round) {
        Deal deal = RandomDeal(named.rules, n, rng);
        while (deal.phase != Phase::kDone) Apply(deal, deal.turn, RandomAction(deal, rng));
        if (deal.result.outcome != Outcome::kScored) continue;
        const PileSizes piles = GatheredPiles(deal);
        ASSERT_TRUE(HoldsWholePack(piles)) << named.name << " " << n;
        const bool alone = named.rules.teams == Teams::kEveryoneAlone;
        // Counts the cards of each pile. The dog or the écart is in the pile of the camp for which
        // it counts.
        std::vector<int> cards(alone ? static_cast<std::size_t>(n) + 1 : 2u);
        cards[!alone && deal.contract == Contract::kGardeContre ? 1 : 0] = deal.dog.Size();
        for (int i = 0; i < deal.trick_count; ++i) {
          const Seat winner = deal.tricks[static_cast<std::size_t>(i)].winner;
          const int pile = alone                   ? (winner - deal.dealer - 1 + n) % n + 1
                           : deal.InAttack(winner) ? 0
                                                   : 1;
          cards[static_cast<std::size_t>(pile)] += deal.playing;
        }
        // Each pile is one packet, because the cards of a trick do not stay together.
        PileSizes expected;
        for (const int size : cards) {
          if (size > 0) expected.push_back({static_cast<std::uint8_t>(size)});
        }
        ASSERT_EQ(piles, expected) << named.name << " " << n;
      }
    }
  }
  EXPECT_FALSE(HoldsWholePack({{77}}));
  EXPECT_FALSE(HoldsWholePack({{78}, {}}));
  EXPECT_FALSE(HoldsWholePack({{78, 0}}));
}

TEST(GatheredPackTest, APassedDealGivesTheHandsBack) {
  Rng rng(13);
  Deal deal = RandomDeal(FindRuleSet("booklet_customs")->rules, 3, rng);
  for (int i = 0; i < 3; ++i) Apply(deal, deal.turn, Action::Bid(Contract::kPass));
  ASSERT_EQ(deal.result.outcome, Outcome::kAllPassed);
  const PackOrder pack = GatheredPack(deal);
  const auto dealt = [&](Seat seat) { return deal.dealt[static_cast<std::size_t>(seat % 3)]; };
  EXPECT_EQ(pack.front(), dealt(deal.dealer + 1).First()) << "the seat after the dealer";
  EXPECT_EQ(pack[71], dealt(deal.dealer).Last());
  EXPECT_EQ(pack[72], deal.dog.First());
}

// Returns a pack in which the seat after the dealer has a petit sec. This seat gets the Petit and
// cards of suits.
PackOrder PetitSecPack(const RuleSet& rules, Seat dealer) {
  // In the ordered pack, a card's number is its position. So each card of a hand shows the position
  // in the pack from which it was dealt.
  const PackOrder ordered = OrderedPack();
  const CardSet places =
      DealOut(rules, 4, dealer, ordered).hands[static_cast<std::size_t>((dealer + 1) % 4)];
  std::vector<Card> rest(ordered.begin() + places.Size() - 1, ordered.end());
  rest.erase(std::find(rest.begin(), rest.end(), kPetit));
  PackOrder pack;
  std::size_t own = 0, other = 0;
  for (int i = 0; i < kCardCount; ++i) {
    Card& card = pack[static_cast<std::size_t>(i)];
    card = !places.Contains(CardAt(i)) ? rest[other++] : own == 0 ? kPetit : ordered[own - 1];
    own += places.Contains(CardAt(i)) ? 1 : 0;
  }
  return pack;
}

TEST(DealerTest, MovesOnAfterEveryDeal) {
  Rng rng(14);
  for (const char* name : {"fft", "fft_duplicate"}) {
    Match match = StartMatch(FindRuleSet(name)->rules, 4, 16);
    const bool board = match.rules.dealer_by == DealerBy::kBoard;
    EXPECT_EQ(match.next_dealer, 3);
    match.next_dealer = 1;  // Seat 1 was drawn as the first dealer.
    Seat expected = 1;
    std::set<std::pair<Seat, Seat>> places;
    while (!match.Finished()) {
      const bool cancelled = match.deals_dealt == 2;
      ASSERT_TRUE(
          StartNextDeal(match, cancelled ? PetitSecPack(match.rules, expected) : RandomPack(rng)));
      EXPECT_TRUE(!cancelled || match.deal.result.outcome == Outcome::kPetitSec);
      EXPECT_EQ(match.deal.dealer, expected);
      const Seat given = board ? BoardTaker(4, match.deals_scored + 1) : kNoSeat;
      if (match.DealRunning()) {
        EXPECT_EQ(match.deal.taker, given);
      }
      while (match.DealRunning()) {
        Apply(match, match.deal.turn, RandomAction(match.deal, rng));
      }
      const bool scored = match.deal.result.outcome == Outcome::kScored;
      if (scored) places.emplace(match.deal.dealer, match.deal.taker);
      if (scored || !board) expected = (expected + 1) % 4;
    }
    EXPECT_TRUE(!board || places.size() == 16u) << "each dealer with each taker";
  }
}

TEST(DealerTest, TheLastSeatDealtFirstInOldMatches) {
  EXPECT_EQ(DealerOf(4, 1), 3);
  EXPECT_EQ(DealerOf(4, 2), 0);
  EXPECT_EQ(DealerOf(5, 1), 4);
}

}  // namespace
}  // namespace tarot::rules
