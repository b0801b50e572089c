// Tests rule set `booklet` against source 002: its examples, and the statements that
// common_rules_test.cc does not cover. source_002_customs_test.cc tests its customs and practice
// games. Comments quote the source. docs/rules/source_002.md lists the tests of each page.
#include "libs/rules/bidding.h"
#include "libs/rules/deck.h"
#include "libs/rules/testing/test_table.h"
#include "libs/rules/trick.h"
#include "libs/rules/view.h"

namespace tarot::rules {
namespace {

constexpr const char* kBooklet = "booklet";
const CardSet kPlainDog = Cards("S1-6");
const CardSet kStrong = Cards("T8-21 S14 H14 D14 C14");

int Winner(std::initializer_list<const char*> trick) {
  std::vector<Card> cards;
  for (const char* card : trick) cards.push_back(CardOf(card));
  return WinningPosition(cards);
}

Score ScoreOf(const ScoreInput& input) { return ComputeScore(Named(kBooklet), input); }

// Source 002 says: "giving 18 cards to each player, then they set aside the remaining 6 cards".
TEST(Source002Booklet, DogIsTheLastSixCards) {
  const DealtCards dealt = DealOut(Named(kBooklet), 4, 3, OrderedPack());
  CardSet last;
  for (int i = 72; i < kCardCount; ++i) last.Insert(CardAt(i));
  EXPECT_EQ(dealt.dog, last);
  for (std::size_t seat = 0; seat < 4; ++seat) EXPECT_EQ(dealt.hands[seat].Size(), 18);
}

// Source 002 says: "the 10 of clubs was played first, so the queen of clubs wins ... the king of
// spades was not the required suit"; "the 2 of trumps wins (it is the only trump)"; "The third
// player wins".
TEST(Source002Booklet, HighestTrumpOrHighestOfTheSuitLedWins) {
  EXPECT_EQ(Winner({"C10", "C13", "S14", "C2"}), 1);
  EXPECT_EQ(Winner({"C10", "C13", "S14", "T2"}), 3);
  EXPECT_EQ(Winner({"T6", "T15", "T19", "T5"}), 2);
  EXPECT_EQ(MayPlay(kBooklet, "T5 T18 H4", {"T6", "T15", "T19"}), Cards("T5 T18"));
}

// Source 002 says: "You can play it on your turn at any point ... If you play the Excuse as the
// first card of the trick, the next player can play any card. This card determines the required
// suit."
TEST(Source002Booklet, ExcuseMayAlwaysBePlayed) {
  EXPECT_EQ(MayPlay(kBooklet, "H2 EX", {"H9"}), Cards("H2 EX"));
  EXPECT_EQ(MayPlay(kBooklet, "T9 EX", {"T8"}), Cards("T9 EX"));
  EXPECT_EQ(MayPlay(kBooklet, "H2 T5 C4", {"EX"}), Cards("H2 T5 C4"));
  EXPECT_EQ(MayPlay(kBooklet, "H2 T5 C4", {"EX", "C9"}), Cards("C4"));
}

// Source 002 says: "take the Excuse and keep it ... You can never lose it. In exchange, give the
// player who won the trick any card, value 1 to 10". This holds for the last trick too.
TEST(Source002Booklet, ExcuseIsNeverLost) {
  for (const bool last : {true, false}) {
    for (const bool of_taker : {true, false}) {
      const Deal deal =
          PlayedDealWhere(kBooklet, 4, Contract::kGarde, last ? Cards("EX") : CardSet{},
                          [&](const Deal& d) { return ExcuseCrosses(d, of_taker, last); });
      const CardSet won = WonByAttack(deal);
      const int sign = of_taker ? 1 : -1;
      EXPECT_EQ(deal.result.bouts, (won & CardSet::Bouts()).Size() + sign);
      EXPECT_EQ(deal.result.attack_half_points, HalfPoints(won) + sign * (9 - 1));
    }
  }
}

// Source 002 says: "announce your bid among the list above or pass"; "The other players must
// outbid"; "After going around the table once, the last player to announce a bid ... becomes the
// taker". In the booklet's example, the first player passes, "you" say Guard, the next player
// passes, and the last one says Guard Without the Dog.
TEST(Source002Booklet, LastBidOfOneRoundTakes) {
  Deal deal = DealWith(kBooklet, 4, kPlainDog, {kStrong});
  EXPECT_EQ(deal.turn, deal.Next(deal.dealer));
  Do(deal, Action::Bid(Contract::kPass));
  Do(deal, Action::Bid(Contract::kGarde));
  EXPECT_EQ(WhyNot(deal, Action::Bid(Contract::kPrise)), Reason::kBidTooLow);
  Do(deal, Action::Bid(Contract::kPass));
  Do(deal, Action::Bid(Contract::kGardeSans));
  EXPECT_EQ(deal.taker, 3);
  for (Seat seat = 0; seat < 4; ++seat) EXPECT_EQ(MakeView(deal, seat).dog, CardSet{});
}

// Source 002 says: "1. Take (x1) 2. Guard (x2) 3. Guard Without the Dog (x3) 4. Guard Against the
// Dog (x4)".
TEST(Source002Booklet, BidsMultiplyByOneToFour) {
  for (int bid = 1; bid <= 4; ++bid) {
    const ScoreInput made{
        .contract = static_cast<Contract>(bid), .bouts = 2, .attack_half_points = 82};
    EXPECT_EQ(ScoreOf(made).unit, 25 * bid);
  }
}

// In the example of "Score Taker Points", the taker has 55 points with 1 honor and needs 51:
// "(55-51+25) x 2 = 58"; "174 -58 -58 -58".
TEST(Source002Booklet, GardeWith55PointsPays58) {
  const Score score =
      ScoreOf({.contract = Contract::kGarde, .bouts = 1, .attack_half_points = 2 * 55});
  EXPECT_EQ(score.needed_half_points, 2 * 51);
  EXPECT_TRUE(score.won);
  EXPECT_EQ(score.unit, 58);
  EXPECT_EQ(score.taker, 174);
  EXPECT_EQ(score.defender, -58);
}

// Source 002 says about the taker: "If they lost: 3x negative round points". It says about each
// defender: "positive round points".
TEST(Source002Booklet, LostRoundPaysEachDefender) {
  const Score score =
      ScoreOf({.contract = Contract::kGarde, .bouts = 0, .attack_half_points = 2 * 50});
  EXPECT_EQ(score.taker, -3 * 62);
  EXPECT_EQ(score.defender, 62);
}

// Source 002 says: "(difference + 25) x value of the bid +- bonuses. If the bonus is achieved by
// the taker, add them to the round points. If the bonus is achieved by a defender, subtract them."
TEST(Source002Booklet, HandfulAddsOrSubtracts) {
  for (const bool won : {true, false}) {
    for (const bool of_taker : {true, false}) {
      ScoreInput input{
          .contract = Contract::kGarde, .bouts = 2, .attack_half_points = won ? 82 : 80};
      (of_taker ? input.attack_handfuls : input.defence_handfuls)[2] = 1;
      const int round_points = (won ? 25 : 26) * 2 + (of_taker ? 30 : -30);
      EXPECT_EQ(ScoreOf(input).unit, won ? round_points : -round_points);
    }
  }
}

// Source 002 says: "show 10, 13, or 15 trump cards". It also says: "The Excuse is neither a trump
// or a pip card".
TEST(Source002Booklet, HandfulHoldsTrumpsOnly) {
  Deal deal = DealWith(kBooklet, 4, kPlainDog, {Cards("T2-13 EX H1-5")});
  Take(deal, Contract::kGardeSans);
  ToFirstCard(deal);
  EXPECT_EQ(WhyNot(deal, Action::Handful(Cards("T2-11"))), Reason::kOk);
  EXPECT_EQ(WhyNot(deal, Action::Handful(Cards("T2-12"))), Reason::kHandfulSize);
  EXPECT_EQ(WhyNot(deal, Action::Handful(Cards("T2-13 EX"))), Reason::kHandfulNotTrumps);
  EXPECT_FALSE(ListLegal(deal).handful_levels[2]);
}

// Source 002 says: "The taker may, after making an aside, announce a slam. If they do, they play
// first."
TEST(Source002Booklet, SlamAnnouncerPlaysFirst) {
  Deal deal = DealWith(kBooklet, 4, kPlainDog, {Cards("H1-9 D1-9"), kStrong});
  Do(deal, Action::Bid(Contract::kPass));
  Take(deal, Contract::kGarde);
  EXPECT_EQ(WhyNot(deal, Action::Slam(true)), Reason::kWrongPhase);
  Do(deal, Action::Discard(kPlainDog));
  Do(deal, Action::Slam(true));
  EXPECT_EQ(deal.turn, 1);
}

// Source 002 says: "you think you will win every trick except one". The bonus for such a slam is
// 400 points if it was announced, and 200 points if not.
TEST(Source002Booklet, SlamIsEveryTrickExceptOne) {
  for (const bool announced : {true, false}) {
    Deal deal = DealWith(kBooklet, 4, kPlainDog, {Cards("T9-21 S14 H14 D14 C14 C2")});
    Take(deal, Contract::kGardeSans);
    Do(deal, Action::Slam(announced));
    PlayHighest(deal, Cards("C2 C3"));
    ASSERT_NE(LastTrick(deal).winner, 0) << "all but the last trick";
    EXPECT_EQ(deal.result.slam,
              announced ? SlamOutcome::kAnnouncedMade : SlamOutcome::kUnannouncedMade);
    EXPECT_EQ(deal.result.score.slam_points, announced ? 400 : 200);
  }
}

// Source 002 says of the Excuse: "you therefore excuse yourself from playing another card". It
// calls a slam "every trick except one", and no page lets the Excuse win a trick. So the Excuse
// loses the last trick of a slam too, both if it leads this trick and if a partner leads it.
TEST(Source002Booklet, ExcuseNeverWins) {
  for (const char* set : {kBooklet, "booklet_practice2", "booklet_practice3"}) {
    for (const bool defence : {false, true}) {
      const Deal led = ExcuseLast(Named(set), defence);
      EXPECT_EQ(LastTrick(led).cards[0], kExcuse) << set;
      EXPECT_NE(LastTrick(led).winner, 0) << set;
    }
    EXPECT_EQ(LastTrick(ExcuseLastToAPartner(Named(set))).winner, 2) << set;
  }
  EXPECT_EQ(ExcuseLast(Named(kBooklet), false).result.slam, SlamOutcome::kUnannouncedMade)
      << "the slam may lose the trick of the Excuse";
}

// Source 002 says: "When the taker announces but does not achieve a slam, they lose 200 points".
// Here the taker loses two tricks.
TEST(Source002Booklet, SlamFailsWithTwoTricksLost) {
  Deal deal = DealWith(kBooklet, 4, kPlainDog, {Cards("T10-21 S14 H14 D14 C14 C1-2")});
  Take(deal, Contract::kGardeSans);
  Do(deal, Action::Slam(true));
  PlayHighest(deal, Cards("C1-4"));
  ASSERT_NE(LastTrick(deal).winner, 0);
  ASSERT_NE(TrickAt(deal, 16).winner, 0);
  EXPECT_EQ(deal.result.slam, SlamOutcome::kAnnouncedFailed);
  EXPECT_EQ(deal.result.score.slam_points, -200);
}

// Source 002 says: "If the Little One was played during the final trick, whichever team wins it
// gains the bonus. The 10 point bonus is added to or subtracted from the taker's points (which may
// influence the completion of their contract)."
TEST(Source002Booklet, OneAtTheEndChangesTheContract) {
  for (const bool attack : {true, false}) {
    const Deal deal =
        PlayedDealWhere(kBooklet, 4, Contract::kGarde, Cards("T1"), [&](const Deal& d) {
          const bool without = d.result.attack_half_points >= d.result.score.needed_half_points;
          return PlayerOf(d, LastTrick(d), kPetit) != kNoSeat &&
                 d.InAttack(LastTrick(d).winner) == attack && without != d.result.score.won;
        });
    const int half_points = deal.result.attack_half_points + (attack ? 20 : -20);
    const int over = half_points - deal.result.score.needed_half_points;
    EXPECT_EQ(deal.result.score.won, attack);
    EXPECT_EQ(over >= 0, attack);
    EXPECT_EQ(deal.result.score.unit, attack ? (25 + over / 2) * 2 : -(25 - over / 2) * 2);
  }
}

// Source 002 says: "Deal cards 4 at a time ... hands of 24 cards". It names handfuls of 13, 15 and
// 18 trumps. With four players the booklet pays the taker three times the round points, "since they
// beat 3 opponents". With three players the taker beats two opponents.
TEST(Source002Booklet, ThreePlayersHold24CardsAndTwoPayTheTaker) {
  const DealtCards dealt = DealOut(Named(kBooklet), 3, 2, OrderedPack());
  EXPECT_TRUE(dealt.hands[0].ContainsAll(CardSet{CardAt(0), CardAt(1), CardAt(2), CardAt(3)}));
  EXPECT_EQ(dealt.hands[0].Size(), 24);
  const int sizes[] = {13, 15, 18};
  for (int level = 1; level <= 3; ++level) {
    EXPECT_EQ(Named(kBooklet).HandfulSize(3, level), sizes[level - 1]);
  }
  const Score score = ScoreOf({.players = 3, .bouts = 2, .attack_half_points = 82});
  EXPECT_EQ(score.taker, 2 * 50);
  EXPECT_EQ(score.defender, -50);
}

// Source 002 says: "Before revealing the dog, the taker may call a king ... They may also announce
// a king that is in their hand or in the dog."
TEST(Source002Booklet, FivePlayersMayCall) {
  const CardSet hand = Cards("T2-14 H14 D13");
  Deal start = DealWith(kBooklet, 5, Cards("S1-2 D14"), {hand, Cards("S14 T15-21 H1-7")});
  Take(start, Contract::kGarde);
  EXPECT_EQ(MakeView(start, 0).dog, CardSet{});
  EXPECT_EQ(ListLegal(start).calls, CardSet::Kings());
  EXPECT_TRUE(ListLegal(start).call_nobody);
  for (const auto& [card, partner] :
       {std::pair("S14", 1), std::pair("H14", kNoSeat), std::pair("D14", kNoSeat)}) {
    Deal deal = start;
    Do(deal, Action::Call(CardOf(card)));
    EXPECT_EQ(deal.partner, partner) << card;
  }
  Deal alone = start;
  Do(alone, Action::Call(kNoCard));
  EXPECT_EQ(alone.partner, kNoSeat);
}

// Source 002 says: "If the taker has all 4 kings, they may announce a queen instead."
TEST(Source002Booklet, HolderOfFourKingsMayCallAQueen) {
  const CardSet court = CardSet::Kings() | Cards("S13 H13 D13 C13");
  EXPECT_EQ(CallableCards(Named(kBooklet), CardSet::Kings()), court);
  EXPECT_EQ(CallableCards(Named(kBooklet), court), court) << "Queens at most";
}

// Source 002 says: "During the first trick of the round, you cannot play the suit called by the
// taker, unless the called king (or queen) was the first card of the trick."
TEST(Source002Booklet, FirstTrickAvoidsTheCalledSuitUnlessTheCalledCardLeads) {
  // Seat 0 leads and seat 1 is the taker. Seat 2 has neither hearts nor trumps.
  Deal start = DealWith(kBooklet, 5, Cards("D11-13"),
                        {Cards("S14 S13 H1-12 EX"), Cards("T8-21 C14"), Cards("S1-7 D1-8")});
  Do(start, Action::Bid(Contract::kPass));
  Take(start, Contract::kGardeSans);
  Do(start, Action::Call(CardOf("S14")));
  ToFirstCard(start);
  EXPECT_EQ(ListLegal(start).cards, Cards("S14 H1-12 EX")) << "led by the called King alone";

  Deal heart = start;
  Do(heart, Action::Play(CardOf("H5")));
  Do(heart, Action::Play(CardOf("T8")));
  EXPECT_EQ(ListLegal(heart).cards, Cards("D1-8")) << "nor thrown away";

  Deal excuse = start;
  Do(excuse, Action::Play(CardOf("EX")));
  Do(excuse, Action::Play(CardOf("C14")));
  EXPECT_EQ(ListLegal(excuse).cards, Cards("D1-8"));

  Deal king = start;
  Do(king, Action::Play(CardOf("S14")));
  Do(king, Action::Play(CardOf("T8")));
  EXPECT_EQ(ListLegal(king).cards, Cards("S1-7")) << "unless the called King was led";
}

// Source 002 says: "Once you set these cards aside, you cannot change or look at them."
TEST(Source002Booklet, TakerMayNotLookAtTheEcart) {
  Deal deal = DealWith(kBooklet, 4, kPlainDog, {kStrong});
  Take(deal, Contract::kGarde);
  Do(deal, Action::Discard(kPlainDog));
  EXPECT_EQ(WhyNot(deal, Action::Discard(kPlainDog)), Reason::kWrongPhase);
  EXPECT_EQ(MakeView(deal, 0).discard, CardSet{});
}

// Source 002 says: "You can never look at tricks you won during the game." A complete trick stays
// on the table until the next card is led.
TEST(Source002Booklet, TricksWonAreNeverLookedAt) {
  Deal deal = DealWith(kBooklet, 4, kPlainDog, {kStrong});
  Take(deal, Contract::kGarde);
  ToFirstCard(deal);
  for (int card = 0; card < 4; ++card) Do(deal, Action::Play(ListLegal(deal).cards.First()));
  EXPECT_EQ(MakeView(deal, 1).tricks[0].size, 4);
  Do(deal, Action::Play(ListLegal(deal).cards.First()));
  for (Seat seat = kNoSeat; seat < 4; ++seat) {
    const View view = MakeView(deal, seat);
    EXPECT_EQ(view.tricks[0].size, 0);
    EXPECT_EQ(view.tricks[0].winner, TrickAt(deal, 0).winner);
    EXPECT_EQ(view.tricks[1].size, 1);
    EXPECT_EQ(RememberedView(deal, seat).tricks[0].size, 4);
  }
}

}  // namespace
}  // namespace tarot::rules
