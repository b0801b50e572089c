#include "libs/ai/analysis/reasons.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "libs/ai/analysis/seat_facts.h"
#include "libs/ai/arena.h"
#include "libs/rules/testing/test_table.h"

namespace tarot::ai {
namespace {

using rules::Action;
using rules::Card;
using rules::CardOf;
using rules::Cards;
using rules::CardSet;
using rules::Contract;
using rules::Deal;
using rules::Seat;
using rules::View;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using Kind = ReasonKind;

struct PastTrick {
  Seat leader = 0;
  const char* cards = "";
};

// A position of four players under `fft`. Seat 0 is in turn to play a card, and seat 3 has dealt.
struct Position {
  const char* hand = "";   // Cards of seat 0. MakeView() adds low cards of spades and diamonds.
  const char* table = "";  // The cards of the trick, in the order of play. Seat 0 plays next.
  Seat taker = 1;
  std::vector<PastTrick> past;
};

std::vector<Card> InOrder(const char* text) {
  std::vector<Card> cards;
  for (const absl::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    cards.push_back(CardOf(std::string(word).c_str()));
  }
  return cards;
}

rules::Trick TrickFrom(Seat leader, const char* text) {
  rules::Trick trick{.leader = leader};
  for (const Card card : InOrder(text)) {
    trick.cards[static_cast<std::size_t>(trick.size++)] = card;
  }
  return trick;
}

View MakeView(const Position& position) {
  View view;
  view.rules = rules::Named("fft");
  view.dealer = 3;
  view.phase = rules::Phase::kPlaying;
  view.viewer = view.turn = 0;
  view.taker = position.taker;
  view.contract = Contract::kGarde;
  view.dog = Cards("C8-10 D8-10");
  // The taker knows the whole écart.
  if (position.taker == 0) view.discard = view.dog;
  CardSet gone = view.dog;
  for (const PastTrick& past : position.past) {
    rules::Trick trick = TrickFrom(past.leader, past.cards);
    trick.winner = (trick.leader + rules::WinningPosition({trick.cards.data(), 4})) % 4;
    for (const Card card : InOrder(past.cards)) gone.Insert(card);
    view.tricks[static_cast<std::size_t>(view.trick_count++)] = trick;
  }
  const rules::Trick table = TrickFrom(0, position.table);
  view.tricks[static_cast<std::size_t>(view.trick_count)] =
      TrickFrom((4 - table.size) % 4, position.table);
  ++view.trick_count;
  for (const Card card : InOrder(position.table)) gone.Insert(card);
  view.hand = Cards(position.hand);
  const int size = 19 - view.trick_count;
  for (const Card card : Cards("S1-10 D1-7") - gone) {
    if (view.hand.Size() < size) view.hand.Insert(card);
  }
  EXPECT_EQ(view.hand.Size(), size);
  for (Seat seat = 0; seat < 4; ++seat) {
    const bool has_played = seat > 3 - table.size;
    view.hand_counts[static_cast<std::size_t>(seat)] = has_played ? size - 1 : size;
  }
  return view;
}

// The caller of FindReasons() knows these facts besides the view.
struct More {
  ContractChance played_chance = {};
  ContractChance better_chance = {};
  std::optional<SampledEvents> events = std::nullopt;
  std::array<CardSet, rules::kPlayersMax> hands = {};
  std::optional<int> open_cost = std::nullopt;
  bool slam_made = false;
};

// A chance, in thousandths, from so many worlds that its errors are small.
ContractChance Sure(int made) { return {.made = made, .error = 10, .difference_error = 10}; }

std::vector<Reason> Find(const View& view, const Action& played, const Action& better,
                         const More& more = {}) {
  return FindReasons({.view = view,
                      .played = played,
                      .better = better,
                      .played_chance = more.played_chance,
                      .better_chance = more.better_chance,
                      .events = more.events,
                      .hands = more.hands,
                      .open_cost = more.open_cost,
                      .slam_made = more.slam_made});
}

std::vector<Reason> Find(const Position& position, const char* played, const char* better,
                         const More& more = {}) {
  return Find(MakeView(position), Action::Play(CardOf(played)), Action::Play(CardOf(better)), more);
}

std::vector<Kind> Kinds(const std::vector<Reason>& reasons) {
  std::vector<Kind> kinds;
  for (const Reason& reason : reasons) kinds.push_back(reason.kind);
  return kinds;
}

std::vector<Kind> Kinds(const Position& position, const char* played, const char* better,
                        const More& more = {}) {
  return Kinds(Find(position, played, better, more));
}

TEST(ReasonsTest, AnHonourIsGivenToALostTrick) {
  const auto reasons = Find({.hand = "H4 H12", .table = "H14 H2 H3"}, "H12", "H4");
  ASSERT_THAT(Kinds(reasons), ElementsAre(Kind::kPointsGiven));
  EXPECT_EQ(reasons[0].card, CardOf("H12"));
  EXPECT_EQ(reasons[0].other_card, CardOf("H4"));
  EXPECT_EQ(reasons[0].number, 5);
  EXPECT_EQ(reasons[0].better_number, 1);
  // Seat 1, a partner of seat 0 in the defence, plays later and may trump.
  EXPECT_THAT(Kinds({.hand = "H4 H12", .table = "H3 H14", .taker = 3}, "H12", "H4"), IsEmpty());
  // No card beats the 21.
  EXPECT_THAT(Kinds({.hand = "H4 H12", .table = "H3 T21", .taker = 3}, "H12", "H4"),
              ElementsAre(Kind::kPointsGiven));
  // A partner wins the trick.
  EXPECT_THAT(Kinds({.hand = "H4 H12", .table = "H14 H2 H3", .taker = 2}, "H12", "H4"), IsEmpty());
}

TEST(ReasonsTest, ThePetitIsGivenToALostTrick) {
  EXPECT_THAT(Kinds({.hand = "T1 T2", .table = "T15 T3 T4"}, "T1", "T2"),
              ElementsAre(Kind::kPetitGiven));
  EXPECT_THAT(Kinds({.hand = "T1 T2", .table = "T15 T3 T4", .taker = 2}, "T1", "T2"), IsEmpty());
}

TEST(ReasonsTest, TheExcuseSavesAnHonour) {
  EXPECT_THAT(Kinds({.hand = "H13 EX", .table = "H14 H2 H3"}, "H13", "EX"),
              ElementsAre(Kind::kExcuseSaves));
  EXPECT_THAT(Kinds({.hand = "T4 EX", .table = "T20 T2 T3"}, "T4", "EX"),
              ElementsAre(Kind::kExcuseSaves));
  EXPECT_THAT(Kinds({.hand = "T4 EX", .table = "T20 T2 T3", .taker = 2}, "T4", "EX"), IsEmpty())
      << "a partner wins";
  EXPECT_THAT(Kinds({.hand = "H11 EX", .table = "H14 H2 H3"}, "H11", "EX"), IsEmpty())
      << "a Jack is not worth the Excuse";
}

TEST(ReasonsTest, AnHonourBelongsOnASafeTrick) {
  const auto reasons = Find({.hand = "H4 H13", .table = "H14 H2 H3", .taker = 2}, "H4", "H13");
  ASSERT_THAT(Kinds(reasons), ElementsAre(Kind::kPointsMissed));
  EXPECT_EQ(reasons[0].number, 1);
  EXPECT_EQ(reasons[0].better_number, 7);
  // The taker plays last and may trump.
  EXPECT_THAT(Kinds({.hand = "H4 H13", .table = "H14 H2", .taker = 1}, "H4", "H13"), IsEmpty());
  EXPECT_THAT(Kinds({.hand = "T21 T16", .table = "T15 T3 T4", .taker = 2}, "T16", "T21"), IsEmpty())
      << "the 21 brings its points in any trick";
}

TEST(ReasonsTest, ThePetitBelongsOnASafeTrick) {
  EXPECT_THAT(Kinds({.hand = "T1 T2", .table = "T15 T3 T4", .taker = 2}, "T2", "T1"),
              ElementsAre(Kind::kPetitMissed));
  EXPECT_THAT(Kinds({.hand = "T1 T2", .table = "T15 T3 T4", .taker = 1}, "T2", "T1"), IsEmpty());
}

TEST(ReasonsTest, ALowerTrumpDoesTheSame) {
  EXPECT_THAT(Kinds({.hand = "T9 T4", .table = "H5 T2 H9", .taker = 2}, "T9", "T4"),
              ElementsAre(Kind::kTrumpTooHigh));
  EXPECT_THAT(Kinds({.hand = "T9 T4", .table = "T20 T2 T3", .taker = 1}, "T9", "T4"),
              ElementsAre(Kind::kTrumpTooHigh))
      << "both lose";
  // The taker plays last and may beat the lower trump.
  EXPECT_THAT(Kinds({.hand = "T9 T4", .table = "H5 T2", .taker = 1}, "T9", "T4"), IsEmpty());
  // Only the higher trump wins.
  EXPECT_THAT(Kinds({.hand = "T9 T4", .table = "H5 T6 H9", .taker = 2}, "T9", "T4"), IsEmpty());
}

TEST(ReasonsTest, TheTrickOfAPartnerIsTaken) {
  const auto reasons = Find({.hand = "H4 H13", .table = "H12 H2 H3", .taker = 2}, "H13", "H4");
  ASSERT_THAT(Kinds(reasons), ElementsAre(Kind::kPartnerTaken));
  EXPECT_EQ(reasons[0].seat, 1);
  EXPECT_EQ(reasons[0].other_card, CardOf("H12"));
  EXPECT_THAT(Kinds({.hand = "H4 H13", .table = "H12 H2 H3", .taker = 1}, "H13", "H4"), IsEmpty())
      << "the taker was winning";
  EXPECT_THAT(Kinds({.hand = "H4 H13", .table = "H12 H2", .taker = 1}, "H13", "H4"), IsEmpty())
      << "the taker could still win";
}

TEST(ReasonsTest, TheHighestTrumpIsSpentEarly) {
  auto reasons = Find({.hand = "T21 T5"}, "T21", "S1");
  ASSERT_THAT(Kinds(reasons), ElementsAre(Kind::kTopTrumpEarly));
  EXPECT_FALSE(reasons[0].number.has_value());
  // The taker plays later, so the lower trump may lose.
  reasons = Find({.hand = "T21 T5", .table = "H3", .taker = 1}, "T21", "T5");
  ASSERT_THAT(Kinds(reasons), ElementsAre(Kind::kTopTrumpEarly));
  EXPECT_EQ(reasons[0].number, 1);
  EXPECT_THAT(Kinds({.hand = "T20 T5"}, "T20", "S1"), IsEmpty()) << "the 21 is out";
  EXPECT_THAT(Kinds({.hand = "T20 T21"}, "T20", "S1"), ElementsAre(Kind::kTopTrumpEarly));
  EXPECT_THAT(Kinds({.hand = "T21 T5", .table = "H14", .taker = 1}, "T21", "T5"), IsEmpty())
      << "the trick has points";
}

// In trick 1, seat 2 trumps a heart. In trick 2, seat 0 wins with the King of clubs.
const std::vector<PastTrick> kTakerTrumpsHearts = {{0, "H3 H5 T3 H6"}, {2, "C3 C4 C14 C6"}};
// In trick 1, seat 2 has no heart and no trump.
const std::vector<PastTrick> kTakerHasNoTrump = {{0, "H3 H5 D1 H6"}, {1, "C3 C4 C5 C14"}};

TEST(ReasonsTest, ASeatHasShownAVoid) {
  const Position trumps{.hand = "H14 H4", .taker = 2, .past = kTakerTrumpsHearts};
  auto reasons = Find(trumps, "H14", "H4");
  ASSERT_THAT(Kinds(reasons), ElementsAre(Kind::kSuitRuffed));
  EXPECT_EQ(reasons[0].seat, 2);
  EXPECT_EQ(reasons[0].suit, rules::Suit::kHearts);
  EXPECT_EQ(reasons[0].trick, 1);
  reasons = Find(trumps, "S1", "H4");
  ASSERT_THAT(Kinds(reasons), ElementsAre(Kind::kForcesTrump));
  EXPECT_EQ(reasons[0].seat, 2);
  const Position none{.hand = "H14 H4", .taker = 2, .past = kTakerHasNoTrump};
  EXPECT_THAT(Kinds(none, "H14", "H4"), IsEmpty());
  EXPECT_THAT(Kinds(none, "S1", "H4"), IsEmpty());
  // Seat 2 is a partner in the defence.
  const Position partner{.hand = "H14 H4", .taker = 3, .past = kTakerTrumpsHearts};
  EXPECT_THAT(Kinds(partner, "H14", "H4"), IsEmpty());
  EXPECT_THAT(Kinds(partner, "S1", "H4"), IsEmpty());
  // The King of seat 3 beats the Queen already, so the void of seat 2 explains nothing.
  const Position beaten{.hand = "H13 H4", .table = "H14", .taker = 0, .past = kTakerTrumpsHearts};
  EXPECT_THAT(Kinds(beaten, "H13", "H4"), ElementsAre(Kind::kPointsGiven));
}

TEST(ReasonsTest, TheExcuseIsPlayedEarly) {
  const auto reasons = Find({.hand = "H4 H13 EX", .table = "H14 H2"}, "EX", "H4");
  ASSERT_THAT(Kinds(reasons), ElementsAre(Kind::kExcuseEarly));
  EXPECT_EQ(reasons[0].number, 16);
  EXPECT_THAT(Kinds({.hand = "H4 H13 EX", .table = "H14 H2"}, "EX", "H13"), IsEmpty());
}

// Plays random deals. Where a seat has two cards and the Excuse is one of them, the reason must be
// given if and only if the other camp has won a trick.
TEST(ReasonsTest, TheExcuseIsLostInTheLastTrick) {
  Rng rng(5);
  int given = 0;
  for (int i = 0; i < 300; ++i) {
    Deal deal = ai::RandomDeal(rules::Named("fft"), 4, rng);
    rules::Take(deal, Contract::kGarde);
    rules::ToFirstCard(deal);
    while (deal.phase == rules::Phase::kPlaying) {
      const CardSet hand = deal.hands[static_cast<std::size_t>(deal.turn)];
      const CardSet legal = ListLegal(deal).cards;
      const CardSet spare = legal - Cards("EX");
      const Card card = rules::Pick(spare.Empty() ? legal : spare, rng);
      if (hand.Size() <= 3 && hand.Contains(rules::kExcuse) && card != rules::kExcuse) {
        const View view = RememberedView(deal, deal.turn);
        bool lost_one = false;
        for (int k = 0; k + 1 < deal.trick_count; ++k) {
          const Seat winner = rules::TrickAt(deal, k).winner;
          lost_one |= deal.InAttack(winner) != deal.InAttack(deal.turn);
        }
        const auto kinds = Kinds(Find(view, Action::Play(card), Action::Play(rules::kExcuse)));
        const bool says = std::count(kinds.begin(), kinds.end(), Kind::kExcuseLost) > 0;
        const bool due = hand.Size() == 2 && lost_one;
        EXPECT_TRUE(!says || due);
        // At most three reasons fit.
        EXPECT_TRUE(says || !due || kinds.size() == 3);
        given += says ? 1 : 0;
      }
      rules::Do(deal, Action::Play(card));
    }
  }
  EXPECT_GT(given, 50);
}

SampledEvents Events(EventShares played, EventShares better) {
  return {.shares = {played, better}};
}

TEST(ReasonsTest, AHigherCardIsStillOut) {
  const More lost{.events = Events({.trick = 300}, {.trick = 400})};
  const auto reasons = Find({.hand = "H12 H4"}, "H12", "H4", lost);
  ASSERT_THAT(Kinds(reasons), ElementsAre(Kind::kHigherOut));
  EXPECT_EQ(reasons[0].other_card, CardOf("H14"));
  EXPECT_EQ(reasons[0].number, 700);
  EXPECT_THAT(Kinds({.hand = "H12 H4"}, "H12", "H4", {.events = Events({.trick = 600}, {})}),
              IsEmpty())
      << "the Knight wins more often than not";
  EXPECT_THAT(Kinds({.hand = "H12 H4"}, "H12", "H4"), IsEmpty()) << "nothing was sampled";
  const auto trump = Find({.hand = "T19 T4"}, "T19", "S1", lost);
  ASSERT_THAT(Kinds(trump), ElementsAre(Kind::kHigherOut));
  EXPECT_EQ(trump[0].other_card, CardOf("T21"));
}

TEST(ReasonsTest, TrumpsAreStillOut) {
  const More lost{.events = Events({.trick = 400}, {.trick = 450})};
  const auto reasons = Find({.hand = "H14 H4 T2-6"}, "H14", "H4", lost);
  ASSERT_THAT(Kinds(reasons), ElementsAre(Kind::kTrumpsOut));
  EXPECT_EQ(reasons[0].trumps, 16);
  EXPECT_EQ(reasons[0].number, 600);
  EXPECT_THAT(Kinds({.hand = "H14 H4"}, "H14", "S1", {.events = Events({.trick = 600}, {})}),
              IsEmpty());
}

TEST(ReasonsTest, ThePetitIsInDanger) {
  const Position position{.hand = "T1 T9"};
  const More danger{.events = Events({.petit_lost = 600}, {.petit_lost = 400})};
  const auto reasons = Find(position, "T9", "S1", danger);
  ASSERT_THAT(Kinds(reasons), ElementsAre(Kind::kPetitDanger));
  EXPECT_EQ(reasons[0].number, 600);
  EXPECT_EQ(reasons[0].better_number, 400);
  EXPECT_THAT(
      Kinds(position, "T9", "S1", {.events = Events({.petit_lost = 500}, {.petit_lost = 405})}),
      IsEmpty())
      << "the samples do not tell the shares apart";
  EXPECT_THAT(
      Kinds(position, "T9", "S1", {.events = Events({.petit_lost = 400}, {.petit_lost = 600})}),
      IsEmpty())
      << "the played card is safer";
}

TEST(ReasonsTest, ThePetitCouldBeCaughtOrBroughtToTheEnd) {
  const Position position{.hand = "T21 T9"};
  EXPECT_THAT(
      Kinds(position, "S1", "T9", {.events = Events({.petit_caught = 100}, {.petit_caught = 300})}),
      ElementsAre(Kind::kPetitCatch));
  EXPECT_THAT(
      Kinds(position, "S1", "T9", {.events = Events({.petit_caught = 300}, {.petit_caught = 300})}),
      IsEmpty());
  EXPECT_THAT(
      Kinds(position, "S1", "T9", {.events = Events({.petit_last = 100}, {.petit_last = 300})}),
      ElementsAre(Kind::kPetitLast));
  EXPECT_THAT(
      Kinds(position, "S1", "T9", {.events = Events({.petit_last = 200}, {.petit_last = 300})}),
      IsEmpty());
}

TEST(ReasonsTest, TheTrickIsWonMoreOften) {
  const Position position{.hand = "H14 H4", .table = "H2"};
  EXPECT_THAT(Kinds(position, "H4", "H14", {.events = Events({.trick = 300}, {.trick = 800})}),
              ElementsAre(Kind::kTrickChance));
  EXPECT_THAT(Kinds(position, "H4", "H14", {.events = Events({.trick = 700}, {.trick = 800})}),
              IsEmpty());
}

TEST(ReasonsTest, TheContractDependsOnTheCard) {
  const More more{.played_chance = Sure(400), .better_chance = Sure(600)};
  const Position taker{.hand = "S1 H4", .taker = 0};
  const Position defender{.hand = "S1 H4", .taker = 1};
  const auto reasons = Find(taker, "S1", "S2", more);
  ASSERT_THAT(Kinds(reasons), ElementsAre(Kind::kContractChance));
  EXPECT_EQ(reasons[0].number, 400);
  EXPECT_THAT(Kinds(defender, "S1", "S2", more), IsEmpty()) << "a defender wants it to fail";
  EXPECT_THAT(Kinds(defender, "S1", "S2", {.played_chance = Sure(600), .better_chance = Sure(400)}),
              ElementsAre(Kind::kContractChance));
  EXPECT_THAT(Kinds(taker, "S1", "S2", {.played_chance = Sure(400), .better_chance = Sure(440)}),
              IsEmpty());
}

TEST(ReasonsTest, ADifferenceOfChancesFromFewWorldsIsNoReason) {
  const Position taker{.hand = "S1 H4", .taker = 0};
  More more{.played_chance = Sure(400), .better_chance = Sure(600)};
  more.played_chance.difference_error = 66;
  EXPECT_THAT(Kinds(taker, "S1", "S2", more), ElementsAre(Kind::kContractChance));
  more.played_chance.difference_error = 67;
  EXPECT_THAT(Kinds(taker, "S1", "S2", more), IsEmpty());
  more.played_chance.difference_error = std::nullopt;
  EXPECT_THAT(Kinds(taker, "S1", "S2", more), IsEmpty()) << "fewer than twenty worlds";
}

TEST(ReasonsTest, TheCardBringsMorePoints) {
  const Position position{.hand = "S1 H4"};
  More more{.events = SampledEvents{.difference = 280, .difference_error = 90}};
  const auto reasons = Find(position, "S1", "H4", more);
  ASSERT_THAT(Kinds(reasons), ElementsAre(Kind::kCardPoints));
  EXPECT_EQ(reasons[0].number, 14);
  more.events->difference_error = 95;
  EXPECT_THAT(Kinds(position, "S1", "H4", more), IsEmpty()) << "the samples are too few";
  more.events = SampledEvents{.difference = 90, .difference_error = 10};
  EXPECT_THAT(Kinds(position, "S1", "H4", more), IsEmpty()) << "less than half a point";
  more.events = Events({.petit_lost = 600}, {.petit_lost = 400});
  more.events->difference = 280;
  EXPECT_THAT(Kinds(position, "S1", "H4", more), ElementsAre(Kind::kPetitDanger));
}

TEST(ReasonsTest, SaysWhatOnlyTheTrueCardsShow) {
  More more;
  more.hands[2] = Cards("T3 S5");
  const auto reasons = Find({.hand = "H14 H4", .taker = 2}, "H14", "H4", more);
  ASSERT_THAT(Kinds(reasons), ElementsAre(Kind::kRuffedOpen));
  EXPECT_EQ(reasons[0].seat, 2);
  EXPECT_EQ(reasons[0].suit, rules::Suit::kHearts);
  more.hands[2] = Cards("T3 H5");
  EXPECT_THAT(Kinds({.hand = "H14 H4", .taker = 2}, "H14", "H4", more), IsEmpty());
  more.hands[2] = Cards("S5");
  EXPECT_THAT(Kinds({.hand = "H14 H4", .taker = 2}, "H14", "H4", more), IsEmpty());
  const Position taker{.hand = "S1 H4", .taker = 0};
  More made{.played_chance = Sure(400), .better_chance = Sure(600), .open_cost = 0};
  EXPECT_THAT(Kinds(taker, "S1", "S2", made), ElementsAre(Kind::kContractChance, Kind::kFreeOpen));
  made.open_cost = 100;
  EXPECT_THAT(Kinds(taker, "S1", "S2", made), ElementsAre(Kind::kContractChance));
  EXPECT_THAT(Kinds(taker, "S1", "S2", {.open_cost = 0}), IsEmpty()) << "no other reason";
}

TEST(ReasonsTest, BidsGiveTheChanceOfTheContract) {
  View view;
  view.rules = rules::Named("fft");
  view.viewer = view.turn = 0;
  view.hand = Cards("T4-21");
  const Action pass = Action::Bid(Contract::kPass);
  const Action garde = Action::Bid(Contract::kGarde);
  const auto reasons = Find(view, pass, garde, {.better_chance = Sure(700)});
  ASSERT_THAT(Kinds(reasons), ElementsAre(Kind::kContractChance));
  EXPECT_FALSE(reasons[0].number.has_value());
  EXPECT_EQ(reasons[0].better_number, 700);
  EXPECT_THAT(Kinds(Find(view, garde, pass)), IsEmpty()) << "the chance is unknown";
  const auto with_error = [&](std::optional<int> error) {
    return Kinds(Find(view, pass, garde, {.better_chance = {.made = 700, .error = error}}));
  };
  EXPECT_THAT(with_error(50), ElementsAre(Kind::kContractChance));
  EXPECT_THAT(with_error(51), IsEmpty()) << "too few worlds";
  EXPECT_THAT(with_error(std::nullopt), IsEmpty()) << "fewer than twenty worlds";
}

TEST(ReasonsTest, TheSlamWasThere) {
  View view;
  view.rules = rules::Named("fft");
  view.phase = rules::Phase::kSlam;
  view.viewer = view.turn = view.taker = 0;
  view.contract = Contract::kGarde;
  view.hand = Cards("T4-21");
  const Action no = Action::Slam(false);
  const Action yes = Action::Slam(true);
  EXPECT_THAT(Kinds(Find(view, no, yes)), ElementsAre(Kind::kSlamCertain));
  EXPECT_THAT(Kinds(Find(view, yes, no)), IsEmpty());
  view.hand = Cards("T3-20");
  EXPECT_THAT(Kinds(Find(view, no, yes)), IsEmpty()) << "the 21 is missing";
  EXPECT_THAT(Kinds(Find(view, no, yes, {.slam_made = true})), ElementsAre(Kind::kSlamOpen));
}

TEST(ReasonsTest, TheHandfulPays) {
  View view = MakeView({.hand = "T2-12", .taker = 0});
  const Action handful = Action::Handful(Cards("T2-11"));
  const Action card = Action::Play(CardOf("S1"));
  auto reasons = Find(view, card, handful, {.played_chance = Sure(700)});
  ASSERT_THAT(Kinds(reasons), ElementsAre(Kind::kHandful));
  EXPECT_EQ(reasons[0].trumps, 10);
  EXPECT_EQ(reasons[0].points, 20);
  EXPECT_EQ(reasons[0].number, 700);
  EXPECT_THAT(Kinds(Find(view, card, handful, {.played_chance = Sure(520)})), IsEmpty());
  EXPECT_THAT(Kinds(Find(view, card, handful)), IsEmpty()) << "the chance is unknown";
  const ContractChance few_worlds{.made = 700, .error = 67};
  EXPECT_THAT(Kinds(Find(view, card, handful, {.played_chance = few_worlds})), IsEmpty());
  reasons = Find(view, handful, card, {.better_chance = Sure(300)});
  ASSERT_THAT(Kinds(reasons), ElementsAre(Kind::kHandful));
  EXPECT_EQ(reasons[0].number, 300);
  EXPECT_THAT(Kinds(Find(view, handful, card, {.better_chance = Sure(700)})), IsEmpty());
}

TEST(ReasonsTest, TheBetterEcartMakesAVoidOrSavesPoints) {
  View view;
  view.rules = rules::Named("fft");
  view.phase = rules::Phase::kDiscarding;
  view.viewer = view.turn = view.taker = 0;
  view.contract = Contract::kGarde;
  view.hand = Cards("T1-10 S1-4 H1-3 H13 D1-3 C1-3");
  const auto discard = [](const char* cards) { return Action::Discard(Cards(cards)); };
  auto reasons = Find(view, discard("S1-4 D1 C1"), discard("D1-3 C1-3"));
  ASSERT_THAT(Kinds(reasons), ElementsAre(Kind::kDiscardVoid));
  EXPECT_EQ(reasons[0].suit, rules::Suit::kClubs);
  EXPECT_THAT(Kinds(Find(view, discard("D1-3 C1-3"), discard("S1-4 C1-2"))), IsEmpty())
      << "the played écart has more voids";
  reasons = Find(view, discard("D1-3 C1-3"), discard("D1-3 C1-2 H13"));
  ASSERT_THAT(Kinds(reasons), ElementsAre(Kind::kDiscardPoints));
  EXPECT_EQ(reasons[0].number, 6);
  EXPECT_EQ(reasons[0].better_number, 12);
  reasons = Find(view, discard("H1-3 D1-3"), discard("C1-3 D1-3"));
  ASSERT_THAT(Kinds(reasons), Contains(Kind::kDiscardBare));
  EXPECT_EQ(reasons[0].card, CardOf("H13"));
  EXPECT_THAT(Kinds(Find(view, discard("H1-2 D1-3 C1"), discard("C1-3 D1-3"))),
              Not(Contains(Kind::kDiscardBare)))
      << "the Queen keeps one guard";
}

TEST(ReasonsTest, TheBetterCallHelpsAQueen) {
  View view;
  view.rules = rules::Named("fft");
  view.players = view.playing = 5;
  view.phase = rules::Phase::kCalling;
  view.viewer = view.turn = view.taker = 0;
  view.contract = Contract::kGarde;
  view.hand = Cards("T9-16 H13 H2 H3 S14 D2 C2 C3");
  const auto call = [](const char* card) { return Action::Call(CardOf(card)); };
  const auto reasons = Find(view, call("D14"), call("H14"));
  ASSERT_THAT(Kinds(reasons), ElementsAre(Kind::kCallQueen));
  EXPECT_EQ(reasons[0].other_card, CardOf("H13"));
  EXPECT_THAT(Kinds(Find(view, call("H14"), call("D14"))), IsEmpty());
  EXPECT_THAT(Kinds(Find(view, call("S14"), call("D14"))), ElementsAre(Kind::kCallOwn));
  EXPECT_THAT(Kinds(Find(view, call("D14"), call("C14"))), IsEmpty());
}

TEST(ReasonsTest, AtMostThreeReasonsAreGiven) {
  More more{.played_chance = Sure(600),
            .better_chance = Sure(400),
            .events = Events({.petit_lost = 600}, {.petit_last = 900}),
            .open_cost = 0};
  EXPECT_EQ(Find({.hand = "H4 H12", .table = "H14 H2 H3"}, "H12", "H4", more).size(), 3u);
}

TEST(ReasonsTest, DescribesAHand) {
  const HandFacts facts = FactsOf(Cards("T1-7 T21 EX S14 S2-6 H14 D1 D2"));
  EXPECT_EQ(facts.trumps, 8);
  EXPECT_EQ(facts.bouts, Cards("T1 T21 EX"));
  EXPECT_EQ(facts.kings, 2);
  EXPECT_THAT(facts.lengths, ElementsAre(6, 1, 2, 0));
}

// Returns the camp that wins the trick in play if the seat in turn plays `card` and the later seats
// play random legal cards.
bool AttackWinsTrick(Deal deal, Card card, Rng& rng) {
  const int trick = deal.trick_count - 1;
  rules::Do(deal, Action::Play(card));
  while (rules::TrickAt(deal, trick).winner == rules::kNoSeat) {
    rules::Do(deal, Action::Play(rules::Pick(ListLegal(deal).cards, rng)));
  }
  return deal.InAttack(rules::TrickAt(deal, trick).winner);
}

// Plays random deals. If the facts say that a camp is certain to win a trick, this camp must win it
// in the real deal, whatever the later seats play.
TEST(SeatFactsTest, CertainTricksAreCertain) {
  Rng rng(9);
  int certain = 0, shown = 0;
  for (int i = 0; i < 120; ++i) {
    const int players = 3 + i % 3;
    Deal deal = ai::RandomDeal(rules::Named("fft"), players, rng);
    rules::Take(deal, Contract::kGarde);
    rules::ToFirstCard(deal);
    while (deal.phase == rules::Phase::kPlaying) {
      const View view = RememberedView(deal, deal.turn);
      const std::optional<Knowledge> knowledge = Know(view);
      ASSERT_TRUE(knowledge.has_value());
      const SeatFacts facts(view, *knowledge);
      const bool attacks = deal.InAttack(deal.turn);
      for (Seat seat = 0; seat < players; ++seat) {
        const SeatFacts::Camp camp = facts.CampOf(seat);
        if (camp == SeatFacts::Camp::kUnknown) continue;
        EXPECT_EQ(camp == SeatFacts::Camp::kOwn, deal.InAttack(seat) == attacks);
        for (const rules::Suit suit : {rules::Suit::kSpades, rules::Suit::kHearts}) {
          if (facts.VoidShown(seat, suit) == 0) continue;
          ++shown;
          const CardSet hand = deal.hands[static_cast<std::size_t>(seat)];
          EXPECT_TRUE((hand & CardSet::OfSuit(suit)).Empty());
        }
      }
      // In the last trick of a slam, the Excuse may win.
      const CardSet legal = ListLegal(deal).cards;
      for (const Card card : legal - (view.hand.Size() == 1 ? Cards("EX") : CardSet())) {
        const SeatFacts::Camp camp = facts.WinnerAfter(card);
        if (camp == SeatFacts::Camp::kUnknown) continue;
        ++certain;
        EXPECT_EQ(camp == SeatFacts::Camp::kOwn, AttackWinsTrick(deal, card, rng) == attacks);
      }
      rules::Do(deal, Action::Play(rules::Pick(legal, rng)));
    }
  }
  EXPECT_GT(certain, 3000);
  EXPECT_GT(shown, 3000);
}

TEST(SeatFactsTest, TheTakerKnowsNoPartnerBeforeTheCallIsShown) {
  Rng rng(2);
  Deal deal = ai::RandomDeal(rules::Named("fft"), 5, rng);
  while (deal.partner == rules::kNoSeat || deal.turn != deal.taker ||
         deal.phase != rules::Phase::kPlaying) {
    deal = ai::RandomDeal(rules::Named("fft"), 5, rng);
    rules::Take(deal, Contract::kGarde);
    rules::ToFirstCard(deal);
  }
  const View view = RememberedView(deal, deal.taker);
  const std::optional<Knowledge> knowledge = Know(view);
  const SeatFacts facts(view, *knowledge);
  EXPECT_EQ(facts.CampOf(deal.taker), SeatFacts::Camp::kOwn);
  EXPECT_EQ(facts.CampOf(deal.partner), SeatFacts::Camp::kUnknown);
}

TEST(SeatFactsTest, EverySeatKnowsThatACalledCardOfTheDogHasNoPartner) {
  Rng rng(3);
  Deal deal = ai::RandomDeal(rules::Named("fft"), 5, rng);
  while (deal.phase != rules::Phase::kPlaying || !deal.dog.Contains(deal.called_card)) {
    deal = ai::RandomDeal(rules::Named("fft"), 5, rng);
    rules::Take(deal, Contract::kGarde);
    rules::ToFirstCard(deal);
  }
  // The taker leads, and then a defender is in turn.
  rules::Do(deal, Action::Play(rules::Pick(ListLegal(deal).cards, rng)));
  ASSERT_NE(deal.turn, deal.taker);
  const View view = RememberedView(deal, deal.turn);
  const std::optional<Knowledge> knowledge = Know(view);
  ASSERT_TRUE(knowledge.has_value());
  const SeatFacts facts(view, *knowledge);
  for (Seat seat = 0; seat < 5; ++seat) {
    EXPECT_EQ(facts.CampOf(seat),
              seat == deal.taker ? SeatFacts::Camp::kOther : SeatFacts::Camp::kOwn);
  }
}

TEST(EventsTest, CountsWhatHappensAfterACard) {
  // The 21 wins every trick. If the taker leads the Petit, another seat beats it.
  const View view = MakeView({.hand = "T21 T1 T20", .taker = 0});
  const std::optional<Knowledge> knowledge = Know(view);
  ASSERT_TRUE(knowledge.has_value());
  const auto events = SampleEvents(view, *knowledge, CardOf("T21"), CardOf("T1"), Rng(1));
  EXPECT_EQ(events.shares[0].trick, 1000);
  EXPECT_EQ(events.shares[1].trick, 0);
  EXPECT_EQ(events.shares[1].petit_lost, 1000);
  EXPECT_LT(events.shares[0].petit_lost, 1000);
  EXPECT_LT(events.difference, 0) << "the Petit goes with its trick";
  EXPECT_EQ(events.shares[0].petit_caught, 0) << "the own Petit cannot be caught";
}

}  // namespace
}  // namespace tarot::ai
