// Tests the other rule sets of source 002: `booklet_customs` (page 28) and `booklet_practice1` to
// `booklet_practice3` (the boxes after pages 15, 19 and 23). A practice game has only the rules of
// the pages before its box. Comments quote the source. docs/rules/source_002.md lists the tests of
// each page.
#include "libs/rules/deck.h"
#include "libs/rules/match.h"
#include "libs/rules/testing/test_table.h"
#include "libs/rules/view.h"

namespace tarot::rules {
namespace {

constexpr const char* kCustoms = "booklet_customs";
const CardSet kPlainDog = Cards("S1-6");

// In practice games 1 and 2, each Jack, Knight, Queen, King and bout counts one point.
const CardSet kFaces = Cards("S11-14 H11-14 D11-14 C11-14");
int PointsIn(CardSet cards) { return (cards & (kFaces | CardSet::Bouts())).Size(); }

// Source 002 says: "The dealer can deal cards to the dog at any time, but they cannot deal two
// consecutive cards or deal the first or last card of the deck." "deals cards 3 at a time ...
// starting with the player to their right".
TEST(Source002Customs, TheDogIsDealtOneCardAtATime) {
  for (int players = 3; players <= 5; ++players) {
    const DealtCards dealt = DealOut(Named(kCustoms), players, players - 1, OrderedPack());
    EXPECT_EQ(dealt.dog.Size(), Named(kCustoms).DogSize(players));
    EXPECT_FALSE(dealt.dog.Contains(CardAt(0)) || dealt.dog.Contains(CardAt(77)));
    for (int i = 0; i + 1 < kCardCount; ++i) {
      EXPECT_FALSE(dealt.dog.ContainsAll(CardSet{CardAt(i), CardAt(i + 1)})) << i;
    }
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(dealt.hands[0].Contains(CardAt(i)));
  }
}

// Source 002 says: "The player to the left of the dealer must cut the deck". A cut takes at least
// one card.
TEST(Source002Customs, CutLeavesOneCardOnEachSide) {
  EXPECT_FALSE(CutAllowed(Named(kCustoms), 0));
  EXPECT_TRUE(CutAllowed(Named(kCustoms), 1));
  EXPECT_TRUE(CutAllowed(Named(kCustoms), 77));
  EXPECT_FALSE(CutAllowed(Named(kCustoms), 78));
}

// Source 002 says: "It is impossible to lose the Excuse, unless you play it during the final trick.
// It is taken by the player who wins the trick."
TEST(Source002Customs, TheWinnerOfTheFinalTrickGetsTheExcuse) {
  for (const bool of_taker : {true, false}) {
    const Deal deal =
        PlayedDealWhere(kCustoms, 4, Contract::kGarde, Cards("EX"),
                        [&](const Deal& d) { return ExcuseCrosses(d, of_taker, /*last=*/true); });
    EXPECT_EQ(deal.result.bouts, (WonByAttack(deal) & CardSet::Bouts()).Size());
    EXPECT_EQ(deal.result.attack_half_points, HalfPoints(WonByAttack(deal)));
  }
  const Deal kept = PlayedDealWhere(kCustoms, 4, Contract::kGarde, CardSet{}, [](const Deal& d) {
    return ExcuseCrosses(d, /*from_attack=*/true, /*last=*/false);
  });
  EXPECT_EQ(kept.result.bouts, (WonByAttack(kept) & CardSet::Bouts()).Size() + 1);

  // Here the Excuse is in a trick of its own camp. So it stays in the camp, and the camp gives no
  // card for it.
  const Deal own = PlayedDealWhere(kCustoms, 4, Contract::kGarde, Cards("EX"), [](const Deal& d) {
    const Seat player = PlayerOf(d, LastTrick(d), kExcuse);
    return player != kNoSeat && !d.InAttack(player) && !d.InAttack(LastTrick(d).winner);
  });
  EXPECT_EQ(own.result.attack_half_points, HalfPoints(WonByAttack(own)));
}

// Source 002 says: "You may show the Excuse in your handful, indicating that you have no other
// trumps."
TEST(Source002Customs, ExcuseInAHandfulMeansNoOtherTrump) {
  for (const auto& [hand, reason] : {std::pair("T2-10 EX H1-8", Reason::kOk),
                                     std::pair("T2-11 EX H1-7", Reason::kHandfulExcuse)}) {
    Deal deal = DealWith(kCustoms, 4, kPlainDog, {Cards(hand)});
    Take(deal, Contract::kGardeSans);
    ToFirstCard(deal);
    EXPECT_EQ(WhyNot(deal, Action::Handful(Cards("T2-10 EX"))), reason) << hand;
  }
}

// Source 002 says: "Many players do not shuffle cards between deals."
TEST(Source002Customs, DoesNotShuffleBetweenDeals) {
  EXPECT_EQ(Named(kCustoms).shuffle, Shuffle::kNoneBetweenDeals);
  EXPECT_EQ(Named("booklet").shuffle, Shuffle::kFullByOpposite);
}

// For practice game 1, source 002 says: "return the dog to the box. Finally, play your first
// round". There are no bids, and the seat after the dealer leads.
TEST(Source002Practice1, TheRoundBeginsWithTheFirstCard) {
  const Deal deal = DealWith("booklet_practice1", 4, kPlainDog, {});
  EXPECT_EQ(deal.phase, Phase::kPlaying);
  EXPECT_EQ(deal.turn, deal.Next(deal.dealer));
  EXPECT_EQ(deal.taker, kNoSeat);
  for (Seat seat = 0; seat < 4; ++seat) {
    EXPECT_EQ(deal.hands[static_cast<std::size_t>(seat)].Size(), 18);
    EXPECT_EQ(MakeView(deal, seat).dog, CardSet{});
  }
  EXPECT_EQ(ListLegal(deal).handful_cards, CardSet{}) << "the bonuses come later in the booklet";
}

// Source 002 says: "count the number of face cards and honors in their tricks. Each of these cards
// is worth 1 point." It says about the Excuse: "keep it ... with your other trick cards. You can
// never lose it."
TEST(Source002Practice1, EachFaceCardAndHonorIsWorthAPoint) {
  Rng rng(1);
  for (int round = 0; round < 50; ++round) {
    for (int players = 3; players <= 5; ++players) {
      Deal deal = RandomDeal(Named("booklet_practice1"), players, rng);
      PlayOut(deal, round % 2 == 0 ? Cards("EX") : CardSet{}, rng);
      ASSERT_EQ(deal.result.outcome, Outcome::kScored);
      std::array<CardSet, kPlayersMax> won;
      for (int i = 0; i < deal.trick_count; ++i) {
        const Trick& trick = TrickAt(deal, i);
        for (int at = 0; at < players; ++at) {
          const Card card = trick.cards[static_cast<std::size_t>(at)];
          const Seat owner = card == kExcuse ? PlayerOf(deal, trick, card) : trick.winner;
          won[static_cast<std::size_t>(owner)].Insert(card);
        }
      }
      int sum = PointsIn(deal.dog);
      for (std::size_t seat = 0; seat < static_cast<std::size_t>(players); ++seat) {
        EXPECT_EQ(deal.result.scores[seat], PointsIn(won[seat]));
        sum += deal.result.scores[seat];
      }
      EXPECT_EQ(sum, 19);
    }
  }
}

// Source 002 says: "If you have a card ... that matches the suit ... you must play it"; "you must
// play a trump"; "you must play a stronger trump".
TEST(Source002Practice1, FollowsTrumpsAndOvertrumps) {
  EXPECT_EQ(MayPlay("booklet_practice1", "H2 H13 T5 C4", {"H9"}), Cards("H2 H13"));
  EXPECT_EQ(MayPlay("booklet_practice1", "T5 T9 C4", {"H9"}), Cards("T5 T9"));
  EXPECT_EQ(MayPlay("booklet_practice1", "T5 T9 C4", {"H9", "T8"}), Cards("T9"));
  EXPECT_EQ(MayPlay("booklet_practice1", "T5 T9 C4", {"H9", "T10"}), Cards("T5 T9"));
}

// Source 002 says: "Number of honors 0 1 2 3: Contract 12 10 8 7 pts"; "multiply the value of their
// tricks by their bid's multiplier"; "positive points ... negative points"; "only the taker
// counts".
TEST(Source002Practice2, BidMultipliesTheHonoursOfTheTaker) {
  const int contracts[] = {12, 10, 8, 7};
  for (int bouts = 0; bouts <= 3; ++bouts) {
    for (int bid = 1; bid <= 4; ++bid) {
      for (const int missing : {0, 1}) {
        const int honours = contracts[bouts] - missing;
        const Score score = ComputeScore(
            Named("booklet_practice2"),
            {.contract = static_cast<Contract>(bid), .bouts = bouts, .honours = honours});
        EXPECT_EQ(score.taker, (missing == 0 ? honours : -honours) * bid);
        EXPECT_EQ(score.defender, 0);
      }
    }
  }
}

// The taker's tricks, the aside (écart) and, with Garde sans, the dog count. The Excuse is never
// lost.
TEST(Source002Practice2, PlayedDealsAreCountedByHonours) {
  Rng rng(2);
  for (int round = 0; round < 200; ++round) {
    Deal deal = RandomDeal(Named("booklet_practice2"), 4, rng);
    Take(deal, static_cast<Contract>(1 + round % 4));
    ToFirstCard(deal);
    PlayOut(deal, round % 2 == 0 ? Cards("EX") : CardSet{}, rng);
    CardSet won = WonByAttack(deal) - Cards("EX");
    const Trick* with_excuse = TrickOf(deal, kExcuse);
    const bool excuse = with_excuse != nullptr ? PlayerOf(deal, *with_excuse, kExcuse) == deal.taker
                                               : deal.contract == Contract::kGardeSans;
    if (excuse) won.Insert(kExcuse);
    const int contracts[] = {12, 10, 8, 7};
    const int points = PointsIn(won);
    const bool made = points >= contracts[(won & CardSet::Bouts()).Size()];
    const int multiplier = static_cast<int>(deal.contract);
    for (Seat seat = 0; seat < 4; ++seat) {
      const int expected = seat != deal.taker ? 0 : (made ? points : -points) * multiplier;
      EXPECT_EQ(deal.result.scores[static_cast<std::size_t>(seat)], expected);
    }
  }
}

// Source 002 says: "(taker's difference + 25) x value of the bid"; "If the taker won, they gain
// positive round points. If they failed, they gain negative round points." The booklet has not
// explained any bonus yet.
TEST(Source002Practice3, OnlyTheTakerScores) {
  ScoreInput input{.contract = Contract::kGarde,
                   .bouts = 1,
                   .attack_half_points = 2 * 55,
                   .petit_au_bout = 1,
                   .slam = SlamOutcome::kUnannouncedMade};
  const Score won = ComputeScore(Named("booklet_practice3"), input);
  EXPECT_EQ(won.taker, 58) << "the example of page 23";
  EXPECT_EQ(won.defender, 0);
  input.attack_half_points = 2 * 45;
  EXPECT_EQ(ComputeScore(Named("booklet_practice3"), input).taker, -62);
}

// Practice games 2 and 3 have no handfuls and no slams, because source 002 explains handfuls and
// slams on later pages.
TEST(Source002Practice3, AsksForNoHandfulAndNoSlam) {
  for (const char* set : {"booklet_practice2", "booklet_practice3"}) {
    Deal deal = DealWith(set, 4, kPlainDog, {Cards("T2-19")});
    Take(deal, Contract::kGardeSans);
    EXPECT_EQ(deal.phase, Phase::kPlaying) << set;
    EXPECT_EQ(ListLegal(deal).handful_cards, CardSet{}) << set;
  }
}

}  // namespace
}  // namespace tarot::rules
