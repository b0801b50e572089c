// Defines the contract test of RatingStore. The fake store and the store on Postgres pass the same
// tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "libs/base/error.h"
#include "libs/base/rng.h"
#include "libs/rules/parameters/parameters.h"
#include "libs/testkit/manual_time.h"
#include "libs/testkit/status_matchers.h"
#include "services/ratings/app/ladder_admin.h"
#include "services/ratings/app/ledger_fold.h"
#include "services/ratings/app/rating_service.h"
#include "services/ratings/limits.h"
#include "services/ratings/testing/whole_ledger.h"

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

// Returns a match of the players with these numbers. The numbers must be in rising order.
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

// Adds deals to `match`: first a deal that all players passed, then the scored deals. The scored
// deal that comes first has all points of the match. `match` must have its players in the order of
// their seats.
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

// Returns `count` matches, each of 3 to 5 players. The players' numbers are from 1 to `players`.
// The matches are not sorted by time.
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

// Returns season `number` of the ladder of four players, with the rule set `fft`.
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

// Does the work of RateBatch. The ladder of four players has the seasons TestSeason(1) and
// TestSeason(2).
inline std::vector<std::optional<RatedMatch>> RateTestMatches(
    const std::vector<MatchResult>& matches, const BatchState& state) {
  Seasons seasons;
  for (const int number : {1, 2}) seasons[{4, number}] = TestSeason(number);
  return RateAll(matches, state, seasons);
}

// Corrects the matches for luck, with the newest season of the store, and stores them. After a
// conflict with another call, tries again.
inline absl::StatusOr<std::vector<Recorded>> RecordAll(RatingStore& store,
                                                       std::vector<MatchResult> matches) {
  const std::vector<Season> seasons = store.ReadSeasons().value_or(std::vector<Season>{});
  for (MatchResult& match : matches) {
    match.newest_season = 0;
    for (const Season& season : seasons) {
      if (match.player_count() != season.numbers.player_count) continue;
      match.newest_season = std::max(match.newest_season, season.number);
    }
    if (match.newest_season > 0) TakeLuckOut(TestSeason(match.newest_season), match);
  }
  while (true) {
    const auto recorded = store.RecordBatch(matches, RateTestMatches);
    if (!absl::IsAborted(recorded.status())) return recorded;
  }
}

// Stores the match. Returns false if the match was stored before.
inline absl::StatusOr<bool> RecordInto(RatingStore& store, const MatchResult& match) {
  const absl::StatusOr<std::vector<Recorded>> recorded = RecordAll(store, {match});
  if (!recorded.ok()) return recorded.status();
  return recorded->front() == Recorded::kNow;
}

// Calls RatingService::RecordMatch(), and waits for its result.
inline absl::StatusOr<bool> RecordNow(RatingService& service, MatchResult match) {
  absl::Notification done;
  absl::StatusOr<bool> result = false;
  service.RecordMatch(std::move(match), [&](absl::StatusOr<bool> recorded) {
    result = std::move(recorded);
    done.Notify();
  });
  done.WaitForNotification();
  return result;
}

// Returns a rule that gives a place to each player whose variance is at most `variance_max`. In
// this rule, the variance does not grow while a player is absent.
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
  EXPECT_EQ(actual.void_count, expected.void_count);
  EXPECT_EQ(actual.update_time, expected.update_time);
}

// Expects that the stored standing of every player on every ladder equals the fold of the ledger.
// All bits of the numbers must be equal.
inline void ExpectFoldEqualsStandings(RatingStore& store) {
  const Standings folded = FoldLedger(store).value();
  ASSERT_FALSE(folded.empty());
  for (const auto& [key, standing] : folded) {
    ExpectSame(store.GetStandings(key.first, {key.second}).value()[0], standing);
  }
  EXPECT_EQ(store.ListStandings({}, 0, 10'000).value().size(), folded.size());
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

  // Stores 120 random matches. Sets `rule_` to a rule that gives a place to about half of the
  // players on the ladder of four players.
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
  // PlaySeason sets these members: the rule, and the players without a place, best first.
  PlaceRule rule_;
  std::vector<Standing> provisional_;
};

TYPED_TEST_SUITE_P(RatingStoreContract);

TYPED_TEST_P(RatingStoreContract, RecordsMatchOnce) {
  const MatchResult match = TestMatch(1, {1, 2, 3, 5}, {300, -100, -100, -100});
  this->Record(match);
  const Standing first = this->Get(4, 1);
  // Only the first result of a table counts. A later result for the same table changes nothing.
  MatchResult changed = match;
  changed.players[0].total = -300;
  changed.players[0].display_name = "Other";
  changed.players[3].total = 500;
  for (const MatchResult& again : {match, changed}) {
    EXPECT_FALSE(RecordInto(*this->store_, again).value());
  }
  EXPECT_EQ(this->store_->CountPlayers().value(), 4);
  ExpectSame(this->Get(4, 1), first);
  EXPECT_EQ(this->Get(4, 1).display_name, "P1");
}

// On a ladder without a season, results are not corrected for luck.
TYPED_TEST_P(RatingStoreContract, RatesAMatchByPointsIfTheLadderHasNoSeason) {
  MatchResult match = TestMatch(1, {1, 2, 3, 5}, {300, -100, -100, -100});
  AddDeals(match);
  this->Record(match);
  MatchResult plain = TestMatch(2, {11, 12, 13, 15}, {300, -100, -100, -100});
  this->Record(plain);
  for (const int player : {1, 2, 3, 5}) {
    EXPECT_EQ(this->Get(4, player).skill, this->Get(4, player + 10).skill) << "to the last bit";
  }
  ExpectFoldEqualsStandings(*this->store_);
}

TYPED_TEST_P(RatingStoreContract, KeepsSeasonsAndTheLuckOfTheirMatches) {
  EXPECT_TRUE(this->store_->ReadSeasons().value().empty());
  this->Record(TestMatch(1, {1, 2, 3, 5}, {300, -100, -100, -100}));
  for (const int number : {1, 2}) {
    EXPECT_THAT(this->store_->AddSeason(TestSeason(number)), testkit::IsOk());
    MatchResult match = TestMatch(number + 1, {1, 2, 3, 5}, {300, -100, -100, -100}, number);
    AddDeals(match);
    match.players[1].left = number == 2;
    this->Record(match);
  }
  EXPECT_THAT(this->store_->AddSeason(TestSeason(2)), testkit::HasReason("STORAGE_CONFLICT"));
  const std::vector<Season> seasons = this->store_->ReadSeasons().value();
  ASSERT_EQ(seasons.size(), 2u);
  EXPECT_EQ(seasons[1].number, 2);
  EXPECT_EQ(seasons[1].provenance, TestSeason(2).provenance);
  EXPECT_TRUE(SameNumbers(seasons[1], TestSeason(2))) << "to the last bit";
  this->Record(TestMatch(8, {1, 2, 3}, {3, -1, -2}));  // This ladder has no season.

  const auto changes = this->store_->ListChanges(4, TestPlayer(1), 1'000, 10).value();
  ASSERT_EQ(changes.size(), 3u);
  EXPECT_FALSE(changes[2].luck) << "the match before the first season";
  ASSERT_TRUE(changes[0].luck && changes[1].luck);
  EXPECT_DOUBLE_EQ(*changes[0].luck * 2, *changes[1].luck) << "half of the luck is taken out";
  const auto ledger = ReadLedger(*this->store_).value();
  EXPECT_EQ(ledger[0].season, 0);
  EXPECT_EQ(ledger[2].season, 2);
  EXPECT_FALSE(ledger[1].entries[1].left);
  EXPECT_TRUE(ledger[2].entries[1].left);
  double sum = 0;
  for (const LedgerEntry& entry : ledger[2].entries) sum += entry.luck.value().result;
  EXPECT_NEAR(sum, 0, 1e-9);
  ExpectFoldEqualsStandings(*this->store_);
}

// A batch must give the same ratings as its matches, stored one after another.
TYPED_TEST_P(RatingStoreContract, RecordsABatchLikeSingleMatches) {
  std::vector<MatchResult> matches = RandomMatches(7, 40, 12);
  for (std::size_t i = 0; i < matches.size(); i += 8) AddDeals(matches[i]);
  matches[20].rated = false;
  this->Record(matches[3]);
  ASSERT_THAT(this->store_->AddSeason(TestSeason(1)), testkit::IsOk());
  const auto recorded = RecordAll(*this->store_, matches).value();
  for (std::size_t i = 0; i < matches.size(); ++i) {
    EXPECT_EQ(recorded[i], i == 3 ? Recorded::kBefore : Recorded::kNow);
  }
  const auto single = TypeParam::Make();
  RecordInto(*single, matches[3]).value();
  ASSERT_THAT(single->AddSeason(TestSeason(1)), testkit::IsOk());
  for (const MatchResult& match : matches) RecordInto(*single, match).value();
  const auto all = single->ListStandings({}, 0, 1000).value();
  for (const auto& [player_count, standing] : all) {
    ExpectSame(this->store_->GetStandings(player_count, {standing.player}).value()[0], standing);
  }
  const std::vector<LedgerMatch> ledger = ReadLedger(*this->store_).value();
  const std::vector<LedgerMatch> expected = ReadLedger(*single).value();
  ASSERT_EQ(ledger.size(), expected.size());
  for (std::size_t i = 0; i < ledger.size(); ++i) EXPECT_EQ(ledger[i].table, expected[i].table);
  ExpectFoldEqualsStandings(*this->store_);
}

TYPED_TEST_P(RatingStoreContract, StoresNothingOfAMatchThatIsLeftOut) {
  this->Record(TestMatch(1, {1, 2, 3}, {20, -10, -10}));
  std::vector<MatchResult> matches = {TestMatch(2, {1, 2, 4}, {20, -10, -10}),
                                      TestMatch(3, {1, 2, 3}, {20, -10, -10})};
  // The ladder of this match has no season, so the match is left out.
  matches[0].newest_season = 7;
  const auto recorded = this->store_->RecordBatch(matches, RateTestMatches);
  EXPECT_EQ(recorded.value(), std::vector({Recorded::kLeftOut, Recorded::kNow}));
  EXPECT_EQ(this->Get(3, 4).match_count, 0);
  EXPECT_EQ(ReadLedger(*this->store_)->size(), 2u);
  this->Record(matches[0]);
  EXPECT_EQ(this->Get(3, 1).match_count, 3);
}

// Adds a ResultVoid and expects that it makes `voided` matches void.
inline void AddVoid(RatingStore& store, ResultVoid added, int voided) {
  added.operator_name = "Op";
  added.reason = "a \"test\"";
  const VoidCount count = store.AddVoid(added).value();
  EXPECT_TRUE(count.found);
  EXPECT_EQ(count.voided, voided);
}

TYPED_TEST_P(RatingStoreContract, CountsWhatAVoidCovers) {
  this->Record(TestMatch(1, {1, 2, 3}, {20, -10, -10}));
  this->Record(TestMatch(2, {1, 2, 3, 4}, {20, -10, -10, 0}, 10));
  MatchResult casual = TestMatch(3, {1, 2, 3}, {50, -20, -20}, 20);
  casual.rated = false;
  this->Record(casual);
  const auto count = [&](const ResultVoid& added) {
    const VoidCount result = this->store_->AddVoid(added).value();
    return std::tuple(result.found, result.rated, result.voided);
  };
  EXPECT_EQ(count({.table = TestTable(9)}), std::tuple(false, 0, 0));
  EXPECT_EQ(count({.table = TestTable(3)}), std::tuple(true, 0, 0)) << "a casual match";
  EXPECT_EQ(count({.player = TestPlayer(9), .since = TestTime(0)}), std::tuple(false, 0, 0));
  EXPECT_EQ(count({.player = TestPlayer(1), .since = TestTime(11)}), std::tuple(true, 0, 0));
  EXPECT_EQ(count({.player = TestPlayer(1), .since = TestTime(10)}), std::tuple(true, 1, 1));
  EXPECT_EQ(count({.table = TestTable(2)}), std::tuple(true, 1, 0)) << "void already";
  EXPECT_EQ(count({.player = TestPlayer(3), .since = TestTime(0)}), std::tuple(true, 2, 1));
}

// After a recomputation, all ratings must be the same as if the void matches had never been played.
TYPED_TEST_P(RatingStoreContract, RecomputesWithoutVoidMatches) {
  const std::vector<MatchResult> matches = RandomMatches(5, 60, 14);
  for (const MatchResult& match : matches) this->Record(match);
  const Standing before = this->Get(4, 1);
  AddVoid(*this->store_, {.table = matches[10].table}, 1);
  int of_player = 0;
  const absl::Time since = TestTime(30);
  const auto is_void = [&](const MatchResult& match) {
    const bool plays =
        std::any_of(match.players.begin(), match.players.end(),
                    [](const MatchPlayer& player) { return player.player == TestPlayer(3); });
    return match.table == matches[10].table || (plays && match.match_time >= since);
  };
  for (const MatchResult& match : matches) {
    of_player += is_void(match) && match.table != matches[10].table ? 1 : 0;
  }
  ASSERT_GT(of_player, 3);
  AddVoid(*this->store_, {.player = TestPlayer(3), .since = since}, of_player);
  ExpectSame(this->Get(4, 1), before);

  testkit::ManualTime time;
  SeasonCache seasons(*this->store_, time);
  LadderAdmin admin(*this->store_, seasons, time);
  const RecomputeReport report = admin.Recompute().value();
  EXPECT_EQ(report.match_count, 60);
  EXPECT_EQ(report.void_count, of_player + 1);

  const auto other = TypeParam::Make();
  for (const MatchResult& match : matches) {
    if (!is_void(match)) RecordInto(*other, match).value();
  }
  const auto expected = other->ListStandings({}, 0, 1000).value();
  const auto actual = this->store_->ListStandings({}, 0, 1000).value();
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(actual[i].player_count, expected[i].player_count);
    EXPECT_EQ(actual[i].standing.player, expected[i].standing.player);
    EXPECT_EQ(actual[i].standing.skill, expected[i].standing.skill) << "to the last bit";
    EXPECT_EQ(actual[i].standing.match_count, expected[i].standing.match_count);
    EXPECT_EQ(actual[i].standing.update_time, expected[i].standing.update_time);
  }
  // The histories must be the same too, with one difference: they show the void matches, without
  // ratings.
  for (const int player : {1, 2, 3, 7}) {
    auto changes = this->store_->ListChanges(4, TestPlayer(player), 1'000'000, 1000).value();
    std::erase_if(changes, [](const RatingChange& change) { return !change.after; });
    const auto others = other->ListChanges(4, TestPlayer(player), 1'000'000, 1000).value();
    ASSERT_EQ(changes.size(), others.size());
    for (std::size_t i = 0; i < others.size(); ++i) {
      EXPECT_EQ(changes[i].table, others[i].table);
      EXPECT_EQ(changes[i].before, others[i].before);
      EXPECT_EQ(changes[i].after, others[i].after);
    }
  }
  const auto played = this->store_->ListMatches(TestPlayer(3), 1'000'000, 1000).value();
  for (const PlayedMatch& match : played) {
    EXPECT_EQ(match.voided, match.match_time >= since || match.table == matches[10].table);
    EXPECT_EQ(match.after.has_value(), !match.voided);
  }
  ExpectFoldEqualsStandings(*this->store_);
}

// If all matches of a player are void, the player counts as a new player again.
TYPED_TEST_P(RatingStoreContract, ForgetsAPlayerWithoutMatchUntilTheNextOne) {
  this->Record(TestMatch(1, {1, 2, 3}, {20, -10, -10}));
  this->Record(TestMatch(2, {2, 3, 4}, {20, -10, -10}, 1));
  AddVoid(*this->store_, {.table = TestTable(1)}, 1);
  testkit::ManualTime time;
  SeasonCache seasons(*this->store_, time);
  LadderAdmin admin(*this->store_, seasons, time);
  ASSERT_THAT(admin.Recompute(), testkit::IsOk());
  EXPECT_EQ(this->Get(3, 1).match_count, 0);
  EXPECT_EQ(this->store_->CountPlayers().value(), 3);
  EXPECT_EQ(this->store_->ListStandings({}, 0, 10)->size(), 3u);
  EXPECT_EQ(this->store_->ListRankedNames({}, TestTime(0), 10)->size(), 3u);
  EXPECT_EQ(
      this->store_->ListProvisional({.player_count = 3, .rule = RuleOf(0), .limit = 9})->size(),
      3u);
  const MatchResult next = TestMatch(3, {1, 2, 3}, {20, -10, -10}, 2);
  this->Record(next);
  EXPECT_EQ(this->Get(3, 1).match_count, 1);
  EXPECT_EQ(this->Get(3, 1).update_time, next.match_time);
  ExpectFoldEqualsStandings(*this->store_);
  ASSERT_THAT(admin.Recompute(), testkit::IsOk());
  ExpectFoldEqualsStandings(*this->store_);
}

// If a recomputation ends before Finish(), nothing changes, and a new recomputation succeeds.
TYPED_TEST_P(RatingStoreContract, ChangesNothingIfARecomputationEndsEarly) {
  const std::vector<MatchResult> matches = RandomMatches(5, 30, 9);
  for (const MatchResult& match : matches) this->Record(match);
  AddVoid(*this->store_, {.table = matches[2].table}, 1);
  const auto before = this->store_->ListStandings({}, 0, 1000).value();
  constexpr int kSteps = 5;
  // After a connection is closed, Postgres releases its lock a moment later.
  const auto begin = [&] {
    auto begun = this->store_->BeginRecomputation();
    for (int i = 0; i < 2'000 && absl::IsAborted(begun.status()); ++i) {
      absl::SleepFor(absl::Milliseconds(10));
      begun = this->store_->BeginRecomputation();
    }
    return *std::move(begun);
  };
  for (int steps = 0; steps <= kSteps; ++steps) {
    {
      auto recomputation = begin();
      EXPECT_THAT(this->store_->BeginRecomputation(), testkit::HasReason("STORAGE_CONFLICT"));
      const std::vector<std::function<absl::Status()>> parts = {
          [&] { return recomputation->ReadMatches(7).status(); },
          [&] { return recomputation->AddResults({{.sequence = 1, .player = TestPlayer(1)}}); },
          [&] { return recomputation->SetStandings(before); },
          [&] { return recomputation->SetStandings(before); },
          [&] { return recomputation->BlockRecording(); }};
      ASSERT_EQ(parts.size(), static_cast<std::size_t>(kSteps));
      for (int step = 0; step < steps; ++step) {
        ASSERT_THAT(parts[static_cast<std::size_t>(step)](), testkit::IsOk());
      }
    }
    const auto after = this->store_->ListStandings({}, 0, 1000).value();
    ASSERT_EQ(after.size(), before.size());
    for (std::size_t i = 0; i < after.size(); ++i) {
      ExpectSame(after[i].standing, before[i].standing);
    }
    EXPECT_EQ(this->store_->ReadChangedStandings(std::nullopt)->recomputation, 0);
  }
  testkit::ManualTime time;
  SeasonCache seasons(*this->store_, time);
  LadderAdmin admin(*this->store_, seasons, time);
  absl::StatusOr<RecomputeReport> report = admin.Recompute();
  for (int i = 0; i < 2'000 && GetErrorDetails(report.status()).reason == "OVERLOADED"; ++i) {
    absl::SleepFor(absl::Milliseconds(10));
    report = admin.Recompute();
  }
  ASSERT_THAT(report.status(), testkit::IsOk());
  EXPECT_EQ(this->store_->ReadChangedStandings(std::nullopt)->recomputation, 1);
  ExpectFoldEqualsStandings(*this->store_);
}

TYPED_TEST_P(RatingStoreContract, ReturnsStandingsInOrderAsked) {
  const MatchResult match = TestMatch(1, {1, 2, 3, 5}, {300, -100, -100, -100});
  this->Record(match);
  const RatedMatch expected = RateMatch(match, std::vector<Standing>(4), PlainModel(match), {});
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
  const auto ledger = ReadLedger(*this->store_).value();
  ASSERT_EQ(ledger.size(), 3u);
  EXPECT_LT(ledger[0].sequence, ledger[1].sequence);
  EXPECT_LT(ledger[1].sequence, ledger[2].sequence);
  EXPECT_EQ(ledger[1].table, TestTable(2));
  EXPECT_EQ(ledger[1].match_time, TestTime(30));
  ASSERT_EQ(ledger[1].entries.size(), 4u);
  EXPECT_EQ(ledger[1].entries[0].total, -90);
  EXPECT_TRUE(ledger[0].entries[3].bot);
}

TYPED_TEST_P(RatingStoreContract, ListsChangesOfOneLadderNewestFirst) {
  this->Record(TestMatch(1, {1, 2, 3, 5}, {300, -100, -100, -100}));
  this->Record(TestMatch(2, {1, 2, 3, 4}, {-90, 30, 30, 30}, 30));
  this->Record(TestMatch(3, {1, 2, 3}, {7, -3, -4}, 10));
  const std::int64_t end = ReadLedger(*this->store_).value()[2].sequence + 1;
  const auto changes = this->store_->ListChanges(4, TestPlayer(1), end, 10).value();
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].table, TestTable(2));
  EXPECT_EQ(changes[0].total, -90);
  EXPECT_EQ(changes[0].deal_count, 8);
  EXPECT_EQ(changes[0].match_time, TestTime(30));
  EXPECT_EQ(changes[0].before->mu, changes[1].after->mu);
  EXPECT_GT(changes[0].before->variance, changes[1].after->variance) << "aged by thirty hours";
  EXPECT_EQ(this->store_->ListChanges(4, TestPlayer(1), end, 1).value().size(), 1u);
  EXPECT_EQ(this->store_->ListChanges(4, TestPlayer(1), changes[0].sequence, 10).value().size(),
            1u);
}

// Expects that the leaderboard of four players, and the rank of each player, are those that a
// simple sort of the stored standings gives. If the shown deviation of a player is at most
// `deviation_max`, the player has a place.
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

// Two replicas record matches. From time to time the test restarts one of them, or voids a match.
TYPED_TEST_P(RatingStoreContract, RanksLikePlainSort) {
  constexpr double kDeviationMax = 285;
  testkit::ManualTime time;
  prometheus::Registry registry;
  Metrics metrics(registry);
  Rng rng(1);
  SeasonCache seasons(*this->store_, time);
  LadderAdmin admin(*this->store_, seasons, time);
  std::array<std::unique_ptr<RatingService>, 2> replicas;
  const auto start = [&](std::unique_ptr<RatingService>& replica) {
    replica = std::make_unique<RatingService>(*this->store_, seasons, time, metrics, kDeviationMax);
  };
  for (auto& replica : replicas) start(replica);
  for (MatchResult match : RandomMatches(5, 100, 20)) {
    match.match_time = time.Now();
    RatingService& replica = *replicas[static_cast<std::size_t>(rng.Below(2))];
    ASSERT_THAT(RecordNow(replica, match), testkit::IsOk());
    // The replica that has stored the match must show it at once.
    ASSERT_NO_FATAL_FAILURE(ExpectPlainSort(*this->store_, replica, time.Now(), kDeviationMax));
    if (rng.Below(8) == 0) {
      AddVoid(*this->store_, {.table = match.table}, 1);
      ASSERT_THAT(admin.Recompute(), testkit::IsOk());
    }
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
  EXPECT_EQ(page[0].player, all.back().player) << "upwards from the last place";
}

TYPED_TEST_P(RatingStoreContract, ListsPlayersWithoutPlaceSeparately) {
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
  this->Record(casual);
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
  this->Record(casual);
  EXPECT_FALSE(RecordInto(*this->store_, casual).value());
  EXPECT_EQ(this->store_->CountPlayers().value(), 0);
  this->Record(TestMatch(2, {1, 2, 3}, {20, -10, -10}));
  EXPECT_EQ(this->Get(3, 1).match_count, 1);
  EXPECT_EQ(ReadLedger(*this->store_).value().size(), 1u);
  EXPECT_EQ(this->store_->ListChanges(3, TestPlayer(1), 1'000'000, 10).value().size(), 1u);
  ExpectFoldEqualsStandings(*this->store_);
}

TYPED_TEST_P(RatingStoreContract, ListsMatchesOfAllTablesNewestFirstPageByPage) {
  this->Record(TestMatch(1, {1, 2, 3, 5}, {300, -100, -100, -100}));
  MatchResult casual = TestMatch(2, {1, 2, 3}, {-40, 20, 20}, 1);
  casual.rated = false;
  this->Record(casual);
  this->Record(TestMatch(3, {2, 3, 4}, {2, -1, -1}, 2));
  this->Record(TestMatch(4, {1, 2, 3, 4}, {-90, 30, 30, 30}, 3));
  testkit::ManualTime time;
  prometheus::Registry registry;
  Metrics metrics(registry);
  SeasonCache seasons(*this->store_, time);
  RatingService service(*this->store_, seasons, time, metrics, 230);

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
  ExpectFoldEqualsStandings(*this->store_);
}

TYPED_TEST_P(RatingStoreContract, ListsTheNamesOfPeopleWithARecentRankedMatch) {
  this->Record(TestMatch(1, {1, 2, 3, 5}, {300, -100, -100, -100}));  // Player 5 is a bot.
  this->Record(TestMatch(2, {3, 4, 6}, {2, -1, -1}, 10));
  MatchResult casual = TestMatch(3, {1, 7, 8}, {50, -20, -30}, 20);
  casual.rated = false;
  this->Record(casual);
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

TYPED_TEST_P(RatingStoreContract, ListsBansAmongTheRevocations) {
  const absl::Time end = TestTime(100);
  const PlayerId anna = {TestUuid(4, 1)};
  const PlayerId bea = {TestUuid(4, 2)};
  ASSERT_THAT(this->store_->SetBan(
                  {.player = anna, .create_time = TestTime(1), .end_time = end, .message = "a"}),
              testkit::IsOk());
  ASSERT_TRUE(this->store_->Revoke({.subject = anna.uuid, .expire_time = end}, 10).value());
  ASSERT_THAT(
      this->store_->SetBan({.player = bea, .create_time = TestTime(2), .end_time = TestTime(50)}),
      testkit::IsOk());
  const RevocationPage page = this->store_->ListRevocations(0, 10).value();
  ASSERT_EQ(page.revocations.size(), 3u) << "a ban replaces no revocation of the same player";
  EXPECT_TRUE(page.revocations[0].ban);
  EXPECT_EQ(page.revocations[0].subject, anna.uuid);
  EXPECT_EQ(page.revocations[0].expire_time, end);
  EXPECT_EQ(page.revocations[0].message, "a");
  EXPECT_FALSE(page.revocations[1].ban);
  EXPECT_EQ(page.known_sequence, 3);

  const std::int64_t all = std::numeric_limits<std::int64_t>::max();
  const std::vector<Ban> newest = this->store_->ListBans(TestTime(10), all, 1).value();
  ASSERT_EQ(newest.size(), 1u);
  EXPECT_EQ(newest[0].player, bea);
  EXPECT_EQ(this->store_->ListBans(TestTime(10), newest[0].sequence, 1)->at(0).player, anna);
  EXPECT_EQ(this->store_->ListBans(TestTime(50), all, 10)->size(), 1u) << "Bea's has ended";

  // When a ban ends, the change gets a new sequence number, so that every gateway reads it.
  ASSERT_THAT(
      this->store_->SetBan({.player = anna, .create_time = TestTime(3), .end_time = TestTime(3)}),
      testkit::IsOk());
  const RevocationPage later = this->store_->ListRevocations(3, 10).value();
  ASSERT_EQ(later.revocations.size(), 1u);
  EXPECT_EQ(later.revocations[0].expire_time, TestTime(3));
  EXPECT_TRUE(this->store_->ListBans(TestTime(50), all, 10)->empty());
}

TYPED_TEST_P(RatingStoreContract, KeepsTheLimitsOfGateways) {
  EXPECT_EQ(this->store_->GatewayLimits().value(), LimitValues());
  ASSERT_THAT(this->store_->SetGatewayLimits({{"a", 0.1}, {"b", 2}}, {}), testkit::IsOk());
  ASSERT_THAT(this->store_->SetGatewayLimits({{"b", 3}, {"c", 4}}, {"a", "d"}), testkit::IsOk());
  EXPECT_EQ(this->store_->GatewayLimits().value(), (LimitValues{{"b", 3}, {"c", 4}}));
  ASSERT_THAT(this->store_->SetGatewayLimits({{"a", 0.1}}, {"b", "c"}), testkit::IsOk());
  EXPECT_EQ(this->store_->GatewayLimits().value(), (LimitValues{{"a", 0.1}}));
}

TYPED_TEST_P(RatingStoreContract, ADeletedPlayerKeepsTheResultsAndNoName) {
  this->Record(TestMatch(1, {1, 2, 3}, {30, -10, -20}));
  const PlayerId player = TestPlayer(1);
  EXPECT_NE(this->store_->ExportPlayer(player)->find("\"P1\""), std::string::npos);
  ASSERT_THAT(this->store_->DeletePlayer(player, TestTime(5)), testkit::IsOk());
  ASSERT_THAT(this->store_->DeletePlayer(player, TestTime(6)), testkit::IsOk());
  EXPECT_EQ(this->Get(3, 1).display_name, kDeletedName);
  EXPECT_EQ(this->Get(3, 1).match_count, 1);
  EXPECT_EQ(this->store_->ExportPlayer(player)->find("\"P1\""), std::string::npos);
  EXPECT_TRUE(this->store_->SearchPlayers(kDeletedName, PlayerId(), 10)->empty());
  // A result that arrives after the deletion must not restore the name.
  this->Record(TestMatch(2, {1, 2, 3}, {30, -10, -20}));
  EXPECT_EQ(this->Get(3, 1).display_name, kDeletedName);
  const std::vector<RankedName> names = this->store_->ListRankedNames({}, TestTime(-1), 10).value();
  for (const RankedName& name : names) EXPECT_NE(name.player, player);
}

REGISTER_TYPED_TEST_SUITE_P(
    RatingStoreContract, ListsBansAmongTheRevocations, KeepsTheLimitsOfGateways,
    ADeletedPlayerKeepsTheResultsAndNoName, ListsTheNamesOfPeopleWithARecentRankedMatch,
    ListsRevocationsInTheirOrderPageByPage, KeepsTheLaterTimesOfARepeatedRevocation,
    RemovesExpiredRevocationsAndHoldsNoMoreThanTheLimit, RecordsMatchOnce,
    KeepsSeasonsAndTheLuckOfTheirMatches, RatesAMatchByPointsIfTheLadderHasNoSeason,
    RecordsABatchLikeSingleMatches, StoresNothingOfAMatchThatIsLeftOut, CountsWhatAVoidCovers,
    RecomputesWithoutVoidMatches, ForgetsAPlayerWithoutMatchUntilTheNextOne,
    ChangesNothingIfARecomputationEndsEarly, ReturnsStandingsInOrderAsked, ListsStandingsPageByPage,
    ReadsWhatChangedAfterTheCursor, KeepsNewestNameOnEveryLadder, ReadsLedgerInOrderOfRecording,
    ListsChangesOfOneLadderNewestFirst, RanksLikePlainSort, ListsPlacesFromKeyInBothDirections,
    ListsPlayersWithoutPlaceSeparately, TakesPlacesAwayAfterAbsence, KeepsUnratedMatchOutOfRatings,
    ListsMatchesOfAllTablesNewestFirstPageByPage, LedgerRecomputesToStandings);

}  // namespace tarot::ratings_service
