// Tests rare cases in which rule sets differ. Each test makes a deal for its case.
#include "libs/rules/bidding.h"
#include "libs/rules/dog.h"
#include "libs/rules/testing/test_table.h"
#include "libs/rules/trick.h"
#include "libs/rules/view.h"

namespace tarot::rules {
namespace {

Reason Why(const Deal& deal, CardSet handful) {
  return Check(deal, deal.turn, Action::Handful(handful)).reason;
}

const CardSet kPlainDog = Set({"S1", "S2", "S3", "S4", "S5", "S6"});

TEST(PetitSecTest, PlaysOnWhereTheRuleSetSaysSo) {
  const CardSet hand = Set({"H1", "H2", "H3", "H4", "H5", "H6", "H7", "H8", "H9", "H10", "H11",
                            "H12", "H13", "D1", "D2", "D3", "D4", "T1"});
  EXPECT_EQ(DealWith("fft", 4, kPlainDog, {hand}).result.outcome, Outcome::kPetitSec);
  for (const char* set : {"booklet", "webguide"}) {
    EXPECT_EQ(DealWith(set, 4, kPlainDog, {hand}).phase, Phase::kBidding) << set;
  }
}

TEST(DiscardTest, FreeTrumpsAreNotShown) {
  const CardSet hand = Set({"T2", "T3", "T4", "T5", "H1", "H2", "H3", "H4", "H5", "H6", "H7", "H8",
                            "H9", "H10", "D1", "D2", "D3", "D4"});
  Deal deal = DealWith("webguide", 4, kPlainDog, {hand});
  Take(deal, Contract::kGarde);
  Do(deal, Action::Discard(Set({"T2", "T3", "S1", "S2", "S3", "S4"})));
  EXPECT_EQ(deal.DiscardShown(), CardSet{});
}

TEST(CallTest, EachLowerRankWhenAllHigherOnesAreHeld) {
  const CardSet kings = CardSet::Kings();
  const CardSet queens = Set({"S13", "H13", "D13", "C13"});
  const CardSet knights = Set({"S12", "H12", "D12", "C12"});
  const CardSet jacks = Set({"S11", "H11", "D11", "C11"});
  EXPECT_EQ(CallableCards(Named("fft"), Set({"S14", "H14", "D14"})), kings);
  EXPECT_EQ(CallableCards(Named("fft"), kings), kings | queens);
  EXPECT_EQ(CallableCards(Named("fft"), kings | queens), kings | queens | knights);
  EXPECT_EQ(CallableCards(Named("fft"), kings | queens | knights),
            kings | queens | knights | jacks);
  EXPECT_EQ(CallableCards(Named("booklet"), kings | queens), kings | queens) << "Queens at most";
  EXPECT_EQ(CallableCards(Named("shogix"), kings | queens), knights) << "no card in hand";
  EXPECT_EQ(CallableCards(Named("shogix"), kings | queens | knights), CardSet{});
  EXPECT_EQ(CallableCards(Named("webguide"), Set({"S14"})), kings - Set({"S14"}));
  EXPECT_EQ(CallableCards(Named("webguide"), kings), kings | queens);
}

TEST(PartnerTest, IsSecretUntilTheCalledCardFalls) {
  const CardSet taker = Set({"T2", "T3", "T4", "T5", "T6", "T7", "T8", "T9", "T10", "T11", "S13",
                             "H13", "D13", "C13", "S4"});
  const CardSet partner = Set({"S14", "T15", "T16", "T17", "T18", "T19", "T20", "T21", "H2", "H3",
                               "H4", "H5", "H6", "H7", "H8"});
  Deal deal = DealWith("fft", 5, Set({"S1", "S2", "S3"}), {taker, partner});
  Take(deal, Contract::kGardeSans);
  Do(deal, Action::Call(*ParseCard("S14")));
  Do(deal, Action::Slam(false));
  ASSERT_EQ(deal.partner, 1);
  for (const Seat seat : {kNoSeat, 0, 2, 3, 4}) EXPECT_EQ(MakeView(deal, seat).partner, kNoSeat);
  EXPECT_EQ(MakeView(deal, 1).partner, 1);
  Do(deal, Action::Play(Trump(2)));
  Do(deal, Action::Play(Trump(15)));
  while (deal.trick_count == 1) Do(deal, Action::Play(ListLegal(deal).cards.First()));
  ASSERT_EQ(deal.turn, 1);
  Do(deal, Action::Play(*ParseCard("S14")));
  for (const Seat seat : {kNoSeat, 0, 1, 2, 3, 4}) EXPECT_EQ(MakeView(deal, seat).partner, 1);
}

TEST(WhyNotTest, TrumpsLedAreNoSuitToFollow) {
  const CardSet hand = Set({"T4", "T12", "C5"});
  const Card led[] = {Trump(9)};
  EXPECT_EQ(WhyNot(hand, led, Trump(4)).reason, Reason::kMustOvertrump);
  EXPECT_EQ(WhyNot(hand, led, *ParseCard("C5")).reason, Reason::kMustTrump);
}

TEST(HandfulTest, TheExcuseNeverCountsInTheBooklet) {
  const CardSet hand = Set({"T2", "T3", "T4", "T5", "T6", "T7", "T8", "T9", "T10", "EX", "H1", "H2",
                            "H3", "H4", "H5", "H6", "H7", "H8"});
  const CardSet shown = hand & (CardSet::AllTrumps() | CardSet{kExcuse});
  for (const auto& [set, reason] :
       {std::pair("fft", Reason::kOk), std::pair("booklet", Reason::kHandfulNotTrumps)}) {
    Deal deal = DealWith(set, 4, kPlainDog, {hand});
    Take(deal, Contract::kGardeSans);
    Do(deal, Action::Slam(false));
    EXPECT_EQ(Why(deal, shown), reason) << set;
  }
}

TEST(HandfulTest, OnlyInTheFirstTrick) {
  const CardSet hand = Set({"T2", "T3", "T4", "T5", "T6", "T7", "T8", "T9", "T10", "T11", "T21",
                            "H2", "H3", "H4", "H5", "H6", "H7", "H8"});
  Deal deal = DealWith("fft", 4, kPlainDog, {hand});
  Take(deal, Contract::kGardeSans);
  Do(deal, Action::Slam(false));
  const CardSet ten = (hand & CardSet::AllTrumps()) - Set({"T21"});
  EXPECT_EQ(Why(deal, ten), Reason::kOk);
  Do(deal, Action::Play(kTwentyOne));
  while (deal.trick_count == 1) Do(deal, Action::Play(ListLegal(deal).cards.First()));
  ASSERT_EQ(deal.turn, 0);
  EXPECT_EQ(Why(deal, ten), Reason::kHandfulTooLate);
}

TEST(HandfulTest, OnlyTheTakerMayShowTrumpsOfTheEcart) {
  const CardSet taker = Set({"T2", "T3", "T4", "T5", "T6", "T7", "T8", "T9", "T10", "T11", "S14",
                             "H14", "D14", "C14", "EX"});
  const CardSet other = Set({"T15", "T16", "T17", "T18", "T19", "T20", "T21", "H1", "H2", "H3",
                             "H4", "H5", "H6", "H7", "H8"});
  Deal deal = DealWith("fft", 5, Set({"S1", "S2", "T12"}), {taker, other});
  Take(deal, Contract::kGarde);
  Do(deal, Action::Call(*ParseCard("S13")));
  Do(deal, Action::Discard(Set({"S1", "S2", "T2"})));
  ASSERT_EQ(deal.DiscardShown(), Set({"T2"}));
  Do(deal, Action::Slam(false));
  Do(deal, Action::Play(Trump(3)));
  ASSERT_EQ(deal.turn, 1);
  const CardSet seven = other & CardSet::AllTrumps();
  EXPECT_EQ(Why(deal, seven | Set({"T2"})), Reason::kCardNotHeld);
  EXPECT_FALSE(ListLegal(deal).handful_levels[1]);
}

// In the rule set `booklet`, a handful of the taker increases the payment of the losing camp, and a
// handful of a defender reduces this payment. Here the camp that shows the handful wins the deal.
TEST(HandfulTest, AHandfulOfTheDefenceReducesThePayment) {
  const CardSet weak = Set({"H1", "H2", "H3", "H4", "H5", "H6", "H7", "H8", "D1", "D2", "D3", "D4",
                            "D5", "D6", "D7", "D8", "C1", "C2"});
  const CardSet strong = Set({"T8", "T9", "T10", "T11", "T12", "T13", "T14", "T15", "T16", "T17",
                              "T18", "T19", "T20", "T21", "S14", "H14", "D14", "C14"});
  for (const bool defence_shows : {true, false}) {
    Deal deal = DealWith("booklet", 4, kPlainDog,
                         {defence_shows ? weak : strong, defence_shows ? strong : weak});
    Take(deal, Contract::kGardeSans);
    Do(deal, Action::Slam(false));
    const CardSet ten = (strong & CardSet::AllTrumps()) - Set({"T18", "T19", "T20", "T21"});
    while (deal.phase == Phase::kPlaying) {
      if (Why(deal, ten) == Reason::kOk) Do(deal, Action::Handful(ten));
      Do(deal, Action::Play(ListLegal(deal).cards.Last()));
    }
    ASSERT_EQ(deal.handful_count, 1);
    const int in_unit = deal.result.score.handful_points;
    EXPECT_EQ(deal.result.score.won, !defence_shows);
    EXPECT_EQ(in_unit, 20) << "less for the attack to pay, or more to get";
  }
}

}  // namespace
}  // namespace tarot::rules
