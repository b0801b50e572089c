// Tests rule sets `shogix` and `shogix_free5` against source 004: its examples, and the statements
// that common_rules_test.cc does not cover. Comments quote the source. docs/rules/source_004.md
// lists the tests of each section.
#include "libs/rules/bidding.h"
#include "libs/rules/deck.h"
#include "libs/rules/testing/test_table.h"
#include "libs/rules/view.h"

namespace tarot::rules {
namespace {

constexpr const char* kShogix = "shogix";
const CardSet kPlainDog = Cards("S1-6");
const CardSet kStrong = Cards("T8-21 S14 H14 D14 C14");

Score ScoreOf(const ScoreInput& input) { return ComputeScore(Named(kShogix), input); }

// Source 004 says: "Oudlers 4 1/2 pts, King 4 1/2, Queen 3 1/2, Cavalier 2 1/2, Jack 1 1/2, Any
// other cards 1/2 ... The total of all the cards is 91 pts".
TEST(Source004Shogix, PackHolds91Points) {
  for (const char* card : {"T1", "T21", "EX", "H14"}) EXPECT_EQ(HalfPoints(CardOf(card)), 9);
  EXPECT_EQ(HalfPoints(CardOf("H13")), 7);
  EXPECT_EQ(HalfPoints(CardOf("H12")), 5);
  EXPECT_EQ(HalfPoints(CardOf("H11")), 3);
  for (const char* card : {"H10", "H1", "T2", "T20"}) EXPECT_EQ(HalfPoints(CardOf(card)), 1);
  EXPECT_EQ(HalfPoints(CardSet::All()), 2 * 91);
}

// Source 004 says: "A player who brings the excuse at last trick must give it to the opponent."
TEST(Source004Shogix, ExcuseOfTheLastTrickGoesToTheOpponent) {
  for (const bool of_taker : {true, false}) {
    const Deal deal =
        PlayedDealWhere(kShogix, 4, Contract::kGarde, Cards("EX"),
                        [&](const Deal& d) { return ExcuseCrosses(d, of_taker, /*last=*/true); });
    EXPECT_EQ(deal.result.bouts, (WonByAttack(deal) & CardSet::Bouts()).Size());
    EXPECT_EQ(deal.result.attack_half_points, HalfPoints(WonByAttack(deal)));
  }
}

// The rule also applies if a defender plays the Excuse and another defender wins the last trick:
// "the opponent" is the declarer.
TEST(Source004Shogix, ExcuseOfADefenderGoesToTheDeclarerFromAnotherDefendersTrick) {
  const Deal deal = PlayedDealWhere(kShogix, 4, Contract::kGarde, Cards("EX"), [](const Deal& d) {
    const Seat player = PlayerOf(d, LastTrick(d), kExcuse);
    return player != kNoSeat && !d.InAttack(player) && !d.InAttack(LastTrick(d).winner);
  });
  const CardSet won = WonByAttack(deal);
  EXPECT_EQ(deal.result.bouts, (won & CardSet::Bouts()).Size() + 1);
  EXPECT_EQ(deal.result.attack_half_points, HalfPoints(won) + 9 - 1) << "a small card back";
}

// Source 004 says: "the left-side player must cut the deck while taking or leaving at least 3
// cards."
TEST(Source004Shogix, CutLeavesThreeCardsOnEachSide) {
  const RuleSet& rules = Named(kShogix);
  EXPECT_FALSE(CutAllowed(rules, 2));
  EXPECT_TRUE(CutAllowed(rules, 3));
  EXPECT_TRUE(CutAllowed(rules, 75));
  EXPECT_FALSE(CutAllowed(rules, 76));
}

// Source 004 says: "distributes the cards three by three ... It's forbidden to put at the dog the
// first or the last card of the deck."
TEST(Source004Shogix, DealsThreeByThreeAndSixCardsToTheDog) {
  const DealtCards dealt = DealOut(Named(kShogix), 4, 3, OrderedPack());
  EXPECT_TRUE(dealt.hands[0].ContainsAll(CardSet{CardAt(0), CardAt(1), CardAt(2)}));
  EXPECT_EQ(dealt.dog.Size(), 6);
  EXPECT_FALSE(dealt.dog.Contains(CardAt(0)) || dealt.dog.Contains(CardAt(77)));
}

// Source 004 says: "announced and succeeded: 400 ... not announced but succeeded: 200 ... announced
// but failed: 200 points are deduced"; "defense inflicts a slam to the declarer. In this case, each
// defender receives, in addition to the normal score, a prime of 200 points."
TEST(Source004Shogix, SlamPays400Or200OrCosts200) {
  const auto extra = [](SlamOutcome slam) {
    return ScoreOf({.bouts = 2, .attack_half_points = 82, .slam = slam}).unit - 2 * 25;
  };
  EXPECT_EQ(extra(SlamOutcome::kAnnouncedMade), 400);
  EXPECT_EQ(extra(SlamOutcome::kUnannouncedMade), 200);
  EXPECT_EQ(extra(SlamOutcome::kAnnouncedFailed), -200);
  EXPECT_EQ(extra(SlamOutcome::kDefence), -200);
}

// The defence makes a slam: the declarer wins no trick.
TEST(Source004Shogix, SlamOfTheDefencePays200ToEachDefender) {
  Deal deal =
      DealWith(kShogix, 4, kPlainDog, {Cards("H1-9 D1-9"), Cards("T4-21"), Cards("T1-3 EX")});
  Take(deal, Contract::kGardeSans);
  ToFirstCard(deal);
  PlayHighest(deal, Cards("H1 D1"));
  EXPECT_EQ(deal.result.slam, SlamOutcome::kDefence);
  const int lost = (25 + deal.result.score.difference) * 4;
  EXPECT_EQ(deal.result.scores[1], lost + 200);
  EXPECT_EQ(deal.result.scores[0], -3 * (lost + 200));
}

// Source 004 says: "the declarer gains the right to make the opening lead of the deal, whatever the
// dealer is."
TEST(Source004Shogix, SlamAnnouncerLeads) {
  Deal deal = DealWith(kShogix, 4, kPlainDog, {Cards("H1-9 D1-9"), kStrong});
  Do(deal, Action::Bid(Contract::kPass));
  Take(deal, Contract::kGardeSans);
  Do(deal, Action::Slam(true));
  EXPECT_EQ(deal.turn, 1);
}

// Source 004 says: "the declarer must make all the tricks and play the excuse at the end:
// consequently, the Petit will be considered at the end if it's led to the last but one trick."
TEST(Source004Shogix, ExcuseEndsASlamAndThePetitCountsBefore) {
  Deal deal = DealWith(kShogix, 4, kPlainDog, {Cards("T6-21 T1 EX"), Cards("T2-5 H1-13 D1")});
  Take(deal, Contract::kGardeSans);
  ToFirstCard(deal);
  while (deal.phase == Phase::kPlaying) {
    const CardSet cards = ListLegal(deal).cards;
    const CardSet spare = deal.turn == 0 ? cards - Cards("EX") : cards;
    Do(deal, Action::Play(spare.Empty() ? kExcuse : spare.Last()));
  }
  EXPECT_EQ(LastTrick(deal).winner, 0);
  EXPECT_EQ(deal.result.petit_au_bout, 1);
  EXPECT_EQ(deal.result.attack_half_points, 182);
}

// Source 004 says: "The excuse cannot gain a trick (with the exception of a slam, when played on
// the last trick)". The text does not ask for a lead, so the Excuse also wins a trick that the
// player's partner leads.
TEST(Source004Shogix, ExcuseEndsASlamAlsoIfAPartnerLeads) {
  for (const char* set : {kShogix, "shogix_free5"}) {
    EXPECT_EQ(LastTrick(ExcuseLast(Named(set), false)).winner, 0) << set;
    const Deal deal = ExcuseLastToAPartner(Named(set));
    EXPECT_EQ(LastTrick(deal).leader, 0) << set;
    EXPECT_EQ(LastTrick(deal).winner, 1) << set;
  }
}

// Source 004 says: "The declarer presents a double Poignée. If the contract succeed, each defender
// gives him ... 30 points. If contract loses, it is him which gives this bonus to each defender".
// "A defender presents ten trumps. If the declarer gains, each defender gives him a bonus of 20
// points. If the declarer loses, each defender receives a bonus of 20."
TEST(Source004Shogix, PoigneePaysTheSideThatWinsTheDeal) {
  const auto unit = [](bool won, int attack_level, int defence_level) {
    ScoreInput input{.contract = Contract::kGarde, .bouts = 2, .attack_half_points = won ? 82 : 80};
    input.attack_handfuls[static_cast<std::size_t>(attack_level)] = 1;
    input.defence_handfuls[static_cast<std::size_t>(defence_level)] = 1;
    return ScoreOf(input).unit;
  };
  EXPECT_EQ(unit(true, 2, 0), 50 + 30);
  EXPECT_EQ(unit(false, 2, 0), -52 - 30);
  EXPECT_EQ(unit(true, 0, 1), 50 + 20);
  EXPECT_EQ(unit(false, 0, 1), -52 - 20);
}

// Source 004 says: "complete and right before playing his first card"; "must include indeed ten,
// thirteen or fifteen trumps"; "the Excuse in the poignée implies that the announcer does not have
// other hidden trumps."
TEST(Source004Shogix, PoigneeOf10Or13Or15IsShownBeforeTheFirstCard) {
  Deal deal = DealWith(kShogix, 4, kPlainDog, {Cards("T2-12 EX H1-6")});
  Take(deal, Contract::kGardeSans);
  ToFirstCard(deal);
  EXPECT_EQ(WhyNot(deal, Action::Handful(Cards("T2-12"))), Reason::kHandfulSize);
  EXPECT_EQ(WhyNot(deal, Action::Handful(Cards("T3-11 EX"))), Reason::kHandfulExcuse);
  EXPECT_EQ(WhyNot(deal, Action::Handful(Cards("T3-12"))), Reason::kOk);
  Do(deal, Action::Play(CardOf("T12")));
  while (deal.turn != 0) Do(deal, Action::Play(ListLegal(deal).cards.Last()));
  EXPECT_EQ(WhyNot(deal, Action::Handful(Cards("T2-11"))), Reason::kHandfulTooLate);
}

// Source 004 says: "a garde-without-the-dog. A defender brings the petit at the end. Declarer must
// pay a bonus of 10 * 4 = 40 points to each defender. If ... the declarer gains his contract, the
// bonus is deducted".
TEST(Source004Shogix, PetitAtTheEndOfADefenderCosts40) {
  for (const bool won : {true, false}) {
    const Deal deal =
        PlayedDealWhere(kShogix, 4, Contract::kGardeSans, Cards("T1"), [&](const Deal& d) {
          return PlayerOf(d, LastTrick(d), kPetit) != kNoSeat && d.result.score.won == won &&
                 !d.InAttack(LastTrick(d).winner);
        });
    const int contract = (won ? 1 : -1) * (25 + deal.result.score.difference) * 4;
    EXPECT_EQ(deal.result.score.unit, contract - 40);
  }
}

// Source 004 says: "a slam by a declarer not having the excuse, this card remains to the defense
// and score 4 points". This holds if the Excuse is played before the last trick.
TEST(Source004Shogix, DefenceKeepsItsExcuseInASlam) {
  for (const bool kept : {true, false}) {
    Deal deal = DealWith(kShogix, 4, kPlainDog, {Cards("T4-21"), Cards("T1-3 H1-12 EX D1-2")});
    Take(deal, Contract::kGardeSans);
    ToFirstCard(deal);
    PlayHighest(deal, kept ? Cards("EX") : CardSet{});
    EXPECT_EQ(deal.result.slam, SlamOutcome::kUnannouncedMade);
    EXPECT_EQ(deal.result.attack_half_points, kept ? 182 : 2 * 87);
    EXPECT_EQ(deal.result.bouts, kept ? 3 : 2);
  }
}

struct Example {
  ScoreInput input;
  int defender;
  int taker;
};

// The section "Examples of scoring" has five examples. The test has them in the same order.
TEST(Source004Shogix, ScoresTheFiveExamplesOfTheText) {
  const Example examples[] = {
      {{.contract = Contract::kGarde,
        .bouts = 2,
        .attack_half_points = 2 * 49,
        .petit_au_bout = 1,
        .attack_handfuls = {0, 1, 0, 0}},
       -106,
       318},
      {{.contract = Contract::kGardeSans,
        .bouts = 2,
        .attack_half_points = 2 * 45,
        .petit_au_bout = -1},
       -76,
       228},
      {{.contract = Contract::kPrise,
        .bouts = 2,
        .attack_half_points = 2 * 34,
        .petit_au_bout = 1,
        .attack_handfuls = {0, 1, 0, 0}},
       42,
       -126},
      {{.contract = Contract::kGarde,
        .bouts = 2,
        .attack_half_points = 2 * 52,
        .defence_handfuls = {0, 1, 0, 0}},
       -92,
       276},
      {{.contract = Contract::kGarde,
        .bouts = 2,
        .attack_half_points = 2 * 87,
        .petit_au_bout = 1,
        .attack_handfuls = {0, 0, 1, 0},
        .slam = SlamOutcome::kAnnouncedMade},
       -592,
       1776},
  };
  for (const Example& example : examples) {
    const Score score = ScoreOf(example.input);
    EXPECT_EQ(score.defender, example.defender);
    EXPECT_EQ(score.taker, example.taker);
  }
}

// With three players, hands have 24 cards, dealt 4 by 4, and handfuls have 13, 15 or 18 trumps.
// Source 004 says: "A declarer who has to make 41 points goes down if he makes 40,5 ... by 1 point.
// Conversely, if he has made 41,5, he would have gained by 1."
TEST(Source004Shogix, ThreePlayersHold24CardsAndAHalfPointDecides) {
  const DealtCards dealt = DealOut(Named(kShogix), 3, 2, OrderedPack());
  EXPECT_TRUE(dealt.hands[0].ContainsAll(CardSet{CardAt(0), CardAt(1), CardAt(2), CardAt(3)}));
  EXPECT_EQ(dealt.hands[0].Size(), 24);
  const int sizes[] = {13, 15, 18};
  for (int level = 1; level <= 3; ++level) {
    EXPECT_EQ(Named(kShogix).HandfulSize(3, level), sizes[level - 1]);
  }
  ScoreInput input{.players = 3, .contract = Contract::kPrise, .bouts = 2};
  input.attack_half_points = 81;
  EXPECT_EQ(ScoreOf(input).unit, -26);
  input.attack_half_points = 83;
  EXPECT_EQ(ScoreOf(input).unit, 26);
}

// Source 004 says: "calls a king of his choice and the holder of this king becomes his partner. If
// the declarer has the 4 kings, he calls a queen or a cavalier if he has also the 4 ladies."
TEST(Source004Shogix, CallsAKingOrALowerRankWhenAllHigherOnesAreHeld) {
  const CardSet kings = CardSet::Kings();
  const CardSet queens = Cards("S13 H13 D13 C13");
  const RuleSet& rules = Named(kShogix);
  EXPECT_EQ(CallableCards(rules, Cards("S14 H2")), kings - Cards("S14"));
  EXPECT_EQ(CallableCards(rules, kings | Cards("S13")), queens - Cards("S13"));
  EXPECT_EQ(CallableCards(rules, kings | queens), Cards("S12 H12 D12 C12"));
}

// Source 004 says: "Opening lead cannot be made in the suit of the king chosen by the declarer
// except if this lead is made with the king."
TEST(Source004Shogix, OpeningLeadAvoidsTheCalledSuitExceptInFree5) {
  const CardSet leader = Cards("S4-8 S14 H1-9");
  for (const char* set : {"shogix", "shogix_free5"}) {
    Deal deal = DealWith(set, 5, Cards("D1-3"), {leader, Cards("T10-21 C14 H14 D14")});
    Do(deal, Action::Bid(Contract::kPass));
    Take(deal, Contract::kGardeSans);
    Do(deal, Action::Call(CardOf("S14")));
    ToFirstCard(deal);
    // The source adds in a note: "A defender can make the opening lead of the game with any card of
    // any suit".
    const bool free = set == std::string("shogix_free5");
    EXPECT_EQ(ListLegal(deal).cards, free ? leader : Cards("S14 H1-9")) << set;
  }
}

// The source adds in a note: "A declarer can call the card of its choice (including a card of its
// own hand if he wishes to play alone)."
TEST(Source004ShogixFree5, AnyCardMayBeCalled) {
  Deal start = DealWith("shogix_free5", 5, Cards("S1-3"), {kStrong - Cards("T8-10")});
  Take(start, Contract::kGarde);
  EXPECT_EQ(ListLegal(start).calls, CardSet::All());
  for (const auto& [card, alone] :
       {std::pair("T1", false), std::pair("EX", false), std::pair("H7", false),
        std::pair("T21", true), std::pair("S2", true)}) {
    Deal deal = start;
    Do(deal, Action::Call(CardOf(card)));
    EXPECT_EQ(deal.partner == kNoSeat, alone) << card;
    if (!alone) {
      EXPECT_TRUE(deal.dealt[static_cast<std::size_t>(deal.partner)].Contains(CardOf(card)));
    }
  }
}

// Source 004 says: "When it finished its discard, the declarer says 'Play' and the discard cannot
// be modified any more, nor consulted."
TEST(Source004Shogix, DiscardMayNotBeConsulted) {
  Deal deal = DealWith(kShogix, 4, kPlainDog, {kStrong});
  Take(deal, Contract::kGarde);
  Do(deal, Action::Discard(kPlainDog));
  for (Seat seat = kNoSeat; seat < 4; ++seat) EXPECT_EQ(MakeView(deal, seat).discard, CardSet{});
}

// Source 004 says: "As long as a trick was not collected and returned face down, any player can
// consult the preceding trick."
TEST(Source004Shogix, PrecedingTrickMayBeConsulted) {
  Deal deal = DealWith(kShogix, 4, kPlainDog, {kStrong});
  Take(deal, Contract::kGarde);
  ToFirstCard(deal);
  const auto open = [&](int trick) {
    return MakeView(deal, 3).tricks[static_cast<std::size_t>(trick)].size;
  };
  for (int card = 0; card < 9; ++card) {
    EXPECT_EQ(open(0), std::min(card, 4)) << card << " cards are played";
    Do(deal, Action::Play(ListLegal(deal).cards.First()));
  }
  EXPECT_EQ(open(0), 0) << "the lead to the third trick collects the second one";
  EXPECT_EQ(open(1), 4);
  EXPECT_EQ(open(2), 1);
}

// Source 004 says: "A player having the petit dealt singleton in its hand ... must obligatorily
// announce it, spread out his hand to cancel the deal".
TEST(Source004Shogix, PetitSecSpreadsTheHandOut) {
  const CardSet hand = Cards("H1-9 D1-8 T1");
  const Deal deal = DealWith(kShogix, 4, kPlainDog, {kStrong, hand});
  EXPECT_EQ(deal.result.outcome, Outcome::kPetitSec);
  EXPECT_EQ(MakeView(deal, 0).result.petit_sec_hand, hand);
}

}  // namespace
}  // namespace tarot::rules
