// Tests rule set `club` against source 000: its examples, and the statements that
// common_rules_test.cc does not cover. Comments quote the source. docs/rules/source_000.md lists
// the tests of each section.
#include "libs/rules/deck.h"
#include "libs/rules/testing/test_table.h"
#include "libs/rules/trick.h"
#include "libs/rules/view.h"

namespace tarot::rules {
namespace {

constexpr const char* kClub = "club";
const CardSet kPlainDog = Cards("S1-6");
const CardSet kStrong = Cards("T8-21 S14 H14 D14 C14");

int Winner(std::initializer_list<const char*> trick) {
  std::vector<Card> cards;
  for (const char* card : trick) cards.push_back(CardOf(card));
  return WinningPosition(cards);
}

// Source 000 says: "in descending order the King, the Queen, the Knight, the Jack then 10 ... 2 -
// Ace", "A Trump is always a higher card than any card of a suit", and the Excuse "cannot win the
// trick".
TEST(Source000Club, Section1KingsLeadTheirSuitAndTrumpsBeatSuits) {
  EXPECT_EQ(Winner({"S1", "S2", "S10", "S11"}), 3);
  EXPECT_EQ(Winner({"S13", "S12", "S14", "S11"}), 2);
  EXPECT_EQ(Winner({"S14", "T1", "S13", "H14"}), 1);
  EXPECT_EQ(Winner({"T20", "T21", "T1", "T2"}), 1);
  EXPECT_EQ(Winner({"EX", "C1", "D14", "H14"}), 1) << "only the second card's suit counts";
}

// Source 000 says: "an Oudler + a minor card 5 points ... two minor cards 1 point. Total of the
// pack 91 points".
TEST(Source000Club, Section2PackHolds91Points) {
  const Card minor = CardOf("H7");
  const auto pair = [&](const char* card) { return HalfPoints(CardOf(card)) + HalfPoints(minor); };
  for (const char* oudler : {"T21", "T1", "EX"}) EXPECT_EQ(pair(oudler), 2 * 5);
  EXPECT_EQ(pair("S14"), 2 * 5);
  EXPECT_EQ(pair("S13"), 2 * 4);
  EXPECT_EQ(pair("S12"), 2 * 3);
  EXPECT_EQ(pair("S11"), 2 * 2);
  for (const char* other : {"S10", "S1", "T20", "T2"}) EXPECT_EQ(pair(other), 2 * 1);
  EXPECT_EQ(HalfPoints(CardSet::All()), 2 * 91);
}

// Source 000 says: "The smallest part of the pack must contain at least 4 cards."
TEST(Source000Club, Section5CutLeavesFourCardsOnEachSide) {
  const RuleSet& rules = Named(kClub);
  EXPECT_FALSE(CutAllowed(rules, 3));
  EXPECT_TRUE(CutAllowed(rules, 4));
  EXPECT_TRUE(CutAllowed(rules, 74));
  EXPECT_FALSE(CutAllowed(rules, 75));
}

// Source 000 says: "dealt counter-clockwise three by three. The Talon is composed of 6 cards. It is
// made during the dealing one by one but without the first and the last card of the pack."
TEST(Source000Club, Section5DealsThreeByThreeAndSixCardsToTheDog) {
  const DealtCards dealt = DealOut(Named(kClub), 4, 3, OrderedPack());
  EXPECT_TRUE(dealt.hands[0].ContainsAll(CardSet{CardAt(0), CardAt(1), CardAt(2)}));
  EXPECT_EQ(dealt.dog.Size(), 6);
  EXPECT_FALSE(dealt.dog.Contains(CardAt(0)) || dealt.dog.Contains(CardAt(77)));
  for (std::size_t seat = 0; seat < 4; ++seat) EXPECT_EQ(dealt.hands[seat].Size(), 18);
}

TEST(Source000Club, Section1ExcuseChangesSideInTheLastTrick) {
  for (const bool of_taker : {true, false}) {
    const Deal deal = PlayedDealWhere(kClub, 4, Contract::kGarde, Cards("EX"), [&](const Deal& d) {
      return ExcuseCrosses(d, of_taker, /*last=*/true);
    });
    const CardSet won = WonByAttack(deal);
    EXPECT_EQ(deal.result.bouts, (won & CardSet::Bouts()).Size()) << "with the trick's winner";
    EXPECT_EQ(deal.result.attack_half_points, HalfPoints(won));
  }
}

// Source 000 says: "If the Ace of Trumps is in the 18th and last trick, the side who wins this
// trick gains a bonus of 10 ..., whatever the winning side of the deal."
TEST(Source000Club, Section9PetitAtTheEndPaysTheSideThatWinsTheTrick) {
  for (const bool attack : {true, false}) {
    for (const bool won : {true, false}) {
      const Deal deal =
          PlayedDealWhere(kClub, 4, Contract::kGarde, Cards("T1"), [&](const Deal& d) {
            return PlayerOf(d, LastTrick(d), kPetit) != kNoSeat &&
                   d.InAttack(LastTrick(d).winner) == attack && d.result.score.won == won;
          });
      EXPECT_EQ(deal.result.petit_au_bout, attack ? 1 : -1);
      const int contract = (won ? 1 : -1) * (25 + deal.result.score.difference) * 2;
      EXPECT_EQ(deal.result.score.unit, contract + (attack ? 20 : -20));
    }
  }
}

// Source 000 says: "A player which has 10 or more trumps ... Before he plays his first card in the
// first trick, he has to show the right number of trumps". The right numbers are 10, 13 and 15.
TEST(Source000Club, Section9HandfulOf10Or13Or15IsShownBeforeTheFirstCard) {
  Deal deal = DealWith(kClub, 4, kPlainDog, {Cards("T2-16 H1-3")});
  Take(deal, Contract::kGardeSans);
  ToFirstCard(deal);
  const auto why = [&](const char* cards) { return WhyNot(deal, Action::Handful(Cards(cards))); };
  EXPECT_EQ(why("T2-11"), Reason::kOk);
  EXPECT_EQ(why("T2-12"), Reason::kHandfulSize);
  EXPECT_EQ(why("T2-14"), Reason::kOk);
  EXPECT_EQ(why("T2-16"), Reason::kOk);
  EXPECT_EQ(why("T2-10"), Reason::kHandfulSize);
  Do(deal, Action::Play(CardOf("T16")));
  while (deal.turn != 0) Do(deal, Action::Play(ListLegal(deal).cards.First()));
  EXPECT_EQ(why("T2-11"), Reason::kHandfulTooLate);
}

// Source 000 says: "The Excuse shown inside a Handful indicates that the player has no other Trumps
// in his hand."
TEST(Source000Club, Section9ExcuseInAHandfulMeansNoOtherTrump) {
  for (const auto& [hand, shown, reason] :
       {std::tuple("T2-10 EX H1-8", "T2-10 EX", Reason::kOk),
        std::tuple("T2-11 EX H1-7", "T2-10 EX", Reason::kHandfulExcuse)}) {
    Deal deal = DealWith(kClub, 4, kPlainDog, {Cards(hand)});
    Take(deal, Contract::kGardeSans);
    ToFirstCard(deal);
    EXPECT_EQ(WhyNot(deal, Action::Handful(Cards(shown))), reason) << hand;
  }
}

// Source 000 says: "a bonus of 20 ... 30 ... 40. This bonus cannot be multiplied but is added to
// the score of the winning side of the deal". The winning side also gets the bonus if the losing
// side showed the handful.
TEST(Source000Club, Section9HandfulGoesToTheWinners) {
  for (int level = 1; level <= 3; ++level) {
    ScoreInput taker{.contract = Contract::kGardeContre, .bouts = 2, .attack_half_points = 82};
    taker.attack_handfuls[static_cast<std::size_t>(level)] = 1;
    ScoreInput defence = taker;
    std::swap(defence.attack_handfuls, defence.defence_handfuls);
    const int bonus = 10 + 10 * level;
    EXPECT_EQ(ComputeScore(Named(kClub), taker).unit, 25 * 6 + bonus);
    EXPECT_EQ(ComputeScore(Named(kClub), defence).unit, 25 * 6 + bonus);
    taker.attack_half_points = defence.attack_half_points = 80;
    EXPECT_EQ(ComputeScore(Named(kClub), taker).unit, -(26 * 6 + bonus));
    EXPECT_EQ(ComputeScore(Named(kClub), defence).unit, -(26 * 6 + bonus));
  }
}

// Source 000 says: "Slam declared and made: a bonus of 400 points ... not declared but made 200 ...
// declared but not made: minus 200". The text names no bonus for a slam of the Defenders.
TEST(Source000Club, Section10SlamPays400Or200OrCosts200) {
  const auto unit = [](SlamOutcome slam, int half_points) {
    return ComputeScore(Named(kClub), {.contract = Contract::kGarde,
                                       .bouts = 2,
                                       .attack_half_points = half_points,
                                       .slam = slam})
        .unit;
  };
  EXPECT_EQ(unit(SlamOutcome::kAnnouncedMade, 174), 71 * 2 + 400);
  EXPECT_EQ(unit(SlamOutcome::kUnannouncedMade, 174), 71 * 2 + 200);
  EXPECT_EQ(unit(SlamOutcome::kAnnouncedFailed, 84), 26 * 2 - 200);
  EXPECT_EQ(unit(SlamOutcome::kAnnouncedFailed, 80), -26 * 2 - 200);
  EXPECT_EQ(unit(SlamOutcome::kDefence, 0), -66 * 2);
}

// Source 000 says: "The Slam can be declared after the Discard. In any case, the player who
// declares a Slam makes the opening."
TEST(Source000Club, Section10SlamIsDeclaredAfterTheDiscardAndLeads) {
  Deal deal = DealWith(kClub, 4, kPlainDog, {Cards("H1-9 D1-9"), kStrong});
  Do(deal, Action::Bid(Contract::kPass));
  Take(deal, Contract::kGarde);
  EXPECT_EQ(WhyNot(deal, Action::Slam(true)), Reason::kWrongPhase);
  Do(deal, Action::Discard(kPlainDog));
  Do(deal, Action::Slam(true));
  EXPECT_EQ(deal.turn, 1) << "not who sits after the dealer";
}

// Source 000 says: "If the player who is trying to complete a Slam has the Excuse, he can play it
// at the last trick and he wins this trick if he has already gained all the other tricks. In this
// case, the Ace of Trumps is considered to have been played "at the end" if it was played at the
// trick before."
TEST(Source000Club, Section10ExcuseEndsASlamAndThePetitCountsBefore) {
  Deal deal = DealWith(kClub, 4, kPlainDog, {Cards("T6-21 T1 EX"), Cards("T2-5 H1-13 D1")});
  Take(deal, Contract::kGardeSans);
  ToFirstCard(deal);
  while (deal.phase == Phase::kPlaying) {
    const CardSet cards = ListLegal(deal).cards;
    // The trumps go from the highest one down, and the Petit comes before the Excuse.
    const CardSet spare = deal.turn == 0 ? cards - Cards("EX") : cards;
    Do(deal, Action::Play(spare.Empty() ? kExcuse : spare.Last()));
  }
  EXPECT_EQ(LastTrick(deal).winner, 0);
  EXPECT_EQ(deal.result.slam, SlamOutcome::kUnannouncedMade);
  EXPECT_EQ(deal.result.petit_au_bout, 1);
  EXPECT_EQ(deal.result.attack_half_points, 182);
  EXPECT_EQ(deal.result.score.unit, (25 + 55) * 4 + 10 * 4 + 200);
}

// Source 000 says: "he can play it at the last trick and he wins this trick if he has already
// gained all the other tricks". The text does not ask for a lead, so the Excuse also wins a trick
// that the player's partner leads.
TEST(Source000Club, Section10ExcuseEndsASlamAlsoIfAPartnerLeads) {
  EXPECT_EQ(LastTrick(ExcuseLast(Named(kClub), false)).winner, 0);
  const Deal deal = ExcuseLastToAPartner(Named(kClub));
  EXPECT_EQ(LastTrick(deal).leader, 0);
  EXPECT_EQ(LastTrick(deal).winner, 1);
}

// Source 000 says: "the Taker wins a Guard with 43 points, 2 Oudlers and the Ace of Trumps at the
// end ... = + 74 pts ... - 74 pts for each of the three Defenders and + 74 x 3 = + 222 pts for the
// Taker."
TEST(Source000Club, Section11GardeWith43PointsAndThePetitPays74) {
  const Score score = ComputeScore(
      Named(kClub),
      {.contract = Contract::kGarde, .bouts = 2, .attack_half_points = 2 * 43, .petit_au_bout = 1});
  EXPECT_EQ(score.difference, 2);
  EXPECT_EQ(score.unit, 74);
  EXPECT_EQ(score.defender, -74);
  EXPECT_EQ(score.taker, 222);
}

// Source 000 says: "multiplied by 2 with a Guard, by 4 with a Guard Without or by 6 with a Guard
// Against ... the sum of all the scores is always 0."
TEST(Source000Club, Section11BidMultipliesByOneTwoFourOrSix) {
  const int multipliers[] = {1, 2, 4, 6};
  for (int bid = 1; bid <= 4; ++bid) {
    for (const int half_points : {2 * 41, 2 * 37}) {
      const Score score = ComputeScore(
          Named(kClub),
          {.contract = static_cast<Contract>(bid), .bouts = 2, .attack_half_points = half_points});
      EXPECT_EQ(score.unit, (half_points == 82 ? 25 : -29) * multipliers[bid - 1]);
      EXPECT_EQ(score.taker + 3 * score.defender, 0);
    }
  }
}

// Source 000 says: "If the Ace of Trumps is the only Trump (including the Excuse) into one of the
// hands, this player must show his cards and that deal is not played."
TEST(Source000Club, Section5LoneAceOfTrumpsShowsTheHand) {
  const CardSet hand = Cards("H1-9 D1-8 T1");
  const Deal deal = DealWith(kClub, 4, kPlainDog, {hand});
  EXPECT_EQ(deal.result.outcome, Outcome::kPetitSec);
  for (Seat seat = kNoSeat; seat < 4; ++seat) {
    EXPECT_EQ(MakeView(deal, seat).result.petit_sec_seat, 0);
    EXPECT_EQ(MakeView(deal, seat).result.petit_sec_hand, hand);
  }
}

}  // namespace
}  // namespace tarot::rules
