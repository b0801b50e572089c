// Tests forms of play that only a few rule sets have: the dealer who sits out, boards, a slam
// announced with the contract, a call of any card, and the practice games. Also tests parameters
// that only custom rule sets change, refusals, and score sheets.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "libs/base/error.h"
#include "libs/rules/action.h"
#include "libs/rules/bidding.h"
#include "libs/rules/match.h"
#include "libs/rules/parameters/parameters.h"
#include "libs/rules/parameters/validation.h"
#include "libs/rules/score_play.h"
#include "libs/rules/scoring.h"
#include "libs/rules/testing/test_table.h"
#include "libs/rules/view.h"
#include "libs/testkit/status_matchers.h"

namespace tarot::rules {
namespace {

RuleSet Custom(const std::string& text) { return ParseRuleSet(text).value(); }

// Starts a deal in which the last seat deals. `taker` is set only for a board.
Deal Start(const RuleSet& rules, int players, CardSet dog, std::initializer_list<CardSet> hands,
           Seat taker = kNoSeat) {
  return StartDeal(rules, players, players - 1, HandsWith(rules, players, dog, hands), dog, taker);
}

void PlayOut(Deal& deal) {
  while (deal.phase == Phase::kPlaying) Do(deal, Action::Play(ListLegal(deal).cards.First()));
}

const CardSet kDog = Cards("S1-6");

TEST(DeadHandTest, TheDealerHoldsNothingIsNeverInTurnAndScoresNothing) {
  const RuleSet& rules = Named("fft_dead5");
  Rng rng(1);
  for (Seat dealer = 0; dealer < 5; ++dealer) {
    const DealtCards cards = DealOut(rules, 5, dealer, RandomPack(rng));
    EXPECT_TRUE(cards.hands[static_cast<std::size_t>(dealer)].Empty());
    Deal deal = StartDeal(rules, 5, dealer, cards.hands, cards.dog);
    if (deal.phase == Phase::kDone) continue;  // Skips a deal that a petit sec cancelled.
    EXPECT_EQ(deal.sits_out, dealer);
    EXPECT_EQ(deal.playing, 4);
    EXPECT_EQ(deal.turn, (dealer + 1) % 5);
    EXPECT_EQ(deal.After((dealer + 4) % 5, 1), (dealer + 1) % 5) << "skips the dealer";
    EXPECT_EQ(deal.After((dealer + 3) % 5, 2), (dealer + 1) % 5);
    EXPECT_EQ(deal.After((dealer + 1) % 5, 3), (dealer + 4) % 5);
    Take(deal, Contract::kGardeSans);
    EXPECT_EQ(deal.bid_count, 4);
    ASSERT_EQ(deal.phase, Phase::kSlam) << "there is no call";
    Do(deal, Action::Slam(false));
    EXPECT_EQ(MakeView(deal, dealer).hand, CardSet{});
    PlayOut(deal);
    const auto& scores = deal.result.scores;
    const Seat taker = (dealer + 1) % 5;
    EXPECT_EQ(scores[static_cast<std::size_t>(dealer)], 0);
    EXPECT_EQ(scores[static_cast<std::size_t>(taker)], 3 * deal.result.score.unit);
    EXPECT_EQ(deal.cards_played, 72);
  }
}

TEST(DeadHandTest, HandfulsHaveTheSizesOfFourPlayers) {
  const RuleSet& rules = Named("fft_dead5");
  EXPECT_EQ(rules.HandfulSize(5, 1), 10);
  EXPECT_EQ(rules.HandfulSize(5, 3), 15);
  EXPECT_EQ(Named("fft").HandfulSize(5, 1), 8);
}

TEST(DeadHandTest, OnlyATableOfFiveHasADeadHand) {
  RuleSet rules = Named("fft_dead5");
  rules.players_min = 3;
  EXPECT_TRUE(Validate(rules).empty());
  for (int players = 3; players <= 4; ++players) EXPECT_EQ(rules.Playing(players), players);
  EXPECT_EQ(rules.Playing(5), 4);
}

TEST(BoardTest, DuplicateHasNoAuction) {
  const Deal deal = Start(Named("fft_duplicate"), 4, kDog, {}, 2);
  EXPECT_EQ(deal.phase, Phase::kDiscarding);
  EXPECT_EQ(deal.turn, 2);
  EXPECT_EQ(deal.contract, Contract::kGarde);
  EXPECT_TRUE(deal.DogShown());
  EXPECT_TRUE(deal.hands[2].ContainsAll(kDog));
}

TEST(BoardTest, TheTakerOfTeamsChoosesAndMayNotPass) {
  Deal deal = Start(Named("fft_teams"), 4, kDog, {}, 2);
  ASSERT_EQ(deal.phase, Phase::kBidding);
  EXPECT_EQ(deal.turn, 2);
  EXPECT_EQ(WhyNot(deal, Action::Bid(Contract::kPass)), Reason::kMustBid);
  EXPECT_EQ(WhyNot(deal, Action::Bid(Contract::kPrise)), Reason::kBidNotAllowed);
  EXPECT_EQ(ListLegal(deal).bids, (std::array<bool, 5>{false, false, true, true, true}));
  Do(deal, Action::Bid(Contract::kGarde));
  EXPECT_EQ(deal.phase, Phase::kDiscarding) << "no other seat speaks";
  EXPECT_EQ(deal.taker, 2);
  EXPECT_EQ(deal.SeatOfBid(0), 2);
}

TEST(BoardTest, PassOfTheTakerEndsTheDeal) {
  Deal deal = Start(Custom("fft_teams +pass_allowed=true"), 4, kDog, {}, 1);
  Do(deal, Action::Bid(Contract::kPass));
  EXPECT_EQ(deal.result.outcome, Outcome::kAllPassed);
  EXPECT_EQ(deal.SeatOfBid(0), 1);
}

TEST(BoardTest, EverySeatTakesAtEveryDistanceFromTheDealer) {
  // The pairs (dealer, taker) of the boards. Seat 3 deals the first board.
  std::set<std::pair<Seat, Seat>> seen;
  for (int number = 1; number <= 16; ++number) {
    seen.insert({(3 + number - 1) % 4, BoardTaker(4, number)});
  }
  EXPECT_EQ(seen.size(), 16u);
}

TEST(BoardTest, RepeatsABoardThatWasNotScored) {
  Rng rng(4);
  Match match = StartMatch(Custom("fft_teams +pass_allowed=true +petit_sec=none"), 4, 2);
  ASSERT_TRUE(StartNextDeal(match, RandomPack(rng)));
  const Seat dealer = match.deal.dealer;
  const Seat taker = match.deal.taker;
  ASSERT_TRUE(Apply(match, taker, Action::Bid(Contract::kPass)).ok());
  ASSERT_TRUE(StartNextDeal(match, RandomPack(rng)));
  EXPECT_EQ(match.deal.dealer, dealer);
  EXPECT_EQ(match.deal.taker, taker);
  while (match.DealRunning()) {
    const bool bids = match.deal.phase == Phase::kBidding;
    ASSERT_TRUE(Apply(match, match.deal.turn,
                      bids ? Action::Bid(Contract::kGarde) : RandomAction(match.deal, rng))
                    .ok());
  }
  ASSERT_TRUE(StartNextDeal(match, RandomPack(rng)));
  EXPECT_EQ(match.deal.dealer, (dealer + 1) % 4);
  EXPECT_NE(match.deal.taker, taker);
}

TEST(BidsTest, AllowsOnlyTheBidsOfTheRuleSet) {
  Deal deal = Start(Custom("fft +bids=garde,garde_sans"), 4, kDog, {});
  EXPECT_EQ(WhyNot(deal, Action::Bid(Contract::kPrise)), Reason::kBidNotAllowed);
  Do(deal, Action::Bid(Contract::kGarde));
  EXPECT_EQ(WhyNot(deal, Action::Bid(Contract::kGardeContre)), Reason::kBidNotAllowed);
  Do(deal, Action::Bid(Contract::kGardeSans));
  EXPECT_EQ(deal.phase, Phase::kSlam) << "nothing is left to bid above it";
  EXPECT_EQ(deal.taker, 1);
}

TEST(SlamWithContractTest, IsAskedBeforeTheCallAndTheDog) {
  Deal deal = Start(Named("preneur"), 5, Cards("S1-3"), {});
  Take(deal, Contract::kGarde);
  ASSERT_EQ(deal.phase, Phase::kSlam);
  EXPECT_FALSE(deal.DogShown());
  EXPECT_TRUE(MakeView(deal, 1).dog.Empty());
  EXPECT_EQ(WhyNot(deal, Action::Call(CardOf("H14"))), Reason::kWrongPhase);
  Do(deal, Action::Slam(true));
  ASSERT_EQ(deal.phase, Phase::kCalling);
  EXPECT_FALSE(deal.DogShown());
  Do(deal, Action::Call(ListLegal(deal).calls.First()));
  ASSERT_EQ(deal.phase, Phase::kDiscarding);
  EXPECT_TRUE(deal.DogShown());
  const LegalActions legal = ListLegal(deal);
  CardSet out;
  for (const Card c : legal.discards) {
    if (out.Size() < legal.discard_count) out.Insert(c);
  }
  Do(deal, Action::Discard(out));
  EXPECT_EQ(deal.phase, Phase::kPlaying) << "it is not asked again";
  EXPECT_TRUE(deal.slam_announced);
}

TEST(SlamTest, TheSeatAfterTheDealerLeadsWhereTheAnnouncerDoesNot) {
  Deal deal = Start(Custom("fft +slam_announcer_leads=false"), 4, kDog, {});
  Do(deal, Action::Bid(Contract::kPass));
  Take(deal, Contract::kGardeSans);
  Do(deal, Action::Slam(true));
  EXPECT_EQ(deal.turn, 0);
}

TEST(SlamTest, IsNotAskedWhereItIsNeverAnnounced) {
  Deal deal = Start(Custom("fft +slam_announce=none"), 4, kDog, {});
  Take(deal, Contract::kGardeSans);
  EXPECT_EQ(deal.phase, Phase::kPlaying);
}

// Returns a deal of five players in which seat 0 takes with Garde sans and calls `card`.
Deal Called(const char* card, std::initializer_list<CardSet> hands, const char* rules) {
  Deal deal = Start(Custom(rules), 5, Cards("S1-3"), hands);
  Take(deal, Contract::kGardeSans);
  Do(deal, Action::Call(CardOf(card)));
  if (deal.phase == Phase::kSlam) Do(deal, Action::Slam(false));
  return deal;
}

const CardSet kTakerHand = Cards("T2-4 T9-12 H9-14 C13-14");
const CardSet kPartnerHand = Cards("T1 T13-20 D1-6");

TEST(AnyCardTest, AllowsTrumpsTheExcuseAndCardsInHand) {
  EXPECT_EQ(CallableCards(Named("shogix_free5"), kTakerHand), CardSet::All());
  EXPECT_EQ(Called("T1", {kTakerHand, kPartnerHand}, "shogix_free5").partner, 1);
  EXPECT_EQ(Called("H9", {kTakerHand, kPartnerHand}, "shogix_free5").partner, kNoSeat) << "own";
  EXPECT_EQ(Called("S2", {kTakerHand, kPartnerHand}, "shogix_free5").partner, kNoSeat) << "dog";
  const Deal excuse = Called("EX", {kTakerHand | CardSet{}, kPartnerHand}, "shogix_free5");
  EXPECT_NE(excuse.partner, kNoSeat);
  EXPECT_EQ(ListLegal(excuse).cards, kTakerHand);
}

TEST(AnyCardTest, ACalledTrumpShownInAHandfulNamesThePartner) {
  Deal deal = Called("T13", {kTakerHand, kPartnerHand}, "shogix_free5");
  Do(deal, Action::Play(CardOf("H9")));
  EXPECT_EQ(MakeView(deal, 2).partner, kNoSeat);
  Do(deal, Action::Handful(Cards("T13-20")));
  EXPECT_EQ(MakeView(deal, 2).partner, 1);
}

TEST(AnyCardTest, ACalledTrumpMayBarTrumps) {
  const char* rules = "shogix_free5 +call5_first_lead=called_suit_forbidden_except_called_card";
  const Deal deal = Called("T1", {kTakerHand, kPartnerHand}, rules);
  EXPECT_EQ(WhyNot(deal, Action::Play(CardOf("T9"))), Reason::kCalledSuitBarred);
  EXPECT_EQ(ListLegal(deal).cards, kTakerHand - CardSet::AllTrumps());
}

TEST(DiscardTest, TheCalledCardStaysWhereItMust) {
  const CardSet kings = Cards("S14 H14 D14 C14 S13 T2-11");
  Deal deal = Start(Custom("fft +discard_called_card_allowed=false"), 5, Cards("D1-3"), {kings});
  Take(deal, Contract::kGarde);
  Do(deal, Action::Call(CardOf("S13")));
  ASSERT_EQ(deal.phase, Phase::kDiscarding);
  EXPECT_EQ(WhyNot(deal, Action::Discard(Cards("D1-2 S13"))), Reason::kDiscardCalledCard);
  EXPECT_EQ(ListLegal(deal).discards, Cards("D1-3"));
  Deal free = Start(Named("fft"), 5, Cards("D1-3"), {kings});
  Take(free, Contract::kGarde);
  Do(free, Action::Call(CardOf("S13")));
  EXPECT_EQ(WhyNot(free, Action::Discard(Cards("D1-2 S13"))), Reason::kOk);
}

TEST(HandfulTest, ShownTrumpsOfTheEcartCountOnlyWhereAllowed) {
  const CardSet strong = Cards("T8-21 S14 H14 D14 C14");
  const CardSet dog = Cards("S1-5 T7");
  for (const bool count : {true, false}) {
    Deal deal = Start(Custom(count ? "fft" : "fft +handful_may_use_shown_discarded_trumps=false"),
                      4, dog, {strong});
    Take(deal, Contract::kGarde);
    Do(deal, Action::Discard(dog));
    Do(deal, Action::Slam(false));
    EXPECT_EQ(ListLegal(deal).handful_levels[3], count);
  }
}

TEST(PracticeTest, TheFirstHasNoAuctionAndNoCamps) {
  Deal deal = Start(Named("booklet_practice1"), 4, kDog, {Cards("T1-18")});
  ASSERT_EQ(deal.phase, Phase::kPlaying);
  EXPECT_EQ(deal.turn, 0);
  EXPECT_EQ(deal.taker, kNoSeat);
  EXPECT_EQ(ListLegal(deal).handful_cards, CardSet{});
  EXPECT_TRUE(MakeView(deal, 0).dog.Empty());
}

TEST(PracticeTest, TheFirstCountsCourtsAndBoutsOfEachSeatsTricks) {
  // Seat 0 wins every trick with its trumps. The Excuse counts for seat 1, which plays it.
  const CardSet trumps = Cards("T4-21");
  Deal deal =
      Start(Named("booklet_practice1"), 4, Cards("S1-4 T2-3"), {trumps, Cards("EX T1 H1-14 C1-2")});
  while (deal.phase == Phase::kPlaying) {
    const CardSet cards = ListLegal(deal).cards;
    const bool excuse = cards.Contains(kExcuse) && deal.trick_count == 18;
    Do(deal,
       Action::Play(excuse                               ? kExcuse
                    : (cards - CardSet{kExcuse}).Empty() ? kExcuse
                                                         : (cards - CardSet{kExcuse}).First()));
  }
  EXPECT_EQ(deal.result.outcome, Outcome::kScored);
  EXPECT_EQ(deal.result.scores[0], 18) << "sixteen courts, the 21 and the Petit";
  EXPECT_EQ(deal.result.scores[1], 1) << "the Excuse is never lost";
  EXPECT_EQ(deal.result.scores[2] + deal.result.scores[3], 0);
}

TEST(PracticeTest, ExcuseNeverWinsTheLastTrickOfTheFirstGame) {
  const CardSet hand = Cards("T6-21 T5 EX");
  Deal deal = Start(Named("booklet_practice1"), 4, Cards("S1-4 T2-3"), {hand});
  while (deal.phase == Phase::kPlaying) {
    const CardSet cards = ListLegal(deal).cards - CardSet{kExcuse};
    Do(deal, Action::Play(cards.Empty() ? kExcuse : cards.Last()));
  }
  EXPECT_NE(deal.tricks[17].winner, 0);
}

TEST(PracticeTest, TheSecondMultipliesCourtsAndBoutsByTheBid) {
  const RuleSet& rules = Named("booklet_practice2");
  const ScoreInput made{.contract = Contract::kGardeSans, .bouts = 1, .honours = 10};
  const Score score = ComputeScore(rules, made);
  EXPECT_TRUE(score.won) << "ten with one bout";
  EXPECT_EQ(score.taker, 30);
  EXPECT_EQ(score.defender, 0);
  ScoreInput failed = made;
  failed.honours = 9;
  failed.attack_half_points = 180;
  EXPECT_EQ(ComputeScore(rules, failed).taker, -27) << "nine, whatever the card points";
  failed.bouts = 2;
  EXPECT_EQ(ComputeScore(rules, failed).taker, 27) << "eight with two";
  failed.honours = 7;
  EXPECT_EQ(ComputeScore(rules, failed).taker, -21);
  failed.bouts = 3;
  EXPECT_EQ(ComputeScore(rules, failed).taker, 21) << "seven with three";
  failed.bouts = 0;
  failed.honours = 11;
  EXPECT_EQ(ComputeScore(rules, failed).taker, -33) << "twelve with none";
}

TEST(PracticeTest, TheThirdIsTheContractForTheTakerAlone) {
  const RuleSet& rules = Named("booklet_practice3");
  const Score won = ComputeScore(rules, {.contract = Contract::kGarde,
                                         .bouts = 1,
                                         .attack_half_points = 110,
                                         .petit_au_bout = 1,
                                         .slam = SlamOutcome::kUnannouncedMade});
  EXPECT_EQ(won.taker, 58) << "55 against 51, twice";
  EXPECT_EQ(won.defender, 0);
  EXPECT_EQ(ComputeScore(
                rules, {.contract = Contract::kGardeContre, .bouts = 0, .attack_half_points = 110})
                .taker,
            -104)
      << "55 against 56, four times";
}

TEST(PetitAuBoutTest, CountsInTheTrickBeforeAnExcuseThatEndsASlam) {
  for (const bool counts : {true, false}) {
    const RuleSet rules = Custom(counts ? "fft" : "fft +petit_au_bout_slam_previous_trick=false");
    Deal deal = Start(rules, 4, kDog, {Cards("T1 T6-21 EX")});
    Take(deal, Contract::kGardeSans);
    Do(deal, Action::Slam(false));
    while (deal.phase == Phase::kPlaying) {
      const CardSet cards = ListLegal(deal).cards - CardSet{kExcuse};
      Do(deal, Action::Play(cards.Empty() ? kExcuse : cards.Last()));
    }
    ASSERT_EQ(deal.tricks[16].cards[0], kPetit);
    EXPECT_EQ(deal.result.slam, SlamOutcome::kUnannouncedMade);
    EXPECT_EQ(deal.result.petit_au_bout, counts ? 1 : 0);
  }
}

TEST(RoundingTest, RoundsEachPaymentToTheNearestMultiple) {
  const auto unit = [](const char* rules, int half_points) {
    return ComputeScore(
               Custom(rules),
               {.contract = Contract::kPrise, .bouts = 1, .attack_half_points = half_points})
        .unit;
  };
  EXPECT_EQ(unit("fft", 2 * 53), 27);
  EXPECT_EQ(unit("fft +round_scores_to=5", 2 * 53), 25);
  EXPECT_EQ(unit("fft +round_scores_to=5", 2 * 54), 30);
  EXPECT_EQ(unit("fft +round_scores_to=10", 2 * 51), 30) << "halves away from zero";
  EXPECT_EQ(unit("fft +round_scores_to=10", 2 * 41), -40) << "-35";
  EXPECT_EQ(unit("fft +round_scores_to=10", 2 * 42), -30);
}

TEST(ExcuseTest, WinsTheLastTrickOfASlamThatItLeads) {
  EXPECT_EQ(ExcuseLast(Named("fft"), false).result.slam, SlamOutcome::kUnannouncedMade);
  EXPECT_EQ(ExcuseLast(Named("fft"), true).result.slam, SlamOutcome::kDefence);
  const char* never = "fft +excuse_slam_wins_when_led=false";
  EXPECT_EQ(ExcuseLast(Custom(never), false).result.slam, SlamOutcome::kNone);
  EXPECT_EQ(ExcuseLast(Custom(never), true).result.slam, SlamOutcome::kNone);
  const char* attack_only = "fft +excuse_slam_applies_to_defence=false";
  EXPECT_EQ(ExcuseLast(Custom(attack_only), false).result.slam, SlamOutcome::kUnannouncedMade);
  EXPECT_EQ(ExcuseLast(Custom(attack_only), true).result.slam, SlamOutcome::kNone);
}

TEST(ExcuseTest, WinsTheLastTrickOfASlamThatItsPartnerLeads) {
  const Deal won = ExcuseLastToAPartner(Named("fft"));
  EXPECT_EQ(LastTrick(won).leader, 0);
  EXPECT_EQ(LastTrick(won).winner, 1);
  EXPECT_EQ(won.result.slam, SlamOutcome::kDefence);
  for (const char* led :
       {"pagat", "fft +excuse_slam_wins_when_partner_leads=false", "booklet",
        "fft +excuse_slam_wins_when_led=false", "fft +excuse_slam_applies_to_defence=false"}) {
    EXPECT_EQ(LastTrick(ExcuseLastToAPartner(Custom(led))).winner, 2) << led;
  }
}

TEST(ExcuseTest, OldLogsReplayByTheRuleOfTheirTime) {
  std::string old = EncodeRuleSet(Named("fft"));
  const std::string added = "excuse_slam_wins_when_partner_leads=true ";
  ASSERT_NE(old.find(added), std::string::npos);
  old.erase(old.find(added), added.size());
  RuleSet expected = Named("fft");
  expected.excuse_slam_wins_when_partner_leads = false;
  EXPECT_EQ(DecodeRuleSet(old), expected);
}

// An old version had no parameters for open cards, so it stored texts without them. Such a text
// must give the rule set that was stored.
TEST(OpenCardsTest, OldRuleSetsGetTheValuesOfTheirName) {
  const auto without = [](const RuleSet& rules) {
    std::string old = EncodeRuleSet(rules);
    for (const char* key : {"dog_open", "discard_open", "handful_open", "tricks_open"}) {
      const std::size_t at = old.find(absl::StrCat(key, "="));
      old.erase(at, old.find(' ', at) - at + 1);
    }
    return old;
  };
  for (const NamedRuleSet& named : RuleSets()) {
    EXPECT_EQ(DecodeRuleSet(without(named.rules)), named.rules) << named.name;
  }
  const RuleSet custom = Custom("fft +base=30");
  EXPECT_EQ(DecodeRuleSet(without(custom)), custom);
}

// With DiscardOpen::kToTaker, the taker sees the écart, and no other seat does.
TEST(OpenCardsTest, AnOpenEcartIsOpenToTheTakerOnly) {
  Deal deal = Start(Custom("fft +discard_open=to_taker"), 4, kDog, {});
  Take(deal, Contract::kGarde);
  const CardSet discard = LowestDiscard(ListLegal(deal)).cards;
  Do(deal, Action::Discard(discard));
  EXPECT_EQ(MakeView(deal, deal.taker).discard, discard);
  for (const Seat seat : {kNoSeat, 1, 2, 3}) EXPECT_EQ(MakeView(deal, seat).discard, CardSet{});
}

TEST(OpenCardsTest, DogAndHandfulsMayStayOpenForTheWholeDeal) {
  const RuleSet rules = Custom("fft +dog_open=whole_deal +handful_open=whole_deal");
  Deal deal = Start(rules, 4, kDog, {Cards("T2-18 S14")});
  Take(deal, Contract::kGarde);
  ToFirstCard(deal);
  Do(deal, Action::Handful(Cards("T2-11")));
  for (int card = 0; card < 20; ++card) Do(deal, Action::Play(ListLegal(deal).cards.First()));
  const View view = MakeView(deal, 3);
  EXPECT_EQ(view.dog, kDog);
  EXPECT_EQ(view.handfuls[0].cards, Cards("T2-11"));
}

using Facts = std::map<std::string, std::string>;
using Refusal = std::pair<std::string, Facts>;

// Returns the message and the metadata of the error that the seat in turn gets for `action`.
Refusal Told(const Deal& deal, const Action& action) {
  const absl::Status refusal = RefusalStatus(action, Check(deal, deal.turn, action));
  return {std::string(refusal.message()), GetErrorDetails(refusal).metadata};
}

TEST(RefusalTest, BidsNameTheBid) {
  Deal deal = Start(Custom("fft +bids=garde,garde_contre"), 4, kDog, {});
  EXPECT_EQ(Told(deal, Action::Bid(Contract::kPrise)),
            Refusal("There is no prise under these rules.",
                    Facts({{"why", "BID_NOT_ALLOWED"}, {"contract", "prise"}})));
  Do(deal, Action::Bid(Contract::kGarde));
  EXPECT_EQ(
      Told(deal, Action::Bid(Contract::kGarde)),
      Refusal("Pass, or bid above garde.", Facts({{"why", "BID_TOO_LOW"}, {"contract", "garde"}})));
  const Deal board = Start(Named("fft_teams"), 4, kDog, {}, 2);
  EXPECT_EQ(Told(board, Action::Bid(Contract::kPass)),
            Refusal("You are the taker of this board, so you may not pass.",
                    Facts({{"why", "MUST_BID"}})));
}

TEST(RefusalTest, TheCalledSuitAndTheCardThatMayBePlayed) {
  const CardSet taker = Cards("H2 H5 S5-12 T2-6");
  Deal lead = Called("H14", {taker}, "booklet");
  EXPECT_EQ(Told(lead, Action::Play(CardOf("H2"))),
            Refusal("The called suit, hearts, may not be led to the first trick, except by HK.",
                    Facts({{"why", "CALLED_SUIT_BARRED"}, {"suit", "hearts"}, {"card", "HK"}})));
  Deal follow = Called("H14", {Cards("EX S5-12 T2-7"), Cards("H2-6 D1-10")}, "booklet");
  Do(follow, Action::Play(kExcuse));
  EXPECT_EQ(Told(follow, Action::Play(CardOf("H2"))),
            Refusal("The called suit, hearts, may not be played to the first trick.",
                    Facts({{"why", "CALLED_SUIT_BARRED"}, {"suit", "hearts"}})));
}

TEST(RefusalTest, DiscardsAndHandfulsNameTheCardOrTheNumber) {
  Deal deal = Start(Custom("fft +discard_called_card_allowed=false"), 5, Cards("D1-3"),
                    {Cards("S14 H14 D14 C14 S13 T2-10 EX")});
  Take(deal, Contract::kGarde);
  Do(deal, Action::Call(CardOf("S13")));
  EXPECT_EQ(Told(deal, Action::Discard(Cards("D1-2 S13"))),
            Refusal("The called card may not be discarded: SQ.",
                    Facts({{"why", "DISCARD_CALLED_CARD"}, {"card", "SQ"}})));
  Do(deal, Action::Discard(Cards("D1-3")));
  Do(deal, Action::Slam(false));
  EXPECT_EQ(Told(deal, Action::Handful(Cards("T2-8 EX"))),
            Refusal("A handful with the Excuse must show all your trumps.",
                    Facts({{"why", "HANDFUL_EXCUSE"}, {"number", "2"}})));
}

// Returns the score sheet of a finished deal. `hands` are the hands before the first card.
PlayedDeal SheetOf(const Deal& deal, const std::array<CardSet, kPlayersMax>& hands) {
  PlayedDeal sheet{.rules = deal.rules,
                   .players = deal.players,
                   .taker = deal.taker,
                   .partner = deal.partner,
                   .called_card = deal.called_card,
                   .contract = deal.contract,
                   .counted_apart = deal.discard.Empty() ? deal.dog : deal.discard,
                   .hands = hands,
                   .slam_announced = deal.slam_announced};
  for (int i = 0; i < deal.trick_count; ++i) {
    const Trick& trick = deal.tricks[static_cast<std::size_t>(i)];
    sheet.tricks.push_back({trick.leader, {trick.cards.begin(), trick.cards.begin() + trick.size}});
  }
  return sheet;
}

TEST(ScorePlayTest, RefereesEveryRuleSet) {
  for (const NamedRuleSet& named : RuleSets()) {
    for (int n = named.rules.players_min; n <= named.rules.players_max; ++n) {
      for (std::uint64_t seed = 0; seed < 10; ++seed) {
        SCOPED_TRACE(testing::Message() << named.name << " n=" << n << " seed=" << seed);
        Rng rng(seed);
        Deal deal = RandomDeal(named.rules, n, rng);
        while (deal.phase != Phase::kPlaying && deal.phase != Phase::kDone) {
          Do(deal, RandomAction(deal, rng));
        }
        if (deal.phase == Phase::kDone) continue;
        const auto hands = deal.hands;
        while (deal.phase == Phase::kPlaying) {
          Do(deal, Action::Play(Pick(ListLegal(deal).cards, rng)));
        }
        const absl::StatusOr<Deal> scored = ScorePlay(SheetOf(deal, hands));
        ASSERT_THAT(scored, testkit::IsOk());
        EXPECT_EQ(scored->result.scores, deal.result.scores);
        PlayedDeal wrong = SheetOf(deal, hands);
        wrong.taker = deal.taker == kNoSeat ? 0 : kNoSeat;
        EXPECT_FALSE(ScorePlay(wrong).ok());
        if (deal.sits_out == kNoSeat) continue;
        wrong.taker = deal.sits_out;
        EXPECT_FALSE(ScorePlay(wrong).ok());
      }
    }
  }
}

}  // namespace
}  // namespace tarot::rules
