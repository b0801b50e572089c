// Tests the rules of `pagat` that differ from `fft`.
#include "libs/rules/bidding.h"
#include "libs/rules/deck.h"
#include "libs/rules/testing/test_table.h"

namespace tarot::rules {
namespace {

// Neither the first three nor the last three cards of the pack go to the dog.
TEST(PagatTest, DogKeepsThreeFromBothEnds) {
  for (int players = 3; players <= 5; ++players) {
    const CardSet dog = DealOut(Named("pagat"), players, 0, OrderedPack()).dog;
    for (const int i : {0, 1, 2, 75, 76, 77}) EXPECT_FALSE(dog.Contains(CardAt(i))) << i;
  }
}

// If the Excuse is played to the last trick, it goes to the winner of this trick. If this winner
// and the player of the Excuse are in the same camp, the Excuse stays in this camp.
TEST(PagatTest, WinnerOfTheLastTrickGetsTheExcuse) {
  for (const bool of_taker : {true, false}) {
    const Deal deal =
        PlayedDealWhere("pagat", 4, Contract::kGarde, Cards("EX"),
                        [&](const Deal& d) { return ExcuseCrosses(d, of_taker, /*last=*/true); });
    EXPECT_EQ(deal.result.attack_half_points, HalfPoints(WonByAttack(deal)));
  }
  const Deal own = PlayedDealWhere("pagat", 4, Contract::kGarde, Cards("EX"), [](const Deal& d) {
    const Seat player = PlayerOf(d, LastTrick(d), kExcuse);
    return player != kNoSeat && !d.InAttack(player) && !d.InAttack(LastTrick(d).winner);
  });
  EXPECT_EQ(own.result.attack_half_points, HalfPoints(WonByAttack(own)));
}

// With five players, the leader of the first trick may lead any card. The taker may call a King, or
// a Queen if the hand has all four Kings.
TEST(PagatTest, FivePlayersLeadAnyCardAndCallQueensWithFourKings) {
  const CardSet court = CardSet::Kings() | Cards("S13 H13 D13 C13");
  EXPECT_EQ(CallableCards(Named("pagat"), court), court);
  const CardSet leader = Cards("S4-8 S14 H1-9");
  Deal deal = DealWith("pagat", 5, Cards("D1-3"), {leader, Cards("T10-21 C14 H14 D14")});
  Do(deal, Action::Bid(Contract::kPass));
  Take(deal, Contract::kGardeSans);
  Do(deal, Action::Call(CardOf("S14")));
  ToFirstCard(deal);
  EXPECT_EQ(ListLegal(deal).cards, leader);
}

}  // namespace
}  // namespace tarot::rules
