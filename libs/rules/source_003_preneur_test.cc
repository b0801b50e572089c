// Tests rule set `preneur` against source 003: its examples, and the statements that
// common_rules_test.cc does not cover. Comments quote the source. docs/rules/source_003.md lists
// the tests of each paragraph.
#include "libs/rules/bidding.h"
#include "libs/rules/deck.h"
#include "libs/rules/testing/test_table.h"
#include "libs/rules/view.h"

namespace tarot::rules {
namespace {

constexpr const char* kPreneur = "preneur";
const CardSet kPlainDog = Cards("S1-6");
const CardSet kStrong = Cards("T8-21 S14 H14 D14 C14");

Score ScoreOf(const ScoreInput& input) { return ComputeScore(Named(kPreneur), input); }

// Source 003 says: "3 at a time to each person ... deals cards individually to a stock of 6 cards
// called the Chien ... may not deal the first or the last card of the deck to the Chien."
TEST(Source003Preneur, DealsThreeByThreeAndSixCardsToTheDog) {
  const DealtCards dealt = DealOut(Named(kPreneur), 4, 3, OrderedPack());
  EXPECT_TRUE(dealt.hands[0].ContainsAll(CardSet{CardAt(0), CardAt(1), CardAt(2)}));
  EXPECT_EQ(dealt.dog.Size(), 6);
  EXPECT_FALSE(dealt.dog.Contains(CardAt(0)) || dealt.dog.Contains(CardAt(77)));
}

// Source 003 says: "The player on the left of the dealer must then cut the cards". A cut takes at
// least one card.
TEST(Source003Preneur, CutLeavesOneCard) {
  EXPECT_FALSE(CutAllowed(Named(kPreneur), 0));
  EXPECT_TRUE(CutAllowed(Named(kPreneur), 1));
}

// Source 003 says: "The Chelem can be declared by the Preneur in addition to his or her contract".
// The Preneur declares the Chelem before the Chien is turned. The source also says: "the player
// making the announcement leads the first trick".
TEST(Source003Preneur, ChelemGoesWithTheContract) {
  Deal deal = DealWith(kPreneur, 4, kPlainDog, {Cards("H1-9 D1-9"), kStrong});
  Do(deal, Action::Bid(Contract::kPass));
  Take(deal, Contract::kGarde);
  ASSERT_EQ(deal.phase, Phase::kSlam);
  EXPECT_EQ(deal.turn, 1);
  for (Seat seat = 0; seat < 4; ++seat) EXPECT_EQ(MakeView(deal, seat).dog, CardSet{});
  Do(deal, Action::Slam(true));
  EXPECT_EQ(deal.phase, Phase::kDiscarding);
  Do(deal, Action::Discard(kPlainDog));
  EXPECT_EQ(deal.turn, 1);
  EXPECT_EQ(deal.phase, Phase::kPlaying);
}

// Source 003 says: "announced and achieved: additional bonus of 400 points. not announced but
// achieved: 200. announced but not achieved: 200 points are subtracted". The text names no bonus
// for the Defense.
TEST(Source003Preneur, ChelemPays400Or200OrCosts200) {
  const auto extra = [](SlamOutcome slam) {
    return ScoreOf({.bouts = 2, .attack_half_points = 82, .slam = slam}).unit - 2 * 25;
  };
  EXPECT_EQ(extra(SlamOutcome::kAnnouncedMade), 400);
  EXPECT_EQ(extra(SlamOutcome::kUnannouncedMade), 200);
  EXPECT_EQ(extra(SlamOutcome::kAnnouncedFailed), -200);
  EXPECT_EQ(extra(SlamOutcome::kDefence), 0);
}

// Source 003 says: "must win all the tricks and must play the Excuse in the final trick.
// Consequently, "Petit au bout" will be counted if the Petit wins the second to last trick."
TEST(Source003Preneur, ExcuseEndsAChelemAndThePetitCountsBefore) {
  Deal deal = DealWith(kPreneur, 4, kPlainDog, {Cards("T6-21 T1 EX"), Cards("T2-5 H1-13 D1")});
  Take(deal, Contract::kPrise);
  Do(deal, Action::Slam(true));
  Do(deal, Action::Discard(kPlainDog));
  while (deal.phase == Phase::kPlaying) {
    const CardSet cards = ListLegal(deal).cards;
    const CardSet spare = deal.turn == 0 ? cards - Cards("EX") : cards;
    Do(deal, Action::Play(spare.Empty() ? kExcuse : spare.Last()));
  }
  EXPECT_EQ(LastTrick(deal).winner, 0);
  EXPECT_EQ(deal.result.petit_au_bout, 1);
  EXPECT_EQ(deal.result.score.unit, (25 + 55) + 10 + 400);
}

// Source 003 says: "must win all the tricks and must play the Excuse in the final trick". The text
// does not ask for a lead, so the Excuse also wins a trick that the player's partner leads.
TEST(Source003Preneur, ExcuseEndsAChelemAlsoIfAPartnerLeads) {
  EXPECT_EQ(LastTrick(ExcuseLast(Named(kPreneur), false)).winner, 0);
  const Deal deal = ExcuseLastToAPartner(Named(kPreneur));
  EXPECT_EQ(LastTrick(deal).leader, 0);
  EXPECT_EQ(LastTrick(deal).winner, 1);
}

// Source 003 says: "announce it and present it ... completely and only once, right before playing
// his first card"; "must include ten, thirteen or fifteen Trumps"; "the Excuse in the Poignée
// implies that the player does not have any other Trumps."
TEST(Source003Preneur, PoigneeOf10Or13Or15IsShownOnce) {
  Deal deal = DealWith(kPreneur, 4, kPlainDog, {Cards("T2-12 EX H1-6")});
  Take(deal, Contract::kGardeSans);
  ToFirstCard(deal);
  EXPECT_EQ(WhyNot(deal, Action::Handful(Cards("T2-12"))), Reason::kHandfulSize);
  EXPECT_EQ(WhyNot(deal, Action::Handful(Cards("T3-11 EX"))), Reason::kHandfulExcuse);
  Do(deal, Action::Handful(Cards("T3-12")));
  EXPECT_EQ(WhyNot(deal, Action::Handful(Cards("T2-11"))), Reason::kHandfulTooLate) << "once";
}

// Source 003 says: "These bonuses have the same value regardless of the contract. This bonus is
// awarded to the victorious side in a played hand."
TEST(Source003Preneur, PoigneePaysTheVictoriousSide) {
  for (int level = 1; level <= 3; ++level) {
    for (const bool won : {true, false}) {
      ScoreInput input{
          .contract = Contract::kGardeContre, .bouts = 2, .attack_half_points = won ? 82 : 80};
      input.defence_handfuls[static_cast<std::size_t>(level)] = 1;
      const int bonus = 10 + 10 * level;
      EXPECT_EQ(ScoreOf(input).unit, won ? 25 * 6 + bonus : -26 * 6 - bonus);
    }
  }
}

// Source 003 says: "The side winning this trick, receives a bonus of 10, multiplied by the value of
// the contract". A side gets this bonus also when it loses the deal.
TEST(Source003Preneur, PetitAuBoutPaysTheSideThatWinsTheTrick) {
  for (const bool attack : {true, false}) {
    const Deal deal =
        PlayedDealWhere(kPreneur, 4, Contract::kGardeSans, Cards("T1"), [&](const Deal& d) {
          return PlayerOf(d, LastTrick(d), kPetit) != kNoSeat && !d.result.score.won &&
                 d.InAttack(LastTrick(d).winner) == attack;
        });
    const int lost = -(25 + deal.result.score.difference) * 4;
    EXPECT_EQ(deal.result.score.unit, lost + (attack ? 40 : -40));
  }
}

// Source 003 says: "The Excuse may not win a trick (except in the event of Chelem), but it still
// belongs to the side holding it. If the opposing side wins the trick containing the Excuse, the
// holder ... must replace it in the trick by any small card". The text makes no other exception for
// the last trick.
TEST(Source003Preneur, ExcuseOfTheLastTrickStaysWithItsSide) {
  for (const bool of_taker : {true, false}) {
    const Deal deal =
        PlayedDealWhere(kPreneur, 4, Contract::kGarde, Cards("EX"),
                        [&](const Deal& d) { return ExcuseCrosses(d, of_taker, /*last=*/true); });
    const int without = HalfPoints(WonByAttack(deal) - Cards("EX"));
    EXPECT_EQ(deal.result.attack_half_points, of_taker ? without + 8 : without + 1);
  }
}

TEST(Source003Preneur, ExcuseInTheLastTrickOfAnOpposingChelemIsLost) {
  Deal deal = DealWith(kPreneur, 4, kPlainDog, {Cards("T4-21"), Cards("T1-3 H1-12 EX D1-2")});
  Take(deal, Contract::kGardeSans);
  ToFirstCard(deal);
  PlayHighest(deal, Cards("EX"));
  ASSERT_EQ(TrickOf(deal, kExcuse), &LastTrick(deal));
  EXPECT_EQ(deal.result.slam, SlamOutcome::kUnannouncedMade);
  EXPECT_EQ(deal.result.bouts, 3);
}

// Source 003 says: "In the event of a successful Chelem without the Preneur having the Excuse, this
// card is played normally and remains with the side of the Defense and accounts for 4 points."
TEST(Source003Preneur, DefenceKeepsItsExcuseInAChelem) {
  Deal deal = DealWith(kPreneur, 4, kPlainDog, {Cards("T4-21"), Cards("T1-3 H1-12 EX D1-2")});
  Take(deal, Contract::kGardeSans);
  ToFirstCard(deal);
  PlayHighest(deal, CardSet{});
  ASSERT_NE(TrickOf(deal, kExcuse), &LastTrick(deal));
  EXPECT_EQ(deal.result.slam, SlamOutcome::kUnannouncedMade);
  EXPECT_EQ(deal.result.attack_half_points, 2 * (91 - 4));
  EXPECT_EQ(deal.result.bouts, 2);
}

// Source 003 says: "one adds 25 points ... unchanged, ... by two, ... by four, ... by six"; "The
// total of the four scores ... is, thus, equal to 0."
TEST(Source003Preneur, ContractMultipliesByOneTwoFourOrSix) {
  const int coefficients[] = {1, 2, 4, 6};
  for (int bid = 1; bid <= 4; ++bid) {
    const Score score =
        ScoreOf({.contract = static_cast<Contract>(bid), .bouts = 1, .attack_half_points = 2 * 45});
    EXPECT_EQ(score.defender, 31 * coefficients[bid - 1]);
    EXPECT_EQ(score.taker, -3 * score.defender);
  }
}

// For three players, source 003 says: "It is not necessary to provide a low valued card to
// supplement the trick involving the Excuse."
TEST(Source003Preneur, ExcuseOfThreePlayersCostsNoCard) {
  for (const bool of_taker : {true, false}) {
    const Deal deal = PlayedDealWhere(kPreneur, 3, Contract::kGarde, CardSet{}, [&](const Deal& d) {
      return ExcuseCrosses(d, of_taker, /*last=*/false);
    });
    const int sign = of_taker ? 1 : -1;
    EXPECT_EQ(deal.result.attack_half_points, HalfPoints(WonByAttack(deal)) + sign * 9);
  }
}

// Source 003 says: "a Preneur who was to make 41, loses if he makes 40.5 ... by 1 point.
// Conversely, if he had made 41.5, he would have won by 1 point."
TEST(Source003Preneur, HalfPointGoesToTheWinnerOfTheContract) {
  const auto unit = [](int half_points) {
    return ScoreOf({.players = 3,
                    .contract = Contract::kPrise,
                    .bouts = 2,
                    .attack_half_points = half_points})
        .unit;
  };
  EXPECT_EQ(unit(81), -26);
  EXPECT_EQ(unit(82), 25);
  EXPECT_EQ(unit(83), 26);
}

// Source 003 says: "the Preneur calls a King of his choice and the holder of this King becomes his
// partner. If the Preneur has the 4 Kings, he calls a Queen, or a Knight if he also has the 4
// Queens."
TEST(Source003Preneur, CallsAKingOrALowerRankWhenAllHigherOnesAreHeld) {
  const CardSet kings = CardSet::Kings();
  const CardSet queens = Cards("S13 H13 D13 C13");
  const RuleSet& rules = Named(kPreneur);
  EXPECT_EQ(CallableCards(rules, Cards("S14 H2")), kings - Cards("S14")) << "a holder, a partner";
  EXPECT_EQ(CallableCards(rules, kings | Cards("S13")), queens - Cards("S13"));
  EXPECT_EQ(CallableCards(rules, kings | queens), Cards("S12 H12 D12 C12"));
}

// Source 003 says: "The first trick may not be led in the suit chosen by the Preneur unless this
// trick is led by the suit's King."
TEST(Source003Preneur, FirstLeadAvoidsTheCalledSuit) {
  Deal deal =
      DealWith(kPreneur, 5, Cards("D1-3"), {Cards("S4-8 S14 H1-9"), Cards("T10-21 C14 H14 D14")});
  Do(deal, Action::Bid(Contract::kPass));
  Take(deal, Contract::kGardeSans);
  if (deal.phase == Phase::kSlam) Do(deal, Action::Slam(false));
  Do(deal, Action::Call(CardOf("S14")));
  ToFirstCard(deal);
  EXPECT_EQ(ListLegal(deal).cards, Cards("S14 H1-9"));
}

// Source 003 says: "When the Preneur finishes the discard, he says 'play' and the discard may not
// be further modified or examined".
TEST(Source003Preneur, DiscardMayNotBeExamined) {
  Deal deal = DealWith(kPreneur, 4, kPlainDog, {kStrong});
  Take(deal, Contract::kGarde);
  Do(deal, Action::Slam(false));
  Do(deal, Action::Discard(kPlainDog));
  EXPECT_EQ(MakeView(deal, 0).discard, CardSet{});
}

// Source 003 says: "announce it and present it ... completely and only once, right before playing
// his first card."
TEST(Source003Preneur, PoigneeIsPresentedOnlyOnce) {
  Deal deal = DealWith(kPreneur, 4, kPlainDog, {kStrong});
  Take(deal, Contract::kGarde);
  ToFirstCard(deal);
  Do(deal, Action::Handful(Cards("T8-17")));
  for (int card = 0; card < 4; ++card) {
    EXPECT_EQ(MakeView(deal, 2).handfuls[0].cards, Cards("T8-17"));
    Do(deal, Action::Play(ListLegal(deal).cards.First()));
  }
  EXPECT_EQ(MakeView(deal, 2).handfuls[0].cards, Cards("T8-17")) << "the trick is on the table";
  Do(deal, Action::Play(ListLegal(deal).cards.First()));
  for (Seat seat = kNoSeat; seat < 4; ++seat) {
    const ShownHandful shown = MakeView(deal, seat).handfuls[0];
    EXPECT_EQ(shown, (ShownHandful{.seat = 0, .level = 1}));
  }
}

// Source 003 says: "must announce Petit Sec, displaying his or her hand and annuling the deal
// before the bidding commences."
TEST(Source003Preneur, PetitSecDisplaysTheHand) {
  const CardSet hand = Cards("H1-9 D1-8 T1");
  const Deal deal = DealWith(kPreneur, 4, kPlainDog, {kStrong, hand});
  EXPECT_EQ(deal.result.outcome, Outcome::kPetitSec);
  EXPECT_EQ(MakeView(deal, kNoSeat).result.petit_sec_seat, 1);
  EXPECT_EQ(MakeView(deal, 3).result.petit_sec_hand, hand);
}

}  // namespace
}  // namespace tarot::rules
