// Tests rule set `webguide` against source 001: its examples, and the statements that
// common_rules_test.cc does not cover. Comments quote the source. docs/rules/source_001.md lists
// the tests of each paragraph.
#include "libs/rules/bidding.h"
#include "libs/rules/deck.h"
#include "libs/rules/testing/test_table.h"
#include "libs/rules/view.h"

namespace tarot::rules {
namespace {

constexpr const char* kGuide = "webguide";
const CardSet kPlainDog = Cards("S1-6");
const CardSet kStrong = Cards("T8-21 S14 H14 D14 C14");

Score ScoreOf(const ScoreInput& input) { return ComputeScore(Named(kGuide), input); }

// Source 001 says: "deals each player the cards 3 by 3 ... "The Dog" consisting of 6 cards that he
// must put down card by card. The first and last card must not end up into the Dog."
TEST(Source001Webguide, DealsThreeByThreeAndSixCardsToTheDog) {
  const DealtCards dealt = DealOut(Named(kGuide), 4, 3, OrderedPack());
  EXPECT_TRUE(dealt.hands[0].ContainsAll(CardSet{CardAt(0), CardAt(1), CardAt(2)}));
  EXPECT_EQ(dealt.dog.Size(), 6);
  EXPECT_FALSE(dealt.dog.Contains(CardAt(0)) || dealt.dog.Contains(CardAt(77)));
}

// Source 001 says: "Petite: 25 points. Garde: multiplied by 2 in case of win or loss. Garde sans 4.
// Garde contre 6."
TEST(Source001Webguide, BetMultipliesByOneTwoFourOrSix) {
  const int multipliers[] = {1, 2, 4, 6};
  for (int bid = 1; bid <= 4; ++bid) {
    ScoreInput input{.contract = static_cast<Contract>(bid), .bouts = 2, .attack_half_points = 82};
    EXPECT_EQ(ScoreOf(input).unit, 25 * multipliers[bid - 1]);
    input.attack_half_points = 80;
    EXPECT_EQ(ScoreOf(input).unit, -26 * multipliers[bid - 1]);
  }
}

// Source 001 says: "the dog ... is then turned over in plain sight ... He chooses 6 cards (except
// the Kings and the Oudlers) and puts them aside in front of him without showing them". So trumps
// may go into the écart too.
TEST(Source001Webguide, PutsAnyCardAsideButKingsAndOudlers) {
  Deal deal = DealWith(kGuide, 4, kPlainDog, {Cards("T2-5 H1-10 D14 D1 D2 T21")});
  Take(deal, Contract::kPrise);
  for (Seat seat = 0; seat < 4; ++seat) EXPECT_EQ(MakeView(deal, seat).dog, kPlainDog);
  EXPECT_EQ(WhyNot(deal, Action::Discard(Cards("S1-5 D14"))), Reason::kDiscardKing);
  EXPECT_EQ(WhyNot(deal, Action::Discard(Cards("S1-5 T21"))), Reason::kDiscardBout);
  Do(deal, Action::Discard(Cards("T2-3 S1-4")));
  for (Seat seat = 1; seat < 4; ++seat) {
    EXPECT_EQ(MakeView(deal, seat).discard, CardSet{});
    EXPECT_EQ(MakeView(deal, seat).discard_shown, CardSet{}) << "without showing them";
  }
}

// Source 001 says: "The Excuse cannot be played in the last trick or it will be lost."
TEST(Source001Webguide, ExcuseIsLostInTheLastTrick) {
  for (const bool of_taker : {true, false}) {
    const Deal deal = PlayedDealWhere(kGuide, 4, Contract::kGarde, Cards("EX"), [&](const Deal& d) {
      return ExcuseCrosses(d, of_taker, /*last=*/true);
    });
    EXPECT_EQ(deal.result.bouts, (WonByAttack(deal) & CardSet::Bouts()).Size());
    EXPECT_EQ(deal.result.attack_half_points, HalfPoints(WonByAttack(deal)));
  }
}

// Source 001 says: "a Garde and must score 51 points, having 1 Oudler. His total is 55 points ...
// 58 points ... 174".
TEST(Source001Webguide, GardeWith55PointsPays58) {
  const Score score =
      ScoreOf({.contract = Contract::kGarde, .bouts = 1, .attack_half_points = 2 * 55});
  EXPECT_EQ(score.unit, 58);
  EXPECT_EQ(score.defender, -58);
  EXPECT_EQ(score.taker, 174);
}

// Source 001 says: "If the taker has scored 45 points ... the taker losing 186 points and giving 62
// points to each".
TEST(Source001Webguide, GardeWith45PointsCosts62) {
  const Score score =
      ScoreOf({.contract = Contract::kGarde, .bouts = 1, .attack_half_points = 2 * 45});
  EXPECT_EQ(score.difference, 6);
  EXPECT_EQ(score.defender, 62);
  EXPECT_EQ(score.taker, -186);
}

// Source 001 says: "The player or team who manages to keep the Small One until the last round and
// to win the last trick with it scores 10 more points (multiplied ...)". So a camp that captures
// the Petit in the last trick gets nothing. A "team" gets the points even if a partner of the
// Petit's player wins the trick.
TEST(Source001Webguide, CampOfTheSmallOneMustWinTheLastTrick) {
  for (const bool wins : {true, false}) {
    const Deal deal = PlayedDealWhere(kGuide, 4, Contract::kGarde, Cards("T1"), [&](const Deal& d) {
      const Seat player = PlayerOf(d, LastTrick(d), kPetit);
      if (player == kNoSeat) return false;
      const Seat winner = LastTrick(d).winner;
      return wins ? winner != player && d.InAttack(winner) == d.InAttack(player)
                  : d.InAttack(winner) != d.InAttack(player);
    });
    const bool attack = deal.InAttack(LastTrick(deal).winner);
    const int petit = attack ? 1 : -1;
    EXPECT_EQ(deal.result.petit_au_bout, wins ? petit : 0);
    const int contract = (deal.result.score.won ? 2 : -2) * (25 + deal.result.score.difference);
    EXPECT_EQ(deal.result.score.unit, contract + (wins ? 20 * petit : 0));
  }
}

// Source 001 says: "It must be announced by the taker after he has looked at the dog ... In this
// case, the taker starts the inning and if he has the Excuse he must play it in the last round and
// will keep it".
TEST(Source001Webguide, GrandSlamAnnouncerLeadsAndKeepsTheExcuse) {
  Deal deal = DealWith(kGuide, 4, kPlainDog,
                       {Cards("H1-9 D1-9"), Cards("T6-21 T1 EX"), Cards("T2-5 H10-13 D10")});
  Do(deal, Action::Bid(Contract::kPass));
  Take(deal, Contract::kGarde);
  Do(deal, Action::Discard(kPlainDog));
  Do(deal, Action::Slam(true));
  EXPECT_EQ(deal.turn, 1) << "the taker starts";
  while (deal.phase == Phase::kPlaying) {
    const CardSet cards = ListLegal(deal).cards;
    const CardSet spare = deal.turn == 1 ? cards - Cards("EX") : cards;
    Do(deal, Action::Play(spare.Empty() ? kExcuse : spare.Last()));
  }
  EXPECT_EQ(deal.result.bouts, 3);
  EXPECT_EQ(deal.result.slam, SlamOutcome::kAnnouncedMade);
  EXPECT_EQ(deal.result.score.unit, (25 + 55 + 10) * 2 + 400);
}

// Source 001 says: "+ 400 ... + 200 points if the taker does not announce it but realizes it ... -
// 200". The guide names no points for a slam of the defenders.
TEST(Source001Webguide, GrandSlamPays400Or200OrCosts200) {
  const auto extra = [](SlamOutcome slam) {
    return ScoreOf({.bouts = 2, .attack_half_points = 82, .slam = slam}).unit - 2 * 25;
  };
  EXPECT_EQ(extra(SlamOutcome::kAnnouncedMade), 400);
  EXPECT_EQ(extra(SlamOutcome::kUnannouncedMade), 200);
  EXPECT_EQ(extra(SlamOutcome::kAnnouncedFailed), -200);
  EXPECT_EQ(extra(SlamOutcome::kDefence), 0);
}

// Source 001 does not mention handfuls.
TEST(Source001Webguide, RefusesHandfuls) {
  Deal deal = DealWith(kGuide, 4, kPlainDog, {Cards("T2-19")});
  Take(deal, Contract::kGardeSans);
  ToFirstCard(deal);
  EXPECT_EQ(ListLegal(deal).handful_cards, CardSet{});
  EXPECT_FALSE(Check(deal, 0, Action::Handful(Cards("T2-11"))).ok());
}

// Source 001 says: "if the taker succeeds in his bet up to 60 points, the defensive team loses 60
// points per player, and the taker takes 120 points". Each player has 24 cards.
TEST(Source001Webguide, TwoDefendersEachPayTheTaker) {
  EXPECT_EQ(Named(kGuide).HandSize(3), 24);
  const Score score = ScoreOf(
      {.players = 3, .contract = Contract::kGarde, .bouts = 2, .attack_half_points = 2 * 46});
  EXPECT_EQ(score.unit, 60);
  EXPECT_EQ(score.defender, -60);
  EXPECT_EQ(score.taker, 120);
}

// Source 001 says: "the dog is no longer composed of 6 cards but of 3 ... he must call a King
// before the Dog is revealed. The player who owns the called King then becomes his or her partner".
TEST(Source001Webguide, FivePlayersCallAKing) {
  Deal deal =
      DealWith(kGuide, 5, Cards("S1-3"), {Cards("T2-14 H14 D14"), Cards("S14 T15-21 H1-7")});
  Take(deal, Contract::kGarde);
  EXPECT_EQ(deal.phase, Phase::kCalling);
  EXPECT_EQ(MakeView(deal, 0).dog, CardSet{}) << "before the dog is revealed";
  EXPECT_EQ(WhyNot(deal, Action::Call(kNoCard)), Reason::kCallNotAllowed) << "he must";
  EXPECT_EQ(WhyNot(deal, Action::Call(CardOf("S13"))), Reason::kCallNotAllowed);
  EXPECT_EQ(WhyNot(deal, Action::Call(CardOf("H14"))), Reason::kCallNotAllowed) << "not his own";
  Do(deal, Action::Call(CardOf("S14")));
  EXPECT_EQ(deal.partner, 1);
}

// Source 001 says: "In the case where the taker owns the 4 Kings, he may: Call himself and
// therefore play against 4 players; Call a Queen instead."
TEST(Source001Webguide, HolderOfFourKingsMayCallAQueenOrOwnKing) {
  const CardSet kings = CardSet::Kings();
  EXPECT_EQ(CallableCards(Named(kGuide), kings), kings | Cards("S13 H13 D13 C13"));
  Deal deal = DealWith(kGuide, 5, Cards("S1-3"), {Cards("T2-12 S14 H14 D14 C14")});
  Take(deal, Contract::kGardeSans);
  Do(deal, Action::Call(CardOf("H14")));
  EXPECT_EQ(deal.partner, kNoSeat);
}

// Source 001 says: "The player who starts the first trick is not allowed to play the suit of the
// called King unless he directly plays the called King."
TEST(Source001Webguide, FirstLeadAvoidsTheSuitOfTheCalledKing) {
  Deal deal =
      DealWith(kGuide, 5, Cards("S1-3"), {Cards("S4-8 S14 H1-9"), kStrong - Cards("S14 T8 T9")});
  Do(deal, Action::Bid(Contract::kPass));
  Take(deal, Contract::kGardeSans);
  Do(deal, Action::Call(CardOf("S14")));
  ToFirstCard(deal);
  ASSERT_EQ(deal.turn, 0);
  EXPECT_EQ(ListLegal(deal).cards, Cards("S14 H1-9"));
  EXPECT_EQ(WhyNot(deal, Action::Play(CardOf("S4"))), Reason::kCalledSuitBarred);
}

// Source 001 says: "succeeds in his bet by 50 points: each player of the defensive team loses 50
// points. The taker takes 100 points (2/3). The called player takes 50 points ... alone, 200
// points".
TEST(Source001Webguide, PartnerGetsAThird) {
  ScoreInput input{.players = 5,
                   .contract = Contract::kGarde,
                   .bouts = 2,
                   .attack_half_points = 82,
                   .has_partner = true};
  const Score team = ScoreOf(input);
  EXPECT_EQ(team.unit, 50);
  EXPECT_EQ(team.defender, -50);
  EXPECT_EQ(team.taker, 100);
  EXPECT_EQ(team.partner, 50);
  input.has_partner = false;
  EXPECT_EQ(ScoreOf(input).taker, 200);
}

// Source 001 does not forbid players to look at earlier tricks.
TEST(Source001Webguide, TricksStayOpen) {
  Deal deal = DealWith(kGuide, 4, kPlainDog, {kStrong});
  Take(deal, Contract::kGarde);
  ToFirstCard(deal);
  for (int card = 0; card < 9; ++card) Do(deal, Action::Play(ListLegal(deal).cards.First()));
  EXPECT_EQ(MakeView(deal, 2).tricks[0].size, 4);
}

}  // namespace
}  // namespace tarot::rules
