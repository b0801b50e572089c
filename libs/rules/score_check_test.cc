// Tests that CheckScoreInput() and ScorePlay() accept the sheet of every real deal, and refuse
// sheets that no deal can give.
#include "libs/rules/score_check.h"

#include <algorithm>

#include "libs/base/error.h"
#include "libs/rules/score_play.h"
#include "libs/rules/testing/random_rules.h"
#include "libs/rules/testing/test_table.h"

namespace tarot::rules {
namespace {

// Returns the numbers of a played deal, as players write them down.
ScoreInput NumbersOf(const Deal& deal) {
  ScoreInput numbers{.players = deal.playing,
                     .contract = deal.contract,
                     .bouts = deal.result.bouts,
                     .attack_half_points = deal.result.attack_half_points,
                     .honours = deal.result.honours,
                     .petit_au_bout = deal.result.petit_au_bout,
                     .slam = deal.result.slam,
                     .has_partner = deal.partner != kNoSeat};
  for (int i = 0; i < deal.handful_count; ++i) {
    const ShownHandful& shown = deal.handfuls[static_cast<std::size_t>(i)];
    const bool attack = deal.InAttack(shown.seat);
    auto& camp = attack ? numbers.attack_handfuls : numbers.defence_handfuls;
    ++camp[static_cast<std::size_t>(shown.level)];
  }
  return numbers;
}

// Returns the sheet of a played deal, with all its cards.
PlayedDeal SheetOf(const Deal& deal) {
  PlayedDeal sheet{.rules = deal.rules,
                   .players = deal.players,
                   .taker = deal.taker,
                   .partner = deal.partner,
                   .called_card = deal.called_card,
                   .contract = deal.contract,
                   .counted_apart = deal.DogShown() ? deal.discard : deal.dog,
                   .slam_announced = deal.slam_announced};
  for (int i = 0; i < deal.trick_count; ++i) {
    const Trick& trick = TrickAt(deal, i);
    PlayedDeal::PlayedTrick& out = sheet.tricks.emplace_back();
    out.leader = trick.leader;
    for (int at = 0; at < trick.size; ++at) {
      const Card card = trick.cards[static_cast<std::size_t>(at)];
      out.cards.push_back(card);
      sheet.hands[static_cast<std::size_t>(deal.After(trick.leader, at))].Insert(card);
    }
  }
  for (int i = 0; i < deal.handful_count; ++i) {
    const ShownHandful& shown = deal.handfuls[static_cast<std::size_t>(i)];
    sheet.handfuls.push_back({.seat = shown.seat, .level = shown.level});
  }
  return sheet;
}

// Deals random cards. If `strong` is true, one seat gets most of the high cards, which makes slams
// likely.
Deal AnyDeal(const RuleSet& rules, int players, bool strong, Rng& rng) {
  if (!strong) return RandomDeal(rules, players, rng);
  const Seat dealer = rng.Below(players);
  const Seat sits_out = rules.Playing(players) < players ? dealer : kNoSeat;
  Seat lucky = rng.Below(players);
  if (lucky == sits_out) lucky = (lucky + 1) % players;
  std::array<CardSet, kPlayersMax> hands;
  CardSet rest = CardSet::All();
  const auto give = [&](CardSet& to, CardSet from, int size) {
    while (to.Size() < size && !from.Empty()) {
      const Card card = Pick(from, rng);
      to.Insert(card);
      from.Erase(card);
      rest.Erase(card);
    }
  };
  CardSet& best = hands[static_cast<std::size_t>(lucky)];
  const int size = rules.HandSize(players);
  give(best, Cards("T9-21 EX T1"), std::min(size, 8 + rng.Below(7)));
  give(best, CardSet::Kings() | Cards("S13 H13"), std::min(size, best.Size() + rng.Below(5)));
  for (Seat seat = 0; seat < players; ++seat) {
    if (seat != sits_out) give(hands[static_cast<std::size_t>(seat)], rest, size);
  }
  const Seat taker = rules.taker_by == TakerBy::kBoard ? lucky : kNoSeat;
  return StartDeal(rules, players, dealer, hands, rest, taker);
}

// Plays a deal to its end. If `high` is true, each seat plays its highest legal card, but plays the
// Excuse and the Petit only if it has no other legal card.
void PlayAll(Deal& deal, bool high, Rng& rng) {
  while (deal.phase != Phase::kDone) {
    Action action = RandomAction(deal, rng);
    if (high && action.kind == Action::Kind::kPlay) {
      const CardSet cards = ListLegal(deal).cards;
      const CardSet spare = cards - Cards("EX T1");
      action = Action::Play((spare.Empty() ? cards : spare).Last());
    }
    ASSERT_TRUE(Apply(deal, deal.turn, action).ok());
  }
}

// The kinds of deals that a test has seen.
struct Seen {
  int scored = 0, slams = 0, handfuls = 0, petits = 0;
};

void ExpectAccepted(const RuleSet& rules, int players, std::uint64_t seed, Seen& seen) {
  Rng rng(seed);
  Deal deal = AnyDeal(rules, players, seed % 2 == 1, rng);
  ASSERT_NO_FATAL_FAILURE(PlayAll(deal, seed % 4 != 0, rng));
  if (deal.result.outcome != Outcome::kScored) return;
  ++seen.scored;
  seen.slams += deal.result.slam != SlamOutcome::kNone ? 1 : 0;
  seen.handfuls += deal.handful_count;
  seen.petits += deal.result.petit_au_bout != 0 ? 1 : 0;
  const absl::StatusOr<Deal> played = ScorePlay(SheetOf(deal));
  ASSERT_TRUE(played.ok()) << played.status();
  ASSERT_EQ(played->result.scores, deal.result.scores);
  if (rules.teams == Teams::kEveryoneAlone) return;
  const absl::Status numbers = CheckScoreInput(rules, players, NumbersOf(deal));
  ASSERT_TRUE(numbers.ok()) << numbers;
}

TEST(ScoreCheckTest, AcceptsTheSheetOfEveryRealDealOfEveryRuleSet) {
  Seen seen;
  for (const NamedRuleSet& named : RuleSets()) {
    for (int players = named.rules.players_min; players <= named.rules.players_max; ++players) {
      for (std::uint64_t seed = 0; seed < 400; ++seed) {
        SCOPED_TRACE(testing::Message() << named.name << " n=" << players << " seed=" << seed);
        ASSERT_NO_FATAL_FAILURE(ExpectAccepted(named.rules, players, seed, seen));
      }
    }
  }
  EXPECT_GT(seen.scored, 5000);
  EXPECT_GT(seen.slams, 500);
  EXPECT_GT(seen.handfuls, 1000);
  EXPECT_GT(seen.petits, 1000);
}

TEST(ScoreCheckTest, AcceptsTheSheetOfEveryRealDealOfCustomRuleSets) {
  Seen seen;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    Rng rng(seed);
    const RuleSet rules = RandomRuleSet(rng);
    const int players = rules.players_min + rng.Below(rules.players_max - rules.players_min + 1);
    SCOPED_TRACE(testing::Message() << RuleSetText(rules) << " n=" << players << " seed=" << seed);
    ASSERT_NO_FATAL_FAILURE(ExpectAccepted(rules, players, seed, seen));
  }
  EXPECT_GT(seen.slams, 100);
}

// Returns the field for which the numbers are refused, or "" if they are accepted.
std::string WrongField(const char* set, int players, const ScoreInput& numbers) {
  return GetErrorDetails(CheckScoreInput(Named(set), players, numbers)).metadata["field"];
}

TEST(ScoreCheckTest, RefusesPointsThatTheBoutsForbid) {
  const auto field = [](int players, int bouts, int half_points) {
    return WrongField("fft", players,
                      {.players = players, .bouts = bouts, .attack_half_points = half_points});
  };
  EXPECT_EQ(field(4, 2, 82), "");
  EXPECT_EQ(field(4, 2, 83), "attack_half_points") << "odd half points with four players";
  EXPECT_EQ(field(3, 2, 83), "");
  EXPECT_EQ(field(5, 2, 83), "");
  EXPECT_EQ(field(4, 3, 30), "attack_half_points") << "three bouts alone are worth 27";
  EXPECT_EQ(field(4, 3, 36), "");
  EXPECT_EQ(field(4, 0, 170), "attack_half_points") << "the defence has three bouts";
  EXPECT_EQ(field(4, 0, 4), "attack_half_points") << "the écart alone is worth 6";
  EXPECT_EQ(field(4, 1, 182), "attack_half_points");
}

TEST(ScoreCheckTest, RefusesSlamsThatThePointsForbid) {
  const auto field = [](const char* set, SlamOutcome slam, int bouts, int half_points) {
    return WrongField(set, 4, {.bouts = bouts, .attack_half_points = half_points, .slam = slam});
  };
  EXPECT_EQ(field("fft", SlamOutcome::kUnannouncedMade, 3, 182), "");
  EXPECT_EQ(field("fft", SlamOutcome::kUnannouncedMade, 2, 174), "") << "without the Excuse";
  EXPECT_EQ(field("fft", SlamOutcome::kAnnouncedMade, 2, 100), "slam");
  EXPECT_EQ(field("fft", SlamOutcome::kAnnouncedMade, 3, 178), "slam");
  EXPECT_EQ(field("booklet", SlamOutcome::kAnnouncedMade, 2, 160), "") << "one trick is lost";
  EXPECT_EQ(field("booklet", SlamOutcome::kAnnouncedMade, 2, 100), "slam");
  EXPECT_EQ(field("fft", SlamOutcome::kNone, 3, 182), "slam") << "all points need a slam";
  EXPECT_EQ(field("fft", SlamOutcome::kDefence, 0, 20), "");
  EXPECT_EQ(field("fft", SlamOutcome::kDefence, 2, 100), "slam");
  EXPECT_EQ(field("fft", SlamOutcome::kAnnouncedFailedDefence, 1, 100), "slam");
  EXPECT_EQ(field("booklet_practice3", SlamOutcome::kAnnouncedFailed, 2, 82), "slam");
}

TEST(ScoreCheckTest, ASheetMayLeaveOutASlamThatIsWorthNothing) {
  const auto field = [](const char* set, SlamOutcome slam, int bouts, int half_points) {
    return WrongField(set, 4, {.bouts = bouts, .attack_half_points = half_points, .slam = slam});
  };
  EXPECT_EQ(field("booklet_practice3", SlamOutcome::kNone, 3, 178), "") << "this game has no bonus";
  for (const char* set : {"club", "webguide", "preneur", "booklet"}) {
    EXPECT_EQ(field(set, SlamOutcome::kNone, 0, 6), "") << set;
    EXPECT_EQ(field(set, SlamOutcome::kDefence, 0, 6), "") << set;
  }
  EXPECT_EQ(field("booklet", SlamOutcome::kAnnouncedFailed, 0, 6), "");
  EXPECT_EQ(field("booklet", SlamOutcome::kNone, 3, 178), "slam") << "this slam has points";
  EXPECT_EQ(field("fft", SlamOutcome::kNone, 0, 6), "slam");
  EXPECT_EQ(field("fft", SlamOutcome::kAnnouncedFailed, 0, 6), "slam");
}

// If the Excuse never wins and is never lost, a lone taker with three bouts has lost the trick of
// the own Excuse. This trick has three other cards, and the taker gave one card for the Excuse.
TEST(ScoreCheckTest, RefusesAllPointsForALoneTakerWhoseExcuseLostItsTrick) {
  const auto field = [](const char* set, ScoreInput numbers) {
    numbers.bouts = 3;
    numbers.attack_half_points = numbers.attack_half_points == 0 ? 182 : numbers.attack_half_points;
    return WrongField(set, numbers.players, numbers);
  };
  const SlamOutcome made = SlamOutcome::kUnannouncedMade;
  for (const int players : {3, 4, 5}) {
    EXPECT_EQ(field("booklet", {.players = players, .slam = made}), "attack_half_points");
    EXPECT_EQ(field("booklet_practice3", {.players = players}), "attack_half_points");
    EXPECT_EQ(field("booklet_practice2", {.players = players, .honours = 19}),
              "attack_half_points");
  }
  EXPECT_EQ(field("booklet", {.attack_half_points = 178, .slam = made}), "");
  EXPECT_EQ(field("booklet", {.contract = Contract::kGardeContre, .slam = made}),
            "attack_half_points")
      << "the dog is the defence's, so the Excuse was in the taker's hand";
  EXPECT_EQ(field("booklet", {.contract = Contract::kGardeSans, .slam = made}), "")
      << "the Excuse may be in the dog";
  EXPECT_EQ(field("booklet", {.players = 5, .slam = made, .has_partner = true}), "")
      << "the partner may win the trick of the taker's Excuse";
  EXPECT_EQ(field("booklet_customs", {.slam = made}), "")
      << "a defender may lose the Excuse in the last trick";
  EXPECT_EQ(field("fft", {.slam = made}), "") << "the Excuse may win the last trick";
}

TEST(ScoreCheckTest, NamesThePetitThatDoesNotFitTheSlam) {
  ScoreInput numbers{.bouts = 2,
                     .attack_half_points = 174,
                     .petit_au_bout = -1,
                     .slam = SlamOutcome::kAnnouncedMade};
  EXPECT_EQ(WrongField("fft", 4, numbers), "petit_au_bout") << "the defence wins no trick";
  numbers.petit_au_bout = 1;
  EXPECT_EQ(WrongField("fft", 4, numbers), "");
}

TEST(ScoreCheckTest, RefusesOtherNumbersThatNoDealGives) {
  const ScoreInput good{.bouts = 2, .attack_half_points = 82};
  const auto with = [&](auto change) {
    ScoreInput numbers = good;
    change(numbers);
    return numbers;
  };
  EXPECT_EQ(WrongField("fft", 4, good), "");
  EXPECT_EQ(
      WrongField("fft_duplicate", 4, with([](ScoreInput& n) { n.contract = Contract::kPrise; })),
      "contract");
  const auto petit = [&](int camp, int bouts) {
    return WrongField("fft", 4, with([&](ScoreInput& n) {
                        n.petit_au_bout = camp;
                        n.bouts = bouts;
                      }));
  };
  EXPECT_EQ(petit(1, 1), "");
  // CheckScoreInput() accepts the Petit au bout for an attack that has no bout, because the test
  // vectors in tests/data/vectors have such a sheet.
  EXPECT_EQ(petit(1, 0), "");
  EXPECT_EQ(petit(-1, 2), "");
  EXPECT_EQ(petit(-1, 3), "petit_au_bout") << "the attack has the Petit";
  const auto handfuls = [&](const char* set, std::array<int, 4> attack,
                            std::array<int, 4> defence) {
    return WrongField(set, 4, with([&](ScoreInput& n) {
                        n.attack_handfuls = attack;
                        n.defence_handfuls = defence;
                      }));
  };
  EXPECT_EQ(handfuls("fft", {0, 1, 0, 0}, {0, 1, 0, 0}), "");
  EXPECT_EQ(handfuls("fft", {0, 1, 1, 0}, {}), "attack_handfuls") << "more than one of a hand";
  EXPECT_EQ(handfuls("fft", {}, {0, 4, 0, 0}), "defence_handfuls") << "three defenders";
  EXPECT_EQ(handfuls("fft", {0, 0, 1, 0}, {0, 1, 0, 0}), "") << "23 trumps, as in a vector";
  EXPECT_EQ(handfuls("booklet", {0, 0, 1, 0}, {0, 1, 0, 0}), "defence_handfuls")
      << "23 trumps, and the Excuse may not stand for one";
  EXPECT_EQ(handfuls("fft", {0, 1, 0, 0}, {0, 0, 1, 0}), "defence_handfuls") << "23 trumps";
  EXPECT_EQ(handfuls("fft", {}, {0, 0, 2, 0}), "defence_handfuls") << "26 trumps";
  EXPECT_EQ(handfuls("fft", {0, 0, 0, 1}, {0, 0, 0, 1}), "defence_handfuls") << "30 trumps";
  EXPECT_EQ(handfuls("webguide", {0, 1, 0, 0}, {}), "attack_handfuls");
}

TEST(ScoreCheckTest, RefusesHandfulsWhoseTrumpsMustWinMoreTricks) {
  ScoreInput numbers{.bouts = 3, .attack_half_points = 182, .slam = SlamOutcome::kUnannouncedMade};
  numbers.defence_handfuls = {0, 1, 0, 0};
  EXPECT_EQ(WrongField("fft", 4, numbers), "") << "ten trumps need win no trick";
  numbers.defence_handfuls = {0, 0, 0, 1};
  EXPECT_EQ(WrongField("fft", 4, numbers), "defence_handfuls") << "fifteen trumps win tricks";
  numbers = {.bouts = 0, .attack_half_points = 6, .slam = SlamOutcome::kDefence};
  numbers.attack_handfuls = {0, 1, 0, 0};
  EXPECT_EQ(WrongField("fft", 4, numbers), "");
  numbers.attack_handfuls = {0, 0, 0, 1};
  EXPECT_EQ(WrongField("fft", 4, numbers), "attack_handfuls");
}

// With four players, CheckScoreInput() accepts handfuls of 23 trumps, which two test vectors have.
// With three or five players, it refuses all handfuls that have more trumps than the pack.
TEST(ScoreCheckTest, RefusesMoreTrumpsThanThePackForEachNumberOfPlayers) {
  ScoreInput three{.players = 3, .bouts = 2, .attack_half_points = 82};
  three.attack_handfuls = three.defence_handfuls = {0, 1, 0, 0};
  EXPECT_EQ(WrongField("fft", 3, three), "defence_handfuls") << "26 trumps";
  ScoreInput five{.players = 5, .bouts = 2, .attack_half_points = 82, .has_partner = true};
  five.attack_handfuls = {0, 2, 0, 0};
  EXPECT_EQ(WrongField("fft", 5, five), "") << "16 trumps";
  five.defence_handfuls = {0, 1, 0, 0};
  EXPECT_EQ(WrongField("fft", 5, five), "defence_handfuls") << "24 trumps";
  five.attack_handfuls = {0, 0, 1, 1};
  five.defence_handfuls = {};
  EXPECT_EQ(WrongField("fft", 5, five), "attack_handfuls") << "23 trumps";
}

TEST(ScoreCheckTest, NamesTheNearestPointsThatADealCanGive) {
  const auto text = [](int half_points) {
    return GetErrorDetails(
               CheckScoreInput(Named("fft"), 4, {.bouts = 3, .attack_half_points = half_points}))
        .metadata["description"];
  };
  EXPECT_EQ(text(180), "at most 178 or at least 182 with 3 bouts and this contract");
  EXPECT_EQ(text(30), "at least 34 with 3 bouts and this contract");
}

// Practice game 2 counts no card points, so the sheet may have none.
TEST(ScoreCheckTest, TheSecondPracticeGameNeedsHonoursAndNoPoints) {
  const auto field = [](int bouts, int honours, int half_points) {
    return WrongField("booklet_practice2", 4,
                      {.bouts = bouts, .attack_half_points = half_points, .honours = honours});
  };
  EXPECT_EQ(field(2, 11, 0), "");
  EXPECT_EQ(field(2, 18, 0), "");
  EXPECT_EQ(field(2, 19, 0), "honours") << "there are 16 court cards";
  EXPECT_EQ(field(3, 2, 0), "honours") << "fewer than the bouts";
  EXPECT_EQ(field(2, 10, 100), "");
  EXPECT_EQ(field(2, 10, 91), "attack_half_points") << "odd half points with four players";
  EXPECT_EQ(field(3, 10, 4), "attack_half_points") << "three bouts alone are worth 27";
}

// Returns a deal of four players in which the taker, seat 0, has laid aside low hearts.
PlayedDeal GoodSheet() {
  Deal deal = DealWith("fft", 4, Cards("H1-6"), {Cards("T8-21 S14 H14 D14 C14")});
  Take(deal, Contract::kGarde);
  ToFirstCard(deal);
  PlayHighest(deal, CardSet());
  return SheetOf(deal);
}

std::string WrongField(const PlayedDeal& sheet) {
  return GetErrorDetails(ScorePlay(sheet).status()).metadata["field"];
}

TEST(ScorePlayCheckTest, RefusesHandfulsThatTheHandDoesNotHave) {
  const PlayedDeal good = GoodSheet();
  EXPECT_TRUE(ScorePlay(good).ok()) << ScorePlay(good).status();
  const auto field = [&](std::vector<PlayedDeal::Handful> handfuls) {
    PlayedDeal sheet = good;
    sheet.handfuls = std::move(handfuls);
    return WrongField(sheet);
  };
  EXPECT_EQ(field({{.seat = 0, .level = 2}}), "") << "14 trumps";
  EXPECT_EQ(field({{.seat = 0, .level = 3}}), "handfuls");
  EXPECT_EQ(field({{.seat = 1, .level = 1}}), "handfuls");
  EXPECT_EQ(field({{.seat = 0, .level = 1}, {.seat = 0, .level = 2}}), "handfuls");
}

// Trumps that the taker had to show in the écart count for the taker's handful.
TEST(ScorePlayCheckTest, CountsTheShownTrumpsOfTheEcart) {
  Deal deal = DealWith("fft", 4, Cards("T2 S1-5"), {Cards("T8-21 S14 H14 D14 C14")});
  Take(deal, Contract::kGarde);
  Do(deal, Action::Discard(Cards("T2 S1-5")));
  ToFirstCard(deal);
  PlayHighest(deal, CardSet());
  PlayedDeal sheet = SheetOf(deal);
  sheet.handfuls = {{.seat = 0, .level = 3}};
  EXPECT_EQ(WrongField(sheet), "");
  sheet.rules.handful_shown_discard_counts = false;
  EXPECT_EQ(WrongField(sheet), "handfuls");
}

TEST(ScorePlayCheckTest, RefusesAnIllegalEcart) {
  const PlayedDeal good = GoodSheet();
  const auto field = [&](const char* in, const char* out) {
    PlayedDeal sheet = good;
    sheet.counted_apart.Erase(CardOf(out));
    sheet.counted_apart.Insert(CardOf(in));
    sheet.hands[0].Erase(CardOf(in));
    sheet.hands[0].Insert(CardOf(out));
    return WrongField(sheet);
  };
  EXPECT_EQ(field("S14", "H1"), "counted_apart") << "a King";
  EXPECT_EQ(field("T21", "H1"), "counted_apart") << "a bout";
  EXPECT_EQ(field("T8", "H1"), "counted_apart") << "a trump that need not go";
  PlayedDeal unseen = good;
  unseen.contract = Contract::kGardeSans;
  unseen.counted_apart = good.counted_apart;
  EXPECT_EQ(WrongField(unseen), "") << "the unseen dog may have any card";
}

TEST(ScorePlayCheckTest, RefusesOtherSheetsThatNoDealGives) {
  PlayedDeal sheet = GoodSheet();
  sheet.rules = Named("fft_teams");
  sheet.contract = Contract::kPrise;
  EXPECT_EQ(WrongField(sheet), "contract");

  Rng rng(3);
  Deal deal = RandomDeal(Named("fft"), 5, rng);
  while (deal.phase != Phase::kPlaying || deal.partner == kNoSeat || deal.turn == deal.taker) {
    if (deal.phase == Phase::kDone) deal = RandomDeal(Named("fft"), 5, rng);
    ASSERT_TRUE(Apply(deal, deal.turn, RandomAction(deal, rng)).ok());
  }
  ASSERT_NO_FATAL_FAILURE(PlayAll(deal, false, rng));
  const PlayedDeal good = SheetOf(deal);
  ASSERT_EQ(WrongField(good), "");
  PlayedDeal other = good;
  other.partner = deal.After(good.partner, 1) == good.taker ? deal.After(good.partner, 2)
                                                            : deal.After(good.partner, 1);
  EXPECT_EQ(WrongField(other), "partner");
  other.partner = kNoSeat;
  EXPECT_EQ(WrongField(other), "partner");
  other = good;
  other.called_card = kNoCard;
  EXPECT_EQ(WrongField(other), "partner") << "a partner without a call";
  if (good.tricks[0].leader != good.taker) {
    PlayedDeal announced = good;
    announced.slam_announced = true;
    EXPECT_EQ(WrongField(announced), "tricks.0.leader");
  }
}

// Returns the sheet of a deal of `players`. Seat 0 takes with `hand`, and calls `call` if the rules
// have a call.
PlayedDeal SheetWith(const char* rule_set, int players, Contract contract, CardSet dog,
                     std::initializer_list<CardSet> hands, Card call = kNoCard) {
  Deal deal = DealWith(rule_set, players, dog, hands);
  Take(deal, contract);
  if (deal.phase == Phase::kCalling) Do(deal, Action::Call(call));
  ToFirstCard(deal);
  PlayHighest(deal, CardSet());
  return SheetOf(deal);
}

TEST(ScorePlayCheckTest, RefusesACallThatNoHandAllows) {
  const auto field = [](PlayedDeal sheet, const char* call, const char* rule_set = "fft") {
    sheet.called_card = call == nullptr ? kNoCard : CardOf(call);
    sheet.rules = Named(rule_set);
    sheet.partner = kNoSeat;
    for (Seat seat = 1; seat < 5 && call != nullptr; ++seat) {
      if (sheet.hands[static_cast<std::size_t>(seat)].Contains(CardOf(call))) sheet.partner = seat;
    }
    return WrongField(sheet);
  };
  // The taker has three Kings, so only Kings may be called.
  const PlayedDeal three = SheetWith("fft", 5, Contract::kGarde, Cards("H1-3"),
                                     {Cards("S14 H14 D14 T10-21")}, CardOf("C14"));
  EXPECT_EQ(field(three, "C14"), "");
  EXPECT_EQ(field(three, "C13"), "called_card") << "a Queen, without all four Kings";
  EXPECT_EQ(field(three, "C5"), "called_card");
  EXPECT_EQ(field(three, "T21"), "called_card");
  EXPECT_EQ(field(three, nullptr), "called_card") << "the taker must call";
  EXPECT_EQ(field(three, nullptr, "booklet"), "") << "the taker need not call";
  EXPECT_EQ(field(three, "S14"), "") << "the taker's own King";
  // In `shogix` the called King must not be in the hand, but it may have been in the dog.
  EXPECT_EQ(field(three, "S14", "shogix"), "");
  PlayedDeal unseen = three;
  unseen.contract = Contract::kGardeSans;
  EXPECT_EQ(field(unseen, "S14"), "");
  EXPECT_EQ(field(unseen, "S14", "shogix"), "called_card")
      << "the dog is closed, so it was in hand";
}

// ScorePlay() accepts a hand that is a petit sec, because the test vectors in tests/data/vectors
// have such hands.
TEST(ScorePlayCheckTest, AcceptsAPetitSec) {
  PlayedDeal sheet = SheetWith("webguide", 4, Contract::kGardeSans, Cards("S1-6"),
                               {Cards("T8-21 S14 H14 D14 C14"), Cards("H1-10 D1-7 T1")});
  sheet.rules.petit_sec = PetitSec::kCancelsDeal;
  EXPECT_EQ(WrongField(sheet), "");
}

TEST(ScorePlayCheckTest, RefusesAFirstLeaderWhoDoesNotFollowTheDealer) {
  Rng rng(5);
  int seen = 0;
  for (int round = 0; round < 200; ++round) {
    Deal deal = RandomDeal(Named("fft_dead5"), 5, rng);
    ASSERT_NO_FATAL_FAILURE(PlayAll(deal, false, rng));
    if (deal.result.outcome != Outcome::kScored || deal.slam_announced) continue;
    ++seen;
    PlayedDeal sheet = SheetOf(deal);
    ASSERT_EQ(WrongField(sheet), "");
    // Moves the cards of each seat, and the role of the taker, to the next seat that plays. The
    // dealer sits out and stays in place.
    const auto next = [&](Seat seat) { return seat == deal.sits_out ? seat : deal.After(seat, 1); };
    PlayedDeal moved = sheet;
    moved.taker = next(sheet.taker);
    for (Seat seat = 0; seat < 5; ++seat) {
      moved.hands[static_cast<std::size_t>(next(seat))] =
          sheet.hands[static_cast<std::size_t>(seat)];
    }
    for (PlayedDeal::PlayedTrick& trick : moved.tricks) trick.leader = next(trick.leader);
    for (PlayedDeal::Handful& handful : moved.handfuls) handful.seat = next(handful.seat);
    EXPECT_EQ(WrongField(moved), "tricks.0.leader");
  }
  EXPECT_GT(seen, 20);
}

}  // namespace
}  // namespace tarot::rules
