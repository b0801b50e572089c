// What every RatingStore must do. Included by the tests of the fake and of Postgres.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "libs/base/rng.h"
#include "libs/testkit/status_matchers.h"
#include "services/ratings/app/ledger.h"
#include "services/ratings/app/rating_store.h"

namespace tarot::ratings {

inline Uuid TestUuid(int kind, int number) {
  std::array<std::uint8_t, 16> bytes{};
  bytes[0] = static_cast<std::uint8_t>(kind);
  bytes[14] = static_cast<std::uint8_t>(number / 256);
  bytes[15] = static_cast<std::uint8_t>(number % 256);
  return Uuid(bytes);
}
inline PlayerId TestPlayer(int number) { return {TestUuid(1, number)}; }
inline TableId TestTable(int number) { return {TestUuid(2, number)}; }

inline absl::Time TestTime(int hours) {  // With microseconds, which must survive.
  return absl::FromUnixMicros(1'767'225'600'123'457) + absl::Hours(hours);
}

// Players in the order of their numbers, which must be ascending.
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

// `count` matches of 3 to 5 among `players` players, not all in the order of time.
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

inline absl::StatusOr<RatingStore::Recorded> RecordInto(RatingStore& store,
                                                        const MatchResult& match) {
  return store.Record(match, [&](const std::vector<Standing>& standings) {
    return RateMatch(match, standings).entries;
  });
}

// Everybody who was ever rated may hold a place, or nobody.
inline PlaceRule RuleOf(double variance_max) {
  return {.now = TestTime(1000), .variance_max = variance_max};
}

inline std::vector<PlayerId> PlayersOf(const std::vector<Place>& places) {
  std::vector<PlayerId> players;
  for (const Place& place : places) players.push_back(place.standing.player);
  return players;
}

inline void ExpectSame(const Standing& actual, const Standing& expected) {
  EXPECT_EQ(actual.player, expected.player);
  EXPECT_EQ(actual.skill, expected.skill) << "to the last bit";
  EXPECT_EQ(actual.match_count, expected.match_count);
  EXPECT_EQ(actual.update_time, expected.update_time);
}

inline void CheckRecordsOnce(RatingStore& store) {
  const MatchResult match = TestMatch(1, {1, 2, 3, 5}, {300, -100, -100, -100});
  const auto first = RecordInto(store, match);
  ASSERT_THAT(first, testkit::IsOk());
  EXPECT_FALSE(first->replayed);
  EXPECT_EQ(first->new_player_count, 4);

  MatchResult changed = match;  // Whatever comes under the same key, the first outcome stands.
  changed.players[0].total = -300;
  changed.players[0].display_name = "Other";
  changed.players[3].total = 500;
  for (const MatchResult& again : {match, changed}) {
    const auto replay = RecordInto(store, again);
    ASSERT_THAT(replay, testkit::IsOk());
    EXPECT_TRUE(replay->replayed);
    EXPECT_EQ(replay->new_player_count, 0);
  }
  EXPECT_EQ(store.CountPlayers().value(), 4);

  const std::vector<Standing> newcomers(4);
  const RatedMatch expected = RateMatch(match, newcomers);
  const auto places =
      store.GetPlaces(4, RuleOf(0), {TestPlayer(5), TestPlayer(9), TestPlayer(1)}).value();
  ASSERT_EQ(places.size(), 3u) << "in the order asked";
  ExpectSame(places[0].standing, {.player = TestPlayer(5),
                                  .skill = expected.entries[3].after,
                                  .match_count = 1,
                                  .update_time = match.match_time});
  EXPECT_TRUE(places[0].standing.bot);
  EXPECT_EQ(places[1].standing.player, TestPlayer(9));
  EXPECT_EQ(places[1].standing.match_count, 0);
  EXPECT_FALSE(places[1].rank);
  EXPECT_EQ(places[2].standing.display_name, "P1");
  EXPECT_FALSE(places[2].standing.bot);
  EXPECT_EQ(places[2].standing.skill, expected.entries[0].after);
  EXPECT_EQ(store.GetPlaces(3, RuleOf(0), {TestPlayer(1)}).value()[0].standing.match_count, 0)
      << "each size of table has its own ladder";
}

// Goes on after CheckRecordsOnce.
inline void CheckLedgerAndHistory(RatingStore& store) {
  ASSERT_THAT(RecordInto(store, TestMatch(2, {1, 2, 3, 4}, {-90, 30, 30, 30}, 30)),
              testkit::IsOk());
  MatchResult renamed = TestMatch(3, {1, 2, 3}, {7, -3, -4}, 10);
  renamed.players[0].display_name = "Élise \"L'Excuse\" \\ {1,2}";
  ASSERT_THAT(RecordInto(store, renamed), testkit::IsOk());

  const auto ledger = store.ReadLedger(0, 100).value();
  ASSERT_EQ(ledger.size(), 3u);
  EXPECT_LT(ledger[0].sequence, ledger[1].sequence);
  EXPECT_LT(ledger[1].sequence, ledger[2].sequence);
  EXPECT_EQ(ledger[1].table, TestTable(2));
  EXPECT_EQ(ledger[1].match_time, TestTime(30));
  ASSERT_EQ(ledger[1].entries.size(), 4u);
  EXPECT_EQ(ledger[1].entries[0].total, -90);
  EXPECT_TRUE(ledger[0].entries[3].bot);
  EXPECT_EQ(store.ReadLedger(0, 2).value().size(), 2u);
  EXPECT_EQ(store.ReadLedger(ledger[0].sequence, 100).value().size(), 2u);

  const auto changes = store.ListChanges(4, TestPlayer(1), ledger[2].sequence + 1, 10).value();
  ASSERT_EQ(changes.size(), 2u) << "only this ladder";
  EXPECT_EQ(changes[0].table, TestTable(2)) << "newest first";
  EXPECT_EQ(changes[0].total, -90);
  EXPECT_EQ(changes[0].deal_count, 8);
  EXPECT_EQ(changes[0].match_time, TestTime(30));
  EXPECT_EQ(changes[0].before.mu, changes[1].after.mu);
  EXPECT_GT(changes[0].before.variance, changes[1].after.variance) << "aged by thirty hours";
  EXPECT_EQ(store.ListChanges(4, TestPlayer(1), ledger[2].sequence + 1, 1).value().size(), 1u);
  EXPECT_EQ(store.ListChanges(4, TestPlayer(1), changes[0].sequence, 10).value().size(), 1u);

  EXPECT_EQ(store.GetPlaces(4, RuleOf(0), {TestPlayer(1)}).value()[0].standing.display_name,
            renamed.players[0].display_name)
      << "a name is the player's, on every ladder";
}

// Goes on from there: many matches, then the board against a plain sort.
inline void CheckBoard(RatingStore& store) {
  for (MatchResult& match : RandomMatches(11, 120, 25)) {
    match.table.uuid = TestUuid(3, static_cast<int>(match.table.uuid.bytes()[15]));
    ASSERT_THAT(RecordInto(store, match), testkit::IsOk());
  }
  std::vector<PlayerId> everybody;
  for (int p = 1; p <= 25; ++p) everybody.push_back(TestPlayer(p));
  std::vector<Place> rated;
  const std::vector<Place> all = store.GetPlaces(4, RuleOf(0), everybody).value();
  for (const Place& place : all) {
    if (place.standing.match_count > 0) rated.push_back(place);
  }
  std::vector<double> variances;
  for (const Place& place : rated) variances.push_back(place.standing.skill.variance);
  std::sort(variances.begin(), variances.end());
  const PlaceRule rule = RuleOf(variances[variances.size() / 2]);

  std::sort(rated.begin(), rated.end(),
            [](const Place& a, const Place& b) { return a.key() > b.key(); });
  std::vector<PlayerId> ranked;
  std::vector<PlayerId> provisional;
  for (const Place& place : rated) {
    const bool certain = place.standing.skill.variance <= rule.variance_max;
    (certain ? ranked : provisional).push_back(place.standing.player);
  }
  ASSERT_GT(ranked.size(), 5u);
  ASSERT_GT(provisional.size(), 5u);

  PlacesQuery query{.player_count = 4, .rule = rule, .limit = 100};
  auto places = store.ListPlaces(query).value();
  EXPECT_EQ(PlayersOf(places), ranked);
  for (std::size_t i = 0; i < places.size(); ++i) {
    EXPECT_EQ(places[i].rank, static_cast<std::int64_t>(i) + 1);
    const auto same = store.GetPlaces(4, rule, {places[i].standing.player}).value();
    EXPECT_EQ(same[0].rank, places[i].rank);
    ExpectSame(same[0].standing, places[i].standing);
  }

  query.past = places[2].key();  // Down from the third, then up from it.
  query.limit = 2;
  places = store.ListPlaces(query).value();
  EXPECT_EQ(PlayersOf(places), std::vector({ranked[3], ranked[4]}));
  EXPECT_EQ(places[0].rank, 4);
  query.upwards = true;
  query.past = places[1].key();
  places = store.ListPlaces(query).value();
  EXPECT_EQ(PlayersOf(places), std::vector({ranked[3], ranked[2]}));
  EXPECT_EQ(places[0].rank, 4);
  EXPECT_EQ(places[1].rank, 3);
  query.past.reset();
  places = store.ListPlaces(query).value();
  EXPECT_EQ(places[0].rank, static_cast<std::int64_t>(ranked.size())) << "up from the bottom";

  places = store.ListPlaces({.player_count = 4, .rule = rule, .provisional = true, .limit = 100})
               .value();
  EXPECT_EQ(PlayersOf(places), provisional);
  for (const Place& place : places) EXPECT_FALSE(place.rank);

  PlaceRule later = rule;  // Absence takes places away.
  later.variance_growth_per_second = 1;
  EXPECT_TRUE(store.ListPlaces({.player_count = 4, .rule = later, .limit = 100}).value().empty());
}

// The fold over the ledger is what the store says, for every player and ladder, to the last bit.
inline void CheckRecomputeIsLive(RatingStore& store) {
  const Standings recomputed = Recompute(store).value();
  ASSERT_FALSE(recomputed.empty());
  std::size_t rated = 0;
  for (const auto& [key, standing] : recomputed) {
    const auto live = store.GetPlaces(key.first, RuleOf(0), {key.second}).value();
    ExpectSame(live[0].standing, standing);
  }
  for (const int player_count : {3, 4, 5}) {
    rated += store
                 .ListPlaces({.player_count = player_count,
                              .rule = RuleOf(0),
                              .provisional = true,
                              .limit = 10'000})
                 .value()
                 .size();
  }
  EXPECT_EQ(rated, recomputed.size());
}

// Expects an empty store.
inline void CheckRatingStoreContract(RatingStore& store) {
  CheckRecordsOnce(store);
  CheckLedgerAndHistory(store);
  CheckBoard(store);
  CheckRecomputeIsLive(store);
}

}  // namespace tarot::ratings
