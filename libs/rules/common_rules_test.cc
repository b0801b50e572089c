// Tests the rules that all sources share. Each test runs with every number of players, under every
// rule set that has the tested rule. Each source_*_test.cc covers the other rules of one source.
#include <functional>
#include <string>
#include <vector>

#include "libs/rules/deck.h"
#include "libs/rules/testing/test_table.h"
#include "libs/rules/view.h"

namespace tarot::rules {
namespace {

// One case: a rule set and a number of players.
struct Game {
  const NamedRuleSet* named;
  int players;

  const RuleSet& rules() const { return named->rules; }
  const char* set() const { return named->name.data(); }
  int playing() const { return rules().Playing(players); }
};

std::vector<Game> GamesWhere(const std::function<bool(const Game&)>& wanted) {
  std::vector<Game> games;
  for (const NamedRuleSet& named : RuleSets()) {
    for (int players = named.rules.players_min; players <= named.rules.players_max; ++players) {
      const Game game{&named, players};
      if (wanted(game)) games.push_back(game);
    }
  }
  return games;
}

bool HasTaker(const Game& game) { return game.rules().teams == Teams::kTakerAgainstDefence; }
bool HasAuction(const Game& game) {
  return HasTaker(game) && game.rules().taker_by == TakerBy::kAuction;
}
bool HasNormalScore(const Game& game) { return game.rules().scoring == Scoring::kNormal; }
bool HasCall(const Game& game) { return HasAuction(game) && game.playing() == 5; }

std::string NameOf(const testing::TestParamInfo<Game>& game) {
  return absl::StrCat(game.param.set(), "_", game.param.players);
}

class GameTest : public testing::TestWithParam<Game> {
 protected:
  const RuleSet& rules() const { return GetParam().rules(); }
  int players() const { return GetParam().players; }
  int playing() const { return GetParam().playing(); }

  CardSet Playable(const char* hand, std::initializer_list<const char*> table) const {
    return MayPlay(GetParam().set(), hand, table, players());
  }
  static CardSet First(CardSet cards, int count) {
    CardSet first;
    for (const Card card : cards) {
      if (first.Size() < count) first.Insert(card);
    }
    return first;
  }
  // Returns a dog of low spades.
  CardSet PlainDog() const {
    return First(CardSet::OfSuit(Suit::kSpades), rules().DogSize(players()));
  }
  // Starts a deal in which the last seat deals. Seat 0 gets the first set of `given`, seat 1 the
  // second, and so on. With TakerBy::kBoard, seat 0 is the taker.
  Deal Start(CardSet dog, std::initializer_list<CardSet> given) const {
    std::array<CardSet, kPlayersMax> hands;
    CardSet left = CardSet::All() - dog;
    std::size_t at = 0;
    for (const CardSet cards : given) left -= hands[at++] = cards;
    for (std::size_t seat = 0; seat < static_cast<std::size_t>(playing()); ++seat) {
      const CardSet more = First(left, rules().HandSize(players()) - hands[seat].Size());
      hands[seat] |= more;
      left -= more;
    }
    const bool board = rules().taker_by == TakerBy::kBoard;
    return StartDeal(rules(), players(), players() - 1, hands, dog, board ? 0 : kNoSeat);
  }
  // Makes seat 0 take with `contract`. Stops before the écart, or before the first card if the
  // contract has no écart.
  void SeatZeroTakes(Deal& deal, Contract contract) const {
    if (deal.phase == Phase::kBidding) Take(deal, contract);
    while (deal.phase == Phase::kCalling || deal.phase == Phase::kSlam) {
      const LegalActions legal = ListLegal(deal);
      if (deal.phase == Phase::kSlam) {
        Do(deal, Action::Slam(false));
      } else {
        Do(deal, Action::Call(legal.calls.Empty() ? kNoCard : legal.calls.First()));
      }
    }
  }
};

// These tests cover sections 3 and 9 of docs/rules.md: the deal and the play.
class CommonPlayTest : public GameTest {};
INSTANTIATE_TEST_SUITE_P(RuleSets, CommonPlayTest,
                         testing::ValuesIn(GamesWhere([](const Game&) { return true; })), NameOf);

TEST_P(CommonPlayTest, EachHandAndTheDogHaveTheirSizes) {
  const int hand[] = {24, 18, 15};
  const int dog[] = {6, 6, 3};
  const auto at = static_cast<std::size_t>(playing() - kPlayersMin);
  const Seat dealer = players() - 1;
  const DealtCards dealt = DealOut(rules(), players(), dealer, OrderedPack());
  for (Seat seat = 0; seat < players(); ++seat) {
    const bool sits_out = playing() < players() && seat == dealer;
    EXPECT_EQ(dealt.hands[static_cast<std::size_t>(seat)].Size(), sits_out ? 0 : hand[at]) << seat;
  }
  EXPECT_EQ(dealt.dog.Size(), dog[at]);
}

TEST_P(CommonPlayTest, TheFirstPacketGoesToTheSeatAfterTheDealer) {
  const int packet = playing() == 3 ? 4 : 3;
  const DealtCards dealt = DealOut(rules(), players(), players() - 1, OrderedPack());
  for (int i = 0; i < packet; ++i) EXPECT_TRUE(dealt.hands[0].Contains(CardAt(i)));
  EXPECT_FALSE(dealt.hands[0].Contains(CardAt(packet)));
}

TEST_P(CommonPlayTest, FollowsTheSuitLed) {
  EXPECT_EQ(Playable("H2 H13 T5 C4", {"H9"}), Cards("H2 H13"));
}

TEST_P(CommonPlayTest, TrumpsWithoutTheSuitLed) {
  EXPECT_EQ(Playable("T5 T9 C4 D14", {"H9"}), Cards("T5 T9"));
  EXPECT_EQ(Playable("T5 T9 T12 C4", {"H9", "T10"}), Cards("T12")) << "overtrumps";
  EXPECT_EQ(Playable("T5 T9 C4", {"H9", "T10"}), Cards("T5 T9")) << "undertrumps";
}

TEST_P(CommonPlayTest, PlaysAnyCardWithoutSuitAndTrumps) {
  EXPECT_EQ(Playable("C4 D14", {"H9"}), Cards("C4 D14"));
  EXPECT_EQ(Playable("C4 D14", {"H9", "T10"}), Cards("C4 D14"));
  EXPECT_EQ(Playable("D2 C4", {"T8"}), Cards("D2 C4"));
}

TEST_P(CommonPlayTest, OvertrumpsWhenTrumpsAreLed) {
  EXPECT_EQ(Playable("T5 T9 T12 C4", {"T8"}), Cards("T9 T12"));
  EXPECT_EQ(Playable("T5 T9 C4", {"T8", "T15"}), Cards("T5 T9"));
}

TEST_P(CommonPlayTest, TheExcuseMayAlwaysBePlayed) {
  EXPECT_EQ(Playable("H2 C4 EX", {"H9"}), Cards("H2 EX"));
  EXPECT_EQ(Playable("T12 C4 EX", {"H9", "T10"}), Cards("T12 EX"));
}

TEST_P(CommonPlayTest, AfterAnExcuseLedTheNextCardSetsTheSuit) {
  EXPECT_EQ(Playable("H2 T5 C4", {"EX"}), Cards("H2 T5 C4"));
  EXPECT_EQ(Playable("H2 T5 C4", {"EX", "C9"}), Cards("C4"));
  EXPECT_EQ(Playable("H2 T5 T9 C4", {"EX", "T7"}), Cards("T9"));
}

TEST_P(CommonPlayTest, TheSeatAfterTheDealerLeadsAndThenTheWinnerOfEachTrick) {
  Rng rng(3);
  for (int round = 0; round < 20; ++round) {
    Deal deal = RandomDeal(rules(), players(), rng);
    while (deal.phase != Phase::kDone) Do(deal, RandomAction(deal, rng));
    if (deal.result.outcome != Outcome::kScored) continue;
    const bool announcer = deal.slam_announced && rules().slam_announcer_leads;
    EXPECT_EQ(TrickAt(deal, 0).leader, announcer ? deal.taker : deal.Next(deal.dealer));
    for (int i = 1; i < deal.trick_count; ++i) {
      EXPECT_EQ(TrickAt(deal, i).leader, TrickAt(deal, i - 1).winner);
    }
  }
}

// These tests cover sections 3 and 4 of docs/rules.md: the petit sec and the auction.
class CommonAuctionTest : public GameTest {};
INSTANTIATE_TEST_SUITE_P(RuleSets, CommonAuctionTest, testing::ValuesIn(GamesWhere(HasAuction)),
                         NameOf);

TEST_P(CommonAuctionTest, EachSeatBidsOnceAndHigherFromTheSeatAfterTheDealer) {
  Deal deal = Start(PlainDog(), {});
  EXPECT_EQ(deal.turn, deal.Next(deal.dealer));
  Do(deal, Action::Bid(Contract::kGarde));
  EXPECT_EQ(WhyNot(deal, Action::Bid(Contract::kPrise)), Reason::kBidTooLow);
  EXPECT_EQ(WhyNot(deal, Action::Bid(Contract::kGarde)), Reason::kBidTooLow);
  Do(deal, Action::Bid(Contract::kGardeSans));
  for (int seat = 2; seat < playing(); ++seat) Do(deal, Action::Bid(Contract::kPass));
  EXPECT_NE(deal.phase, Phase::kBidding) << "no seat bids twice";
  EXPECT_EQ(deal.taker, 1);
  EXPECT_EQ(deal.contract, Contract::kGardeSans);
}

TEST_P(CommonAuctionTest, ADealThatAllSeatsPassScoresNothing) {
  Deal deal = Start(PlainDog(), {});
  for (int seat = 0; seat < playing(); ++seat) Do(deal, Action::Bid(Contract::kPass));
  EXPECT_EQ(deal.result.outcome, Outcome::kAllPassed);
  for (const int score : deal.result.scores) EXPECT_EQ(score, 0);
}

TEST_P(CommonAuctionTest, APetitSecCancelsTheDealWhereTheRuleSetSaysSo) {
  const auto start = [&](CardSet trumps) {
    const CardSet suits = CardSet::OfSuit(Suit::kHearts) | CardSet::OfSuit(Suit::kDiamonds);
    const int size = rules().HandSize(players()) - trumps.Size();
    return Start(PlainDog(), {First(suits, size) | trumps});
  };
  const bool cancels = rules().petit_sec == PetitSec::kCancelsDeal;
  const Deal cancelled = start(Cards("T1"));
  EXPECT_EQ(cancelled.result.outcome, cancels ? Outcome::kPetitSec : Outcome::kNone);
  if (cancels) {
    const DealResult shown = MakeView(cancelled, 2).result;
    EXPECT_EQ(shown.petit_sec_seat, 0);
    EXPECT_EQ(shown.petit_sec_hand, cancelled.hands[0]);
  }
  EXPECT_EQ(start(Cards("T1 EX")).phase, Phase::kBidding);
  EXPECT_EQ(start(Cards("T1 T2")).phase, Phase::kBidding);
}

// This test covers section 10 of docs/rules.md: the Excuse before the last trick.
TEST_P(CommonAuctionTest, TheExcuseStaysWithItsCampForAHalfPointCard) {
  for (const bool of_taker : {true, false}) {
    const Deal deal =
        PlayedDealWhere(GetParam().set(), players(), Contract::kGarde, CardSet{},
                        [&](const Deal& d) { return ExcuseCrosses(d, of_taker, /*last=*/false); });
    const CardSet won = WonByAttack(deal);
    const int sign = of_taker ? 1 : -1;
    const int given = rules().ExcuseIsPaid(players()) ? 1 : 0;
    EXPECT_EQ(deal.result.bouts, (won & CardSet::Bouts()).Size() + sign);
    EXPECT_EQ(deal.result.attack_half_points, HalfPoints(won) + sign * (9 - given));
  }
}

// These tests cover sections 4 and 6 of docs/rules.md: the dog and the écart.
class CommonDogTest : public GameTest {};
INSTANTIATE_TEST_SUITE_P(RuleSets, CommonDogTest, testing::ValuesIn(GamesWhere(HasTaker)), NameOf);

TEST_P(CommonDogTest, AfterAGardeEverySeatSeesTheDogAndTheTakerTakesIt) {
  const CardSet dog = PlainDog();
  Deal deal = Start(dog, {Cards("T8-18 H14")});
  SeatZeroTakes(deal, Contract::kGarde);
  ASSERT_EQ(deal.phase, Phase::kDiscarding);
  for (Seat seat = 0; seat < players(); ++seat) EXPECT_EQ(MakeView(deal, seat).dog, dog);
  EXPECT_TRUE(deal.hands[0].ContainsAll(dog));
  EXPECT_EQ(ListLegal(deal).discard_count, dog.Size());
  Do(deal, Action::Discard(dog));
  EXPECT_EQ(WhyNot(deal, Action::Discard(dog)), Reason::kWrongPhase) << "it stays as it is";
  for (Seat seat = kNoSeat; seat < players(); ++seat) {
    EXPECT_EQ(MakeView(deal, seat).discard, CardSet{}) << "the écart is closed to every seat";
  }
  EXPECT_EQ(RememberedView(deal, 0).discard, dog) << "a bot in the taker's seat remembers it";
  EXPECT_EQ(RememberedView(deal, 1).discard, CardSet{});
}

TEST_P(CommonDogTest, TheDogIsOpenUntilTheFirstCardIsPlayed) {
  const CardSet dog = PlainDog();
  Deal deal = Start(dog, {Cards("T8-18 H14")});
  SeatZeroTakes(deal, Contract::kGarde);
  ToFirstCard(deal);
  for (Seat seat = kNoSeat; seat < players(); ++seat) EXPECT_EQ(MakeView(deal, seat).dog, dog);
  Do(deal, Action::Play(ListLegal(deal).cards.First()));
  for (Seat seat = kNoSeat; seat < players(); ++seat) {
    EXPECT_EQ(MakeView(deal, seat).dog, CardSet{});
    EXPECT_EQ(RememberedView(deal, seat).dog, dog);
  }
}

TEST_P(CommonDogTest, KingsAndBoutsNeverGoIntoTheEcart) {
  const CardSet dog = PlainDog();
  const CardSet rest = dog - CardSet{dog.First()};
  Deal deal = Start(dog, {Cards("T8-17 T21 H14")});
  SeatZeroTakes(deal, Contract::kGarde);
  EXPECT_EQ(WhyNot(deal, Action::Discard(rest | Cards("H14"))), Reason::kDiscardKing);
  EXPECT_EQ(WhyNot(deal, Action::Discard(rest | Cards("T21"))), Reason::kDiscardBout);
  EXPECT_EQ(WhyNot(deal, Action::Discard(rest)), Reason::kDiscardCount);
  const bool free = rules().trump_discard == TrumpDiscard::kFree;
  EXPECT_EQ(WhyNot(deal, Action::Discard(rest | Cards("T8"))),
            free ? Reason::kOk : Reason::kDiscardTrump);
}

TEST_P(CommonDogTest, TrumpsThatMustGoIntoTheEcartAreShown) {
  if (rules().trump_discard == TrumpDiscard::kFree || playing() == 3) return;
  const CardSet dog = First(Cards("S1 T2-6"), rules().DogSize(players()));
  const int kings = rules().HandSize(players()) - 14;
  Deal deal = Start(dog, {Cards("T8-21") | First(CardSet::Kings(), kings)});
  SeatZeroTakes(deal, Contract::kGarde);
  Do(deal, Action::Discard(dog));
  for (Seat seat = 1; seat < players(); ++seat) {
    EXPECT_EQ(MakeView(deal, seat).discard_shown, dog & CardSet::AllTrumps());
    EXPECT_EQ(MakeView(deal, seat).discard, CardSet{});
  }
}

// The test plays the same cards with Garde sans and with Garde contre. Only the camp that gets the
// dog differs.
TEST_P(CommonDogTest, TheUnseenDogCountsForTheTakerOrForTheDefence) {
  if (!rules().AllowsBid(Contract::kGardeContre)) return;
  const CardSet dog = First(Cards("S13 H13 T21 S1-3"), rules().DogSize(players()));
  std::vector<DealResult> results;
  for (const Contract contract : {Contract::kGardeSans, Contract::kGardeContre}) {
    Deal deal = Start(dog, {Cards("T10-20 D14")});
    SeatZeroTakes(deal, contract);
    ASSERT_EQ(deal.phase, Phase::kPlaying) << "there is no écart";
    for (Seat seat = 0; seat < players(); ++seat) EXPECT_EQ(MakeView(deal, seat).dog, CardSet{});
    PlayHighest(deal, CardSet{});
    results.push_back(deal.result);
  }
  EXPECT_EQ(results[0].attack_half_points - results[1].attack_half_points, HalfPoints(dog));
  EXPECT_EQ(results[0].bouts - results[1].bouts, (dog & CardSet::Bouts()).Size());
}

// These tests cover sections 1, 8 and 12 of docs/rules.md: thresholds, handfuls and shares.
class CommonScoreTest : public GameTest {};
INSTANTIATE_TEST_SUITE_P(RuleSets, CommonScoreTest, testing::ValuesIn(GamesWhere(HasNormalScore)),
                         NameOf);

TEST_P(CommonScoreTest, BoutsSetTheThresholdWhateverTheBid) {
  const int points[] = {56, 51, 41, 36};
  for (int bouts = 0; bouts <= 3; ++bouts) {
    for (int bid = 1; bid <= 4; ++bid) {
      ScoreInput input{.players = playing(),
                       .contract = static_cast<Contract>(bid),
                       .bouts = bouts,
                       .attack_half_points = 2 * points[bouts]};
      EXPECT_TRUE(ComputeScore(rules(), input).won);
      EXPECT_EQ(ComputeScore(rules(), input).difference, 0);
      --input.attack_half_points;
      EXPECT_FALSE(ComputeScore(rules(), input).won);
    }
  }
}

TEST_P(CommonScoreTest, HandfulsGrowWithTheHands) {
  const int sizes[3][3] = {{13, 15, 18}, {10, 13, 15}, {8, 10, 13}};
  for (int level = 1; level <= 3; ++level) {
    EXPECT_EQ(rules().HandfulSize(players(), level), sizes[playing() - 3][level - 1]);
  }
}

TEST_P(CommonScoreTest, EachDefenderPaysTheTakerAndAPartnerGetsAThird) {
  ScoreInput input{.players = playing(), .bouts = 2, .attack_half_points = 82, .petit_au_bout = 1};
  input.attack_handfuls[1] = 1;
  const Score alone = ComputeScore(rules(), input);
  EXPECT_EQ(alone.defender, -alone.unit);
  EXPECT_EQ(alone.taker, (playing() - 1) * alone.unit);
  if (playing() != 5) return;
  input.has_partner = true;
  const Score team = ComputeScore(rules(), input);
  EXPECT_EQ(team.unit, alone.unit);
  EXPECT_EQ(team.taker, 2 * team.unit);
  EXPECT_EQ(team.partner, team.unit);
  EXPECT_EQ(team.defender, -team.unit);
}

// These tests cover section 5 of docs/rules.md: the call.
class CommonCallTest : public GameTest {};
INSTANTIATE_TEST_SUITE_P(RuleSets, CommonCallTest, testing::ValuesIn(GamesWhere(HasCall)), NameOf);

TEST_P(CommonCallTest, AKingInTheDogLeavesTheTakerAlone) {
  Deal deal = Start(Cards("S14 H1-2"), {Cards("T2-14 H14 D14")});
  Take(deal, Contract::kGarde);
  if (deal.phase == Phase::kSlam) Do(deal, Action::Slam(false));
  ASSERT_EQ(deal.phase, Phase::kCalling);
  EXPECT_EQ(MakeView(deal, 0).dog, CardSet{}) << "the call comes before the dog is shown";
  Do(deal, Action::Call(CardOf("S14")));
  EXPECT_EQ(deal.partner, kNoSeat);
}

TEST_P(CommonCallTest, ThePartnerStaysSecretUntilTheCalledCardFalls) {
  Deal deal = Start(Cards("S1-3"), {Cards("T2-14 H14 D14"), Cards("S14 T15-21 H1-7")});
  Take(deal, Contract::kGardeSans);
  if (deal.phase == Phase::kSlam) Do(deal, Action::Slam(false));
  Do(deal, Action::Call(CardOf("S14")));
  ToFirstCard(deal);
  EXPECT_EQ(deal.partner, 1);
  for (const Seat seat : {0, 2, 3, 4}) EXPECT_EQ(MakeView(deal, seat).partner, kNoSeat);
  EXPECT_EQ(MakeView(deal, 1).partner, 1);
  Do(deal, Action::Play(CardOf("T2")));
  while (deal.turn != 1 || deal.trick_count == 1) {
    Do(deal, Action::Play(deal.turn == 1 ? CardOf("T15") : ListLegal(deal).cards.First()));
  }
  Do(deal, Action::Play(CardOf("S14")));
  for (Seat seat = 0; seat < 5; ++seat) EXPECT_EQ(MakeView(deal, seat).partner, 1);
}

}  // namespace
}  // namespace tarot::rules
