// Tests one deal, phase by phase: allowed actions, and refused actions with their reasons.
#include "libs/rules/deal.h"

#include "libs/rules/testing/test_table.h"

namespace tarot::rules {
namespace {

RuleSet Fft() { return FindRuleSet("fft")->rules; }

// Returns a deal of four players. Seat 3 deals, so seat 0 speaks first.
Deal DealWith(CardSet dog, std::initializer_list<CardSet> hands) {
  return StartDeal(Fft(), 4, 3, HandsWith(Fft(), 4, dog, hands), dog);
}

const CardSet kPlainDog = Set({"S1", "S2", "S3", "S4", "S5", "S6"});
// A hand with the trumps 8 to 21 and the four Kings.
const CardSet kStrong = Set({"T8", "T9", "T10", "T11", "T12", "T13", "T14", "T15", "T16", "T17",
                             "T18", "T19", "T20", "T21", "S14", "H14", "D14", "C14"});

TEST(BiddingTest, EachSeatBidsHigherOrPassesOnce) {
  Deal deal = DealWith(kPlainDog, {kStrong});
  Do(deal, Action::Bid(Contract::kGarde));
  EXPECT_EQ(Check(deal, 1, Action::Bid(Contract::kGarde)).reason, Reason::kBidTooLow);
  EXPECT_EQ(Check(deal, 1, Action::Bid(Contract::kPrise)).reason, Reason::kBidTooLow);
  EXPECT_EQ(Check(deal, 0, Action::Bid(Contract::kPass)).reason, Reason::kNotYourTurn);
  EXPECT_EQ(Check(deal, 1, Action::Play(kPetit)).reason, Reason::kWrongPhase);
  Do(deal, Action::Bid(Contract::kGardeSans));
  Do(deal, Action::Bid(Contract::kPass));
  Do(deal, Action::Bid(Contract::kPass));
  EXPECT_EQ(deal.taker, 1);
  EXPECT_EQ(deal.contract, Contract::kGardeSans);
  EXPECT_EQ(deal.phase, Phase::kSlam) << "no écart without the dog";
}

TEST(BiddingTest, NothingIsAboveGardeContre) {
  Deal deal = DealWith(kPlainDog, {kStrong});
  Do(deal, Action::Bid(Contract::kGardeContre));
  EXPECT_EQ(deal.phase, Phase::kSlam);
  EXPECT_EQ(deal.taker, 0);
}

TEST(BiddingTest, AllPassEndsTheDeal) {
  Deal deal = DealWith(kPlainDog, {kStrong});
  for (int i = 0; i < 4; ++i) Do(deal, Action::Bid(Contract::kPass));
  EXPECT_EQ(deal.phase, Phase::kDone);
  EXPECT_EQ(deal.result.outcome, Outcome::kAllPassed);
}

TEST(PetitSecTest, CancelsTheDealUnlessTheExcuseIsThere) {
  const CardSet no_trumps = Set({"H1", "H2", "H3", "H4", "H5", "H6", "H7", "H8", "H9", "H10", "H11",
                                 "H12", "H13", "D1", "D2", "D3", "D4"});
  CardSet petit = no_trumps;
  petit.Insert(kPetit);
  EXPECT_EQ(DealWith(kPlainDog, {kStrong, petit}).result.outcome, Outcome::kPetitSec);
  CardSet with_excuse = petit - Set({"D4"});
  with_excuse.Insert(kExcuse);
  EXPECT_EQ(DealWith(kPlainDog, {kStrong, with_excuse}).phase, Phase::kBidding);
}

TEST(DiscardTest, RefusesKingsBoutsAndUnforcedTrumps) {
  Deal deal = DealWith(kPlainDog, {kStrong});
  Take(deal, Contract::kGarde);
  ASSERT_EQ(deal.phase, Phase::kDiscarding);
  const auto why = [&](CardSet cards) { return Check(deal, 0, Action::Discard(cards)).reason; };
  EXPECT_EQ(why(Set({"S1", "S2", "S3", "S4", "S5", "S14"})), Reason::kDiscardKing);
  EXPECT_EQ(why(Set({"S1", "S2", "S3", "S4", "S5", "T21"})), Reason::kDiscardBout);
  EXPECT_EQ(why(Set({"S1", "S2", "S3", "S4", "S5", "T8"})), Reason::kDiscardTrump);
  EXPECT_EQ(why(Set({"S1", "S2", "S3", "S4", "S5"})), Reason::kDiscardCount);
  EXPECT_EQ(why(Set({"S1", "S2", "S3", "S4", "S5", "C2"})), Reason::kCardNotHeld);
  EXPECT_EQ(why(kPlainDog), Reason::kOk);
}

TEST(DiscardTest, ForcedTrumpsGoAndAreShown) {
  // Seat 0 has fourteen trumps and four Kings. The dog has two plain cards, so four trumps must go
  // into the écart.
  const CardSet dog = Set({"S1", "S2", "T2", "T3", "T4", "EX"});
  Deal deal = DealWith(dog, {kStrong});
  Take(deal, Contract::kGarde);
  EXPECT_EQ(ListLegal(deal).discard_trump_count, 4);
  const auto why = [&](CardSet cards) { return Check(deal, 0, Action::Discard(cards)).reason; };
  EXPECT_EQ(why(Set({"S1", "T2", "T3", "T4", "T8", "T9"})), Reason::kDiscardTrumpCount);
  EXPECT_EQ(why(Set({"S1", "S2", "T3", "T4", "T8", "EX"})), Reason::kDiscardBout);
  Do(deal, Action::Discard(Set({"S1", "S2", "T2", "T3", "T4", "T8"})));
  EXPECT_EQ(deal.DiscardShown(), Set({"T2", "T3", "T4", "T8"}));
}

TEST(SlamTest, TheAnnouncerLeads) {
  Deal deal = DealWith(kPlainDog, {CardSet{}, kStrong});
  Do(deal, Action::Bid(Contract::kPass));
  Take(deal, Contract::kGardeSans);
  Deal quiet = deal;
  Do(deal, Action::Slam(true));
  EXPECT_EQ(deal.turn, 1);
  Do(quiet, Action::Slam(false));
  EXPECT_EQ(quiet.turn, 0) << "otherwise the seat after the dealer leads";
}

TEST(HandfulTest, ShowsTrumpsInTheSizesOfTheRulesOnce) {
  Deal deal = DealWith(kPlainDog, {kStrong});
  Take(deal, Contract::kGardeSans);
  Do(deal, Action::Slam(false));
  const auto why = [&](CardSet cards) { return Check(deal, 0, Action::Handful(cards)).reason; };
  const CardSet ten = Set({"T8", "T9", "T10", "T11", "T12", "T13", "T14", "T15", "T16", "T17"});
  const CardSet thirteen = ten | Set({"T18", "T19", "T20"});
  EXPECT_EQ(why(ten | Set({"T18"})), Reason::kHandfulSize);
  EXPECT_EQ(why((ten - Set({"T8"})) | Set({"S14"})), Reason::kHandfulNotTrumps);
  EXPECT_EQ(why((ten - Set({"T8"})) | Set({"EX"})), Reason::kCardNotHeld);
  EXPECT_EQ(why(thirteen), Reason::kOk);
  const LegalActions legal = ListLegal(deal);
  EXPECT_TRUE(legal.handful_levels[1] && legal.handful_levels[2] && !legal.handful_levels[3]);
  Do(deal, Action::Handful(thirteen));
  EXPECT_EQ(deal.turn, 0) << "the turn stays";
  EXPECT_EQ(why(ten), Reason::kHandfulTooLate) << "once";
  Do(deal, Action::Play(Trump(21)));
  while (deal.trick_count == 1) Do(deal, Action::Play(*ListLegal(deal).cards.begin()));
  EXPECT_EQ(ListLegal(deal).handful_cards, CardSet{});
}

TEST(HandfulTest, TheExcuseMeansNoHiddenTrump) {
  // The hand has ten trumps and the Excuse. A single handful (ten cards) must not contain the
  // Excuse, because then one trump would stay hidden.
  const CardSet hand = Set({"T2", "T3", "T4", "T5", "T6", "T7", "T8", "T9", "T10", "T11", "EX",
                            "H1", "H2", "H3", "H4", "H5", "H6", "H7"});
  Deal deal = DealWith(kPlainDog, {hand});
  Take(deal, Contract::kGardeSans);
  Do(deal, Action::Slam(false));
  const CardSet trumps = hand & CardSet::AllTrumps();
  EXPECT_TRUE(Check(deal, 0, Action::Handful(trumps)).ok());
  EXPECT_EQ(Check(deal, 0, Action::Handful((trumps - Set({"T2"})) | Set({"EX"}))).reason,
            Reason::kHandfulExcuse);
  EXPECT_FALSE(ListLegal(deal).handful_cards.Contains(kExcuse));

  // Twelve trumps and the Excuse make a double handful (13 cards).
  const CardSet twelve = Set({"T2", "T3", "T4", "T5", "T6", "T7", "T8", "T9", "T10", "T11", "T12",
                              "T13", "EX", "H1", "H2", "H3", "H4", "H5"});
  Deal big = DealWith(kPlainDog, {twelve});
  Take(big, Contract::kGardeSans);
  Do(big, Action::Slam(false));
  EXPECT_TRUE(ListLegal(big).handful_levels[2]);
  EXPECT_TRUE(Check(big, 0, Action::Handful(twelve - Set({"H1", "H2", "H3", "H4", "H5"}))).ok());
}

TEST(HandfulTest, ShownTrumpsOfTheEcartCount) {
  // With the dog, seat 0 has four Kings and fifteen trumps. The trump in the écart counts for the
  // triple handful (15 cards).
  const CardSet dog = Set({"S1", "S2", "S3", "S4", "S5", "T7"});
  Deal deal = DealWith(dog, {kStrong});
  Take(deal, Contract::kGarde);
  Do(deal, Action::Discard(dog));
  Do(deal, Action::Slam(false));
  EXPECT_TRUE(ListLegal(deal).handful_levels[3]);
  EXPECT_TRUE(Check(deal, 0, Action::Handful((kStrong & CardSet::AllTrumps()) | Set({"T7"}))).ok());
}

TEST(DealTest, RefusedActionsChangeNothing) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Rng rng(seed);
    Deal deal = RandomDeal(Fft(), 4, rng);
    while (deal.phase != Phase::kDone) {
      const Action wild{.kind = static_cast<Action::Kind>(rng.Below(6)),
                        .contract = static_cast<Contract>(rng.Below(5)),
                        .card = CardAt(rng.Below(256)),
                        .cards = deal.hands[static_cast<std::size_t>(rng.Below(4))],
                        .announce = false};
      const Seat seat = rng.Below(4);
      Deal before = deal;
      if (!Apply(deal, seat, wild).ok()) {
        ASSERT_EQ(deal.cards_played, before.cards_played);
        ASSERT_EQ(deal.hands, before.hands);
        ASSERT_EQ(deal.phase, before.phase);
        ASSERT_EQ(deal.turn, before.turn);
        ASSERT_EQ(deal.handful_count, before.handful_count);
      }
      if (deal.phase == Phase::kDone) break;
      ASSERT_TRUE(Apply(deal, deal.turn, RandomAction(deal, rng)).ok());
    }
  }
}

}  // namespace
}  // namespace tarot::rules
