// The contract test of RatingStore. The fake store and the store on Postgres pass the same tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libs/base/rng.h"
#include "libs/rules/parameters/parameters.h"
#include "libs/testkit/manual_time.h"
#include "libs/testkit/status_matchers.h"
#include "services/ratings/app/rating_service.h"
#include "services/ratings/limits.h"

namespace tarot::ratings_service {

inline Uuid TestUuid(int kind, int number) {
  std::array<std::uint8_t, 16> bytes{};
  bytes[0] = static_cast<std::uint8_t>(kind);
  bytes[14] = static_cast<std::uint8_t>(number / 256);
  bytes[15] = static_cast<std::uint8_t>(number % 256);
  return Uuid(bytes);
}
inline PlayerId TestPlayer(int number) { return {TestUuid(1, number)}; }
inline TableId TestTable(int number) { return {TestUuid(2, number)}; }

inline absl::Time TestTime(int hours) {  // A store must keep the microseconds.
  return absl::FromUnixMicros(1'767'225'600'123'457) + absl::Hours(hours);
}

// Returns a match of the players with these numbers. `players` must be ascending.
inline MatchResult TestMatch(int table, const std::vector<int>& players,
                             const std::vector<int>& totals, int hours = 0) {
  MatchResult match{.table = TestTable(table), .deal_count = 8, .match_time = TestTime(hours)};
  for (std::size_t i = 0; i < players.size(); ++i) {
    match.players.push_back({.player = TestPlayer(players[i]),
                             .display_name = "P" + std::to_string(players[i]),
                             .bot = players[i] % 5 == 0,
                             .total = totals[i]});
  }
  return match;
}

// Adds deals to `match`: as many scored deals as it has, and one deal before them that all passed.
// The first scored deal has all points. `match` must have its players in the order of their seats.
inline void AddDeals(MatchResult& match) {
  match.rule_values = rules::EncodeRuleSet(rules::FindRuleSet("fft")->rules);
  match.seats.clear();
  for (const MatchPlayer& player : match.players) match.seats.push_back(player.player);
  for (int number = 1; number <= match.deal_count + 1; ++number) {
    DealtDeal deal{.number = number,
                   .dealer = number % match.player_count(),
                   .outcome = number == 1 ? DealOutcome::kNotPlayed : DealOutcome::kScored};
    for (int card = 0; card < 78; ++card) deal.pack += static_cast<char>((card + number) % 78);
    for (const MatchPlayer& player : match.players) {
      deal.scores.push_back(number == 2 ? player.total : 0);
    }
    if (number == 3) deal.stand_ins = {0, 2};
    match.deals.push_back(deal);
  }
}

// Returns `count` matches, each of 3 to 5 of the players 1 to `players`. The times of the matches
// are not in order.
inline std::vector<MatchResult> RandomMatches(std::uint64_t seed, int count, int players) {
  Rng rng(seed);
  std::vector<MatchResult> matches;
  for (int i = 0; i < count; ++i) {
    std::vector<int> numbers;
    for (int p = 1; p <= players; ++p) numbers.push_back(p);
    rng.Shuffle(numbers);
    numbers.resize(static_cast<std::size_t>(3 + rng.Below(3)));
    std::sort(numbers.begin(), numbers.end());
    std::vector<int> totals;
    int sum = 0;
    for (std::size_t p = 1; p < numbers.size(); ++p) {
      totals.push_back(rng.Below(1001) - 500);
      sum += totals.back();
    }
    totals.push_back(-sum);
    matches.push_back(TestMatch(i + 1, numbers, totals, i + rng.Below(48)));
  }
  return matches;
}

inline rating::Model PlainModel(const MatchResult& match) {
  return rating::Model::ForTable(match.player_count());
}

// Returns the season `number` of the ladder of four players, under `fft`.
inline Season TestSeason(int number) {
  return {.number = number,
          .rule_set = "fft",
          .baseline_policy = 1,
          .baseline_replays = 64,
          .numbers = {.player_count = 4,
                      .bid_shift = 0.1,
                      .place_means = {-1.1, -2.2, 0.3, 3.0},
                      .luck_share = 0.7 / number,
                      .weight_scale = 6.9,
                      .noise_variance = 7635.9,
                      .prior_variance = 91.01},
          .provenance = "a \"test\""};
}

// Reads the standings, rates the match and stores it, as RatingService does. If another match of
// its players is stored first, tries again. Returns false if the match was stored before.
inline absl::StatusOr<bool> RecordInto(RatingStore& store, MatchResult match) {
  while (true) {
    const absl::StatusOr<RatingStore::MatchState> state = store.ReadMatchState(match);
    if (!state.ok()) return state.status();
    if (state->recorded) return false;
    if (state->season > 0) TakeLuckOut(TestSeason(state->season), match);
    const rating::Model model =
        match.season > 0 ? TestSeason(match.season).model() : PlainModel(match);
    const absl::StatusOr<bool> recorded =
        store.Record(match, RateMatch(match, state->standings, model));
    if (!absl::IsAborted(recorded.status())) return recorded;
  }
}

// Returns a rule that gives a place to each player whose variance is at most `variance_max`. The
// variance does not grow while a player is absent.
inline PlaceRule RuleOf(double variance_max) {
  return {.now = TestTime(1000), .variance_max = variance_max};
}

inline std::vector<PlayerId> PlayersOf(const std::vector<Standing>& standings) {
  std::vector<PlayerId> players;
  for (const Standing& standing : standings) players.push_back(standing.player);
  return players;
}

inline void ExpectSame(const Standing& actual, const Standing& expected) {
  EXPECT_EQ(actual.player, expected.player);
  EXPECT_EQ(actual.skill, expected.skill) << "to the last bit";
  EXPECT_EQ(actual.match_count, expected.match_count);
  EXPECT_EQ(actual.update_time, expected.update_time);
}

// For every player and ladder, Recompute must give the stored standing, to the last bit.
inline void ExpectRecomputeEqualsStandings(RatingStore& store) {
  const Standings recomputed = Recompute(store).value();
  ASSERT_FALSE(recomputed.empty());
  for (const auto& [key, standing] : recomputed) {
    ExpectSame(store.GetStandings(key.first, {key.second}).value()[0], standing);
  }
  EXPECT_EQ(store.ListStandings({}, 0, 10'000).value().size(), recomputed.size());
}

// `Factory::Make()` returns a new, empty store.
template <typename Factory>
class RatingStoreContract : public testing::Test {
 protected:
  void Record(const MatchResult& match) {
    const absl::StatusOr<bool> recorded = RecordInto(*store_, match);
    ASSERT_THAT(recorded, testkit::IsOk());
    EXPECT_TRUE(*recorded);
  }

  Standing Get(int player_count, int player) {
    return store_->GetStandings(player_count, {TestPlayer(player)}).value()[0];
  }

  // Stores 120 random matches, and sets `rule_` so that about half of the players on the ladder of
  // four have a place.
  void PlaySeason() {
    for (const MatchResult& match : RandomMatches(11, 120, 25)) Record(match);
    std::vector<PlayerId> players;
    for (int p = 1; p <= 25; ++p) players.push_back(TestPlayer(p));
    std::vector<Standing> rated;
    const std::vector<Standing> all = store_->GetStandings(4, players).value();
    for (const Standing& standing : all) {
      if (standing.match_count > 0) rated.push_back(standing);
    }
    std::vector<double> variances;
    for (const Standing& standing : rated) variances.push_back(standing.skill.variance);
    std::sort(variances.begin(), variances.end());
    rule_ = RuleOf(variances[variances.size() / 2]);
    std::sort(rated.begin(), rated.end(), [](const Standing& a, const Standing& b) {
      return PlaceKey{a.skill.mu, a.player} > PlaceKey{b.skill.mu, b.player};
    });
    for (const Standing& standing : rated) {
      if (standing.skill.variance > rule_.variance_max) provisional_.push_back(standing);
    }
    ASSERT_GT(provisional_.size(), 5u);
    ASSERT_GT(rated.size(), provisional_.size());
  }

  const std::unique_ptr<RatingStore> store_ = Factory::Make();
  // Set by PlaySeason: the rule, and the players without a place, best first.
  PlaceRule rule_;
  std::vector<Standing> provisional_;
};

TYPED_TEST_SUITE_P(RatingStoreContract);

TYPED_TEST_P(RatingStoreContract, RecordsMatchOnce) {
  const MatchResult match = TestMatch(1, {1, 2, 3, 5}, {300, -100, -100, -100});
  this->Record(match);
  const Standing first = this->Get(4, 1);
  // The first result of a table counts. A later result for the same table changes nothing.
  MatchResult changed = match;
  changed.players[0].total = -300;
  changed.players[0].display_name = "Other";
  changed.players[3].total = 500;
  for (const MatchResult& again : {match, changed}) {
    EXPECT_FALSE(RecordInto(*this->store_, again).value());
    EXPECT_FALSE(
        this->store_->Record(again, RateMatch(again, std::vector<Standing>(4), PlainModel(again)))
            .value());
  }
  EXPECT_EQ(this->store_->CountPlayers().value(), 4);
  ExpectSame(this->Get(4, 1), first);
  EXPECT_EQ(this->Get(4, 1).display_name, "P1");
}

// Without a season no luck is taken out.
TYPED_TEST_P(RatingStoreContract, RatesAMatchWithDealsLikeOneWithout) {
  MatchResult match = TestMatch(1, {1, 2, 3, 5}, {300, -100, -100, -100});
  AddDeals(match);
  this->Record(match);
  MatchResult plain = TestMatch(2, {11, 12, 13, 15}, {300, -100, -100, -100});
  this->Record(plain);
  for (const int player : {1, 2, 3, 5}) {
    EXPECT_EQ(this->Get(4, player).skill, this->Get(4, player + 10).skill) << "to the last bit";
  }
  ExpectRecomputeEqualsStandings(*this->store_);
}

TYPED_TEST_P(RatingStoreContract, KeepsSeasonsAndTheLuckOfTheirMatches) {
  EXPECT_TRUE(this->store_->ReadSeasons().value().empty());
  this->Record(TestMatch(1, {1, 2, 3, 5}, {300, -100, -100, -100}));
  for (const int number : {1, 2}) {
    EXPECT_THAT(this->store_->AddSeason(TestSeason(number)), testkit::IsOk());
    MatchResult match = TestMatch(number + 1, {1, 2, 3, 5}, {300, -100, -100, -100}, number);
    AddDeals(match);
    EXPECT_EQ(this->store_->ReadMatchState(match).value().season, number);
    match.players[1].left = number == 2;
    this->Record(match);
  }
  EXPECT_THAT(this->store_->AddSeason(TestSeason(2)), testkit::HasReason("STORAGE_CONFLICT"));
  const std::vector<Season> seasons = this->store_->ReadSeasons().value();
  ASSERT_EQ(seasons.size(), 2u);
  EXPECT_EQ(seasons[1].number, 2);
  EXPECT_EQ(seasons[1].provenance, TestSeason(2).provenance);
  EXPECT_TRUE(SameNumbers(seasons[1], TestSeason(2))) << "to the last bit";
  const MatchResult other = TestMatch(8, {1, 2, 3}, {3, -1, -2});
  EXPECT_EQ(this->store_->ReadMatchState(other).value().season, 0) << "seasons of another ladder";

  const auto changes = this->store_->ListChanges(4, TestPlayer(1), 1'000, 10).value();
  ASSERT_EQ(changes.size(), 3u);
  EXPECT_FALSE(changes[2].luck) << "the match before the first season";
  ASSERT_TRUE(changes[0].luck && changes[1].luck);
  EXPECT_DOUBLE_EQ(*changes[0].luck * 2, *changes[1].luck) << "half of the luck is taken out";
  const auto ledger = this->store_->ReadLedger(0, 10).value();
  EXPECT_EQ(ledger[0].season, 0);
  EXPECT_EQ(ledger[2].season, 2);
  EXPECT_FALSE(ledger[1].entries[1].left);
  EXPECT_TRUE(ledger[2].entries[1].left);
  double sum = 0;
  for (const LedgerEntry& entry : ledger[2].entries) sum += entry.luck.value().result;
  EXPECT_NEAR(sum, 0, 1e-9);
  ExpectRecomputeEqualsStandings(*this->store_);
}

TYPED_TEST_P(RatingStoreContract, ReadsStateOfMatchInOrderOfItsPlayers) {
  this->Record(TestMatch(1, {2, 3, 5}, {20, -10, -10}));
  const MatchResult next = TestMatch(2, {1, 2, 5}, {1, 1, -2});
  const auto state = this->store_->ReadMatchState(next);
  ASSERT_THAT(state, testkit::IsOk());
  EXPECT_FALSE(state->recorded);
  ASSERT_EQ(state->standings.size(), 3u);
  EXPECT_EQ(state->standings[0].player, TestPlayer(1));
  EXPECT_EQ(state->standings[0].match_count, 0);
  ExpectSame(state->standings[1], this->Get(3, 2));
  ExpectSame(state->standings[2], this->Get(3, 5));
  EXPECT_TRUE(state->standings[2].bot);
  EXPECT_TRUE(this->store_->ReadMatchState(TestMatch(1, {2, 3, 5}, {0, 0, 0})).value().recorded);
}

TYPED_TEST_P(RatingStoreContract, AbortsRecordFromOldStanding) {
  const MatchResult first = TestMatch(1, {1, 2, 3}, {20, -10, -10});
  const MatchResult second = TestMatch(2, {3, 4, 5}, {20, -10, -10});
  const auto before_first = this->store_->ReadMatchState(second).value();
  this->Record(first);
  EXPECT_THAT(
      this->store_->Record(second, RateMatch(second, before_first.standings, PlainModel(second))),
      testing::AllOf(testkit::StatusIs(absl::StatusCode::kAborted),
                     testkit::HasReason("STORAGE_CONFLICT")));
  EXPECT_FALSE(this->store_->ReadMatchState(second).value().recorded);
  EXPECT_EQ(this->Get(3, 4).match_count, 0) << "nothing of the match is stored";
  this->Record(second);
  EXPECT_EQ(this->Get(3, 3).match_count, 2);
}

TYPED_TEST_P(RatingStoreContract, ReturnsStandingsInOrderAsked) {
  const MatchResult match = TestMatch(1, {1, 2, 3, 5}, {300, -100, -100, -100});
  this->Record(match);
  const RatedMatch expected = RateMatch(match, std::vector<Standing>(4), PlainModel(match));
  const auto standings =
      this->store_->GetStandings(4, {TestPlayer(5), TestPlayer(9), TestPlayer(1)}).value();
  ASSERT_EQ(standings.size(), 3u);
  ExpectSame(standings[0], {.player = TestPlayer(5),
                            .skill = expected.entries[3].after,
                            .match_count = 1,
                            .update_time = match.match_time});
  EXPECT_TRUE(standings[0].bot);
  EXPECT_EQ(standings[1].player, TestPlayer(9));
  EXPECT_EQ(standings[1].match_count, 0);
  EXPECT_EQ(standings[2].display_name, "P1");
  EXPECT_FALSE(standings[2].bot);
  EXPECT_EQ(standings[2].skill, expected.entries[0].after);
  EXPECT_EQ(this->Get(3, 1).match_count, 0) << "each table size has its own ladder";
}

TYPED_TEST_P(RatingStoreContract, KeepsNewestNameOnEveryLadder) {
  this->Record(TestMatch(1, {1, 2, 3, 4}, {-90, 30, 30, 30}));
  MatchResult renamed = TestMatch(2, {1, 2, 3}, {7, -3, -4});
  renamed.players[0].display_name = "Élise \"L'Excuse\" \\ {1,2}";
  this->Record(renamed);
  EXPECT_EQ(this->Get(4, 1).display_name, renamed.players[0].display_name);
  EXPECT_EQ(this->Get(3, 1).display_name, renamed.players[0].display_name);
}

TYPED_TEST_P(RatingStoreContract, ReadsLedgerInOrderOfRecording) {
  this->Record(TestMatch(1, {1, 2, 3, 5}, {300, -100, -100, -100}));
  this->Record(TestMatch(2, {1, 2, 3, 4}, {-90, 30, 30, 30}, 30));
  this->Record(TestMatch(3, {1, 2, 3}, {7, -3, -4}, 10));
  const auto ledger = this->store_->ReadLedger(0, 100).value();
  ASSERT_EQ(ledger.size(), 3u);
  EXPECT_LT(ledger[0].sequence, ledger[1].sequence);
  EXPECT_LT(ledger[1].sequence, ledger[2].sequence);
  EXPECT_EQ(ledger[1].table, TestTable(2));
  EXPECT_EQ(ledger[1].match_time, TestTime(30));
  ASSERT_EQ(ledger[1].entries.size(), 4u);
  EXPECT_EQ(ledger[1].entries[0].total, -90);
  EXPECT_TRUE(ledger[0].entries[3].bot);
  EXPECT_EQ(this->store_->ReadLedger(0, 2).value().size(), 2u);
  EXPECT_EQ(this->store_->ReadLedger(ledger[0].sequence, 100).value().size(), 2u);
}

TYPED_TEST_P(RatingStoreContract, ListsChangesOfOneLadderNewestFirst) {
  this->Record(TestMatch(1, {1, 2, 3, 5}, {300, -100, -100, -100}));
  this->Record(TestMatch(2, {1, 2, 3, 4}, {-90, 30, 30, 30}, 30));
  this->Record(TestMatch(3, {1, 2, 3}, {7, -3, -4}, 10));
  const std::int64_t end = this->store_->ReadLedger(0, 100).value()[2].sequence + 1;
  const auto changes = this->store_->ListChanges(4, TestPlayer(1), end, 10).value();
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].table, TestTable(2));
  EXPECT_EQ(changes[0].total, -90);
  EXPECT_EQ(changes[0].deal_count, 8);
  EXPECT_EQ(changes[0].match_time, TestTime(30));
  EXPECT_EQ(changes[0].before.mu, changes[1].after.mu);
  EXPECT_GT(changes[0].before.variance, changes[1].after.variance) << "aged by thirty hours";
  EXPECT_EQ(this->store_->ListChanges(4, TestPlayer(1), end, 1).value().size(), 1u);
  EXPECT_EQ(this->store_->ListChanges(4, TestPlayer(1), changes[0].sequence, 10).value().size(),
            1u);
}

// Compares the whole board of four, and the rank of each player, with a plain sort of the stored
// standings. A player has a place if the shown deviation is at most `deviation_max`.
inline void ExpectPlainSort(RatingStore& store, RatingService& service, absl::Time now,
                            double deviation_max) {
  const rating::Model model = rating::Model::ForTable(4);
  std::vector<PlaceKey> expected;
  std::vector<PlayerId> provisional;
  const std::vector<LadderStanding> all = store.ListStandings({}, 0, 1000).value();
  for (const auto& [player_count, standing] : all) {
    if (player_count != 4) continue;
    const rating::Skill aged = model.Aged(standing.skill, now - standing.update_time);
    if (model.ShownDeviation(aged) <= deviation_max) {
      expected.push_back({.mu = standing.skill.mu, .player = standing.player});
    } else {
      provisional.push_back(standing.player);
    }
  }
  std::sort(expected.begin(), expected.end(),
            [](const PlaceKey& a, const PlaceKey& b) { return a > b; });
  const RatingList board = service.ListRatings({.page_size = 100}).value();
  ASSERT_EQ(board.ratings.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto rank = static_cast<std::int64_t>(i) + 1;
    EXPECT_EQ(board.ratings[i].standing.player, expected[i].player);
    EXPECT_EQ(board.ratings[i].rank, rank);
    EXPECT_EQ(service.GetRating(4, expected[i].player).value().ratings[0].rank, rank);
  }
  for (const PlayerId player : provisional) {
    EXPECT_FALSE(service.GetRating(4, player).value().ratings[0].rank);
  }
}

// Two replicas record matches in turn, and each starts again now and then.
TYPED_TEST_P(RatingStoreContract, RanksLikePlainSort) {
  constexpr double kDeviationMax = 285;
  testkit::ManualTime time;
  prometheus::Registry registry;
  Metrics metrics(registry);
  Rng rng(1);
  std::array<std::unique_ptr<RatingService>, 2> replicas;
  const auto start = [&](std::unique_ptr<RatingService>& replica) {
    replica = std::make_unique<RatingService>(*this->store_, time, metrics, kDeviationMax);
  };
  for (auto& replica : replicas) start(replica);
  for (MatchResult match : RandomMatches(5, 100, 20)) {
    match.match_time = time.Now();
    RatingService& replica = *replicas[static_cast<std::size_t>(rng.Below(2))];
    ASSERT_THAT(replica.RecordMatch(match), testkit::IsOk());
    // The replica that stored the match shows it at once.
    ASSERT_NO_FATAL_FAILURE(ExpectPlainSort(*this->store_, replica, time.Now(), kDeviationMax));
    if (rng.Below(10) == 0) start(replicas[static_cast<std::size_t>(rng.Below(2))]);
    time.Advance(rng.Below(3) == 0 ? absl::Hours(rng.Below(100)) : kPlacesAgeMax);
    time.Advance(kPlacesAgeMax);
    for (auto& each : replicas) {
      ASSERT_NO_FATAL_FAILURE(ExpectPlainSort(*this->store_, *each, time.Now(), kDeviationMax));
    }
  }
  const std::size_t players = replicas[0]->ListRatings({.page_size = 100}).value().ratings.size();
  EXPECT_GT(players, 5u);
  time.Advance(absl::Hours(24 * 480));
  EXPECT_TRUE(replicas[0]->ListRatings({.page_size = 100}).value().ratings.empty());
}

TYPED_TEST_P(RatingStoreContract, ListsPlacesFromKeyInBothDirections) {
  ASSERT_NO_FATAL_FAILURE(this->PlaySeason());
  const std::vector<Standing>& all = this->provisional_;
  const auto key = [](const Standing& standing) {
    return PlaceKey{.mu = standing.skill.mu, .player = standing.player};
  };
  ProvisionalQuery query{.player_count = 4, .rule = this->rule_, .past = key(all[2]), .limit = 2};
  auto page = this->store_->ListProvisional(query).value();
  EXPECT_EQ(PlayersOf(page), std::vector({all[3].player, all[4].player}));
  query.upwards = true;
  query.past = key(all[4]);
  page = this->store_->ListProvisional(query).value();
  EXPECT_EQ(PlayersOf(page), std::vector({all[3].player, all[2].player}));
  query.past.reset();
  page = this->store_->ListProvisional(query).value();
  EXPECT_EQ(page[0].player, all.back().player) << "up from the last one";
}

TYPED_TEST_P(RatingStoreContract, ListsPlayersWithoutPlaceApart) {
  ASSERT_NO_FATAL_FAILURE(this->PlaySeason());
  const auto listed =
      this->store_->ListProvisional({.player_count = 4, .rule = this->rule_, .limit = 100}).value();
  EXPECT_EQ(PlayersOf(listed), PlayersOf(this->provisional_));
}

TYPED_TEST_P(RatingStoreContract, TakesPlacesAwayAfterAbsence) {
  ASSERT_NO_FATAL_FAILURE(this->PlaySeason());
  PlaceRule later = this->rule_;
  later.variance_growth_per_second = 1;
  std::size_t on_ladder = 0;
  const std::vector<LadderStanding> all = this->store_->ListStandings({}, 0, 1000).value();
  for (const LadderStanding& standing : all) {
    on_ladder += standing.player_count == 4 ? 1 : 0;
  }
  EXPECT_EQ(this->store_->ListProvisional({.player_count = 4, .rule = later, .limit = 100})->size(),
            on_ladder);
}

TYPED_TEST_P(RatingStoreContract, ListsStandingsPageByPage) {
  ASSERT_NO_FATAL_FAILURE(this->PlaySeason());
  const auto all = this->store_->ListStandings({}, 0, 1000).value();
  std::vector<LadderStanding> paged;
  LadderStanding last;
  while (true) {
    const auto page =
        this->store_->ListStandings(last.standing.player, last.player_count, 7).value();
    if (page.empty()) break;
    paged.insert(paged.end(), page.begin(), page.end());
    last = page.back();
  }
  ASSERT_EQ(paged.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(paged[i].player_count, all[i].player_count);
    ExpectSame(paged[i].standing, all[i].standing);
    ExpectSame(this->store_->GetStandings(all[i].player_count, {all[i].standing.player})->front(),
               all[i].standing);
  }
}

TYPED_TEST_P(RatingStoreContract, ReadsWhatChangedAfterTheCursor) {
  this->Record(TestMatch(1, {1, 2, 3}, {20, -10, -10}));
  const StandingChanges begin = this->store_->ReadChangedStandings(std::nullopt).value();
  EXPECT_TRUE(begin.standings.empty());
  EXPECT_TRUE(this->store_->ReadChangedStandings(begin.cursor)->standings.empty());
  this->Record(TestMatch(2, {3, 4, 5}, {20, -10, -10}));
  MatchResult casual = TestMatch(3, {6, 7, 8}, {20, -10, -10});
  casual.rated = false;
  EXPECT_TRUE(this->store_->RecordUnrated(casual).value());
  const StandingChanges changes = this->store_->ReadChangedStandings(begin.cursor).value();
  std::map<PlayerId, Standing> changed;
  for (const auto& [player_count, standing] : changes.standings) {
    EXPECT_EQ(player_count, 3);
    changed[standing.player] = standing;
  }
  ASSERT_EQ(changed.size(), 3u);
  for (const int player : {3, 4, 5}) {
    ExpectSame(changed[TestPlayer(player)], this->Get(3, player));
  }
  EXPECT_TRUE(this->store_->ReadChangedStandings(changes.cursor)->standings.empty());
}

TYPED_TEST_P(RatingStoreContract, KeepsUnratedMatchOutOfRatings) {
  MatchResult casual = TestMatch(1, {1, 2, 3}, {50, -20, -20});
  casual.rated = false;
  EXPECT_TRUE(this->store_->RecordUnrated(casual).value());
  EXPECT_FALSE(this->store_->RecordUnrated(casual).value());
  EXPECT_TRUE(this->store_->ReadMatchState(casual).value().recorded);
  EXPECT_EQ(this->store_->CountPlayers().value(), 0);
  this->Record(TestMatch(2, {1, 2, 3}, {20, -10, -10}));
  EXPECT_EQ(this->Get(3, 1).match_count, 1);
  EXPECT_EQ(this->store_->ReadLedger(0, 10).value().size(), 1u);
  EXPECT_EQ(this->store_->ListChanges(3, TestPlayer(1), 1'000'000, 10).value().size(), 1u);
  ExpectRecomputeEqualsStandings(*this->store_);
}

TYPED_TEST_P(RatingStoreContract, ListsMatchesOfAllTablesNewestFirstPageByPage) {
  this->Record(TestMatch(1, {1, 2, 3, 5}, {300, -100, -100, -100}));
  MatchResult casual = TestMatch(2, {1, 2, 3}, {-40, 20, 20}, 1);
  casual.rated = false;
  ASSERT_TRUE(this->store_->RecordUnrated(casual).value());
  this->Record(TestMatch(3, {2, 3, 4}, {2, -1, -1}, 2));
  this->Record(TestMatch(4, {1, 2, 3, 4}, {-90, 30, 30, 30}, 3));
  testkit::ManualTime time;
  prometheus::Registry registry;
  Metrics metrics(registry);
  RatingService service(*this->store_, time, metrics, 230);

  std::vector<ShownMatch> matches;
  ListMatchesQuery query{.player = TestPlayer(1), .page_size = 2};
  do {
    const MatchPage page = service.ListMatches(query).value();
    EXPECT_LE(page.matches.size(), 2u);
    matches.insert(matches.end(), page.matches.begin(), page.matches.end());
    query.page_token = page.next_page_token;
  } while (!query.page_token.empty());
  ASSERT_EQ(matches.size(), 3u);
  EXPECT_EQ(matches[0].match.table, TestTable(4));
  EXPECT_EQ(matches[0].match.match_time, TestTime(3));
  EXPECT_EQ(matches[0].rating_before, matches[2].rating_after);
  EXPECT_LT(*matches[0].rating_after, *matches[0].rating_before);
  EXPECT_EQ(matches[1].match.table, TestTable(2));
  EXPECT_FALSE(matches[1].rating_before);
  EXPECT_FALSE(matches[1].rating_after);
  EXPECT_EQ(matches[2].match.deal_count, 8);
  EXPECT_EQ(matches[2].rating_before, 1500);
  const std::vector<MatchPlayer>& players = matches[2].match.players;
  ASSERT_EQ(players.size(), 4u);
  EXPECT_EQ(players[0].player, TestPlayer(1));
  EXPECT_EQ(players[0].total, 300);
  EXPECT_EQ(players[3].display_name, "P5");
  EXPECT_TRUE(players[3].bot);

  EXPECT_TRUE(service.ListMatches({.player = TestPlayer(9)}).value().matches.empty());
  const std::string token =
      service.ListMatches({.player = TestPlayer(1), .page_size = 1}).value().next_page_token;
  EXPECT_THAT(service.ListMatches({.player = TestPlayer(2), .page_token = token}),
              testkit::HasReason("BAD_REQUEST"));
  EXPECT_THAT(service.ListChanges({.player = TestPlayer(1), .page_token = token}),
              testkit::HasReason("BAD_REQUEST"));
}

TYPED_TEST_P(RatingStoreContract, LedgerRecomputesToStandings) {
  ASSERT_NO_FATAL_FAILURE(this->PlaySeason());
  ExpectRecomputeEqualsStandings(*this->store_);
}

TYPED_TEST_P(RatingStoreContract, ListsTheNamesOfPeopleWithARecentRankedMatch) {
  this->Record(TestMatch(1, {1, 2, 3, 5}, {300, -100, -100, -100}));  // Player 5 is a bot.
  this->Record(TestMatch(2, {3, 4, 6}, {2, -1, -1}, 10));
  MatchResult casual = TestMatch(3, {1, 7, 8}, {50, -20, -30}, 20);
  casual.rated = false;
  ASSERT_TRUE(this->store_->RecordUnrated(casual).value());
  const auto names = [&](const RankedName& after, int hours, int limit) {
    std::vector<std::string> out;
    const std::vector<RankedName> ranked =
        this->store_->ListRankedNames(after, TestTime(hours), limit).value();
    for (const RankedName& each : ranked) out.push_back(each.display_name);
    return out;
  };
  EXPECT_EQ(names({}, 0, 10), std::vector<std::string>({"P6", "P4", "P3", "P3", "P2", "P1"}));
  EXPECT_EQ(names({}, 5, 10), std::vector<std::string>({"P6", "P4", "P3"}));
  EXPECT_EQ(names({}, 0, 2), std::vector<std::string>({"P6", "P4"}));
  const RankedName last = this->store_->ListRankedNames({}, TestTime(0), 2).value().back();
  EXPECT_EQ(names(last, 0, 2), std::vector<std::string>({"P3", "P3"})) << "On two ladders.";
  EXPECT_TRUE(names({}, 15, 10).empty()) << "A casual match takes no name.";
}

TYPED_TEST_P(RatingStoreContract, ListsRevocationsInTheirOrderPageByPage) {
  const absl::Time end = TestTime(100);
  EXPECT_EQ(this->store_->ListRevocations(0, 10)->last_sequence, 0);
  ASSERT_TRUE(this->store_->Revoke({.subject = TestUuid(3, 1), .expire_time = end}, 10).value());
  ASSERT_TRUE(
      this->store_
          ->Revoke(
              {.subject = TestUuid(1, 2), .latest_sign_in_time = TestTime(5), .expire_time = end},
              10)
          .value());
  ASSERT_TRUE(this->store_->Revoke({.subject = TestUuid(3, 3), .expire_time = end}, 10).value());
  const RevocationPage first = this->store_->ListRevocations(0, 2).value();
  ASSERT_EQ(first.revocations.size(), 2u);
  EXPECT_EQ(first.revocations[0].subject, TestUuid(3, 1));
  EXPECT_FALSE(first.revocations[0].latest_sign_in_time);
  EXPECT_EQ(first.revocations[0].expire_time, end);
  EXPECT_EQ(first.revocations[1].latest_sign_in_time, TestTime(5));
  EXPECT_LT(first.known_sequence, first.last_sequence);
  const RevocationPage second = this->store_->ListRevocations(first.known_sequence, 2).value();
  ASSERT_EQ(second.revocations.size(), 1u);
  EXPECT_EQ(second.revocations[0].subject, TestUuid(3, 3));
  EXPECT_EQ(second.known_sequence, second.last_sequence);
  EXPECT_TRUE(this->store_->ListRevocations(second.known_sequence, 2)->revocations.empty());
}

TYPED_TEST_P(RatingStoreContract, KeepsTheLaterTimesOfARepeatedRevocation) {
  const Uuid player = TestUuid(1, 1);
  Revocation revocation{
      .subject = player, .latest_sign_in_time = TestTime(5), .expire_time = TestTime(100)};
  ASSERT_TRUE(this->store_->Revoke(revocation, 10).value());
  const std::int64_t known = this->store_->ListRevocations(0, 10)->known_sequence;
  revocation.latest_sign_in_time = TestTime(3);
  revocation.expire_time = TestTime(200);
  ASSERT_TRUE(this->store_->Revoke(revocation, 10).value());
  const RevocationPage page = this->store_->ListRevocations(known, 10).value();
  ASSERT_EQ(page.revocations.size(), 1u) << "a caller who knows the first one gets the second";
  EXPECT_EQ(page.revocations[0].latest_sign_in_time, TestTime(5));
  EXPECT_EQ(page.revocations[0].expire_time, TestTime(200));
  EXPECT_EQ(this->store_->ListRevocations(0, 10)->revocations.size(), 1u);
}

TYPED_TEST_P(RatingStoreContract, RemovesExpiredRevocationsAndHoldsNoMoreThanTheLimit) {
  for (int i = 1; i <= 3; ++i) {
    const Revocation revocation{.subject = TestUuid(3, i), .expire_time = TestTime(i)};
    ASSERT_TRUE(this->store_->Revoke(revocation, 3).value());
  }
  const Revocation more{.subject = TestUuid(3, 4), .expire_time = TestTime(4)};
  EXPECT_FALSE(this->store_->Revoke(more, 3).value());
  EXPECT_EQ(this->store_->ListRevocations(0, 10)->last_sequence, 3);
  EXPECT_EQ(this->store_->RemoveRevocations(TestTime(2), 1).value(), 1);
  EXPECT_EQ(this->store_->RemoveRevocations(TestTime(2), 10).value(), 1);
  EXPECT_EQ(this->store_->RemoveRevocations(TestTime(2), 10).value(), 0);
  EXPECT_TRUE(this->store_->Revoke(more, 3).value());
  EXPECT_EQ(this->store_->ListRevocations(0, 10)->revocations.size(), 2u);
}

REGISTER_TYPED_TEST_SUITE_P(
    RatingStoreContract, ListsTheNamesOfPeopleWithARecentRankedMatch,
    ListsRevocationsInTheirOrderPageByPage, KeepsTheLaterTimesOfARepeatedRevocation,
    RemovesExpiredRevocationsAndHoldsNoMoreThanTheLimit, RecordsMatchOnce,
    KeepsSeasonsAndTheLuckOfTheirMatches, RatesAMatchWithDealsLikeOneWithout,
    ReadsStateOfMatchInOrderOfItsPlayers, AbortsRecordFromOldStanding, ReturnsStandingsInOrderAsked,
    ListsStandingsPageByPage, ReadsWhatChangedAfterTheCursor, KeepsNewestNameOnEveryLadder,
    ReadsLedgerInOrderOfRecording, ListsChangesOfOneLadderNewestFirst, RanksLikePlainSort,
    ListsPlacesFromKeyInBothDirections, ListsPlayersWithoutPlaceApart, TakesPlacesAwayAfterAbsence,
    KeepsUnratedMatchOutOfRatings, ListsMatchesOfAllTablesNewestFirstPageByPage,
    LedgerRecomputesToStandings);

}  // namespace tarot::ratings_service
