// Rule sets that no source document has: boards and the dead hand of tournaments, and Pagat's.
#include <set>

#include "libs/rules/bidding.h"
#include "libs/rules/deck.h"
#include "libs/rules/match.h"
#include "libs/rules/test_table.h"
#include "libs/rules/view.h"

namespace tarot::rules {
namespace {

const CardSet kPlainDog = Cards("S1-6");
const CardSet kStrong = Cards("T8-21 S14 H14 D14 C14");

// The last seat deals, `taker` was given by the board.
Deal Board(const char* set, Seat taker) {
  return StartDeal(Named(set), 4, 3, HandsWith(Named(set), 4, kPlainDog, {kStrong}), kPlainDog,
                   taker);
}

// Boards of a duplicate impose the taker and a Garde: nobody bids.
TEST(BoardTest, DuplicateImposesTheGarde) {
  const Deal deal = Board("fft_duplicate", 2);
  EXPECT_EQ(deal.taker, 2);
  EXPECT_EQ(deal.contract, Contract::kGarde);
  EXPECT_EQ(deal.phase, Phase::kDiscarding);
  EXPECT_EQ(deal.turn, 2);
  EXPECT_EQ(MakeView(deal, 0).dog, kPlainDog);
}

// Boards of a team event give the taker, who chooses Garde, Garde sans or Garde contre.
TEST(BoardTest, TeamsChooseTheContractAndMayNotPass) {
  Deal deal = Board("fft_teams", 2);
  EXPECT_EQ(deal.turn, 2);
  EXPECT_EQ(WhyNot(deal, Action::Bid(Contract::kPass)), Reason::kMustBid);
  EXPECT_EQ(WhyNot(deal, Action::Bid(Contract::kPrise)), Reason::kBidNotAllowed);
  Do(deal, Action::Bid(Contract::kGardeSans));
  EXPECT_EQ(deal.taker, 2);
  EXPECT_EQ(deal.phase, Phase::kSlam) << "nobody else speaks";
}

// In sixteen boards everybody takes once in each place behind the dealer.
TEST(BoardTest, EverySeatTakesInEveryPlace) {
  std::set<std::pair<Seat, Seat>> seen;
  for (int number = 1; number <= 16; ++number) {
    seen.insert({(3 + number - 1) % 4, BoardTaker(4, number)});
  }
  EXPECT_EQ(seen.size(), 16u);
}

// Tables of five: the dealer sits out, the others play a deal for four by all its rules.
TEST(DeadHandTest, IsADealForFour) {
  Rng rng(5);
  int scored = 0;
  for (int round = 0; round < 50; ++round) {
    Deal deal = RandomDeal(Named("fft_dead5"), 5, rng);
    EXPECT_EQ(deal.sits_out, deal.dealer);
    EXPECT_TRUE(deal.hands[static_cast<std::size_t>(deal.dealer)].Empty());
    if (deal.phase == Phase::kDone) continue;
    EXPECT_EQ(deal.turn, deal.Next(deal.dealer));
    Take(deal, Contract::kGarde);
    EXPECT_EQ(deal.phase, Phase::kDiscarding) << "nobody is called";
    EXPECT_EQ(ListLegal(deal).discard_count, 6);
    ToFirstCard(deal);
    PlayOut(deal, CardSet{}, rng);
    ++scored;
    EXPECT_EQ(deal.trick_count, 18);
    for (Seat seat = 0; seat < 5; ++seat) {
      const Score& score = deal.result.score;
      const int expected = seat == deal.dealer  ? 0
                           : seat == deal.taker ? 3 * score.unit
                                                : -score.unit;
      EXPECT_EQ(deal.result.scores[static_cast<std::size_t>(seat)], expected);
    }
  }
  EXPECT_GT(scored, 25);
}

TEST(DeadHandTest, HandfulsAreThoseOfFour) {
  for (int level = 1; level <= 3; ++level) {
    EXPECT_EQ(Named("fft_dead5").HandfulSize(5, level), Named("fft").HandfulSize(4, level));
  }
}

// Pagat: the dog takes neither the first three nor the last three cards.
TEST(PagatTest, DogKeepsThreeFromBothEnds) {
  for (int players = 3; players <= 5; ++players) {
    const CardSet dog = DealOut(Named("pagat"), players, 0, OrderedPack()).dog;
    for (const int i : {0, 1, 2, 75, 76, 77}) EXPECT_FALSE(dog.Contains(CardAt(i))) << i;
  }
}

// Pagat: in the last trick the Excuse is taken by whoever wins it, a partner's camp keeps it.
TEST(PagatTest, ExcuseOfTheLastTrickIsItsWinners) {
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

// Pagat, five players: any first lead; Kings, and Queens with all four Kings.
TEST(PagatTest, FivePlayers) {
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
