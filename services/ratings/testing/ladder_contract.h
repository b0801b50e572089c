// Defines the contract test of the lists that players see, for RatingService on any RatingStore.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "services/ratings/testing/rating_store_contract.h"

namespace tarot::ratings_service {

// `Factory::Make()` returns a new, empty store.
template <typename Factory>
class LadderContract : public testing::Test {
 protected:
  static constexpr double kDeviationMax = 285;

  std::unique_ptr<RatingService> NewReplica() {
    return std::make_unique<RatingService>(*store_, seasons_, time_, metrics_, kDeviationMax);
  }

  const std::unique_ptr<RatingStore> store_ = Factory::Make();
  testkit::ManualTime time_;
  prometheus::Registry registry_;
  Metrics metrics_{registry_};
  SeasonCache seasons_{*store_, time_};
};

TYPED_TEST_SUITE_P(LadderContract);

// Returns the rank of each player on the ladder of four players.
inline std::map<PlayerId, std::int64_t> RanksOf(RatingService& service) {
  std::map<PlayerId, std::int64_t> ranks;
  const RatingList list = service.ListRatings({.page_size = 100}).value();
  EXPECT_EQ(list.total_size, static_cast<std::int64_t>(list.ratings.size()));
  for (const ShownRating& each : list.ratings) ranks[each.standing.player] = each.rank.value();
  return ranks;
}

// One replica runs all the time. After each match, another replica starts, and reads the places at
// the beginning of the week from the ledger. `then` has the ranks at the beginning of the week.
// Both replicas must use these ranks when they count how many places a player has gained.
TYPED_TEST_P(LadderContract, CountsThePlacesGainedInAWeek) {
  // 2026-06-01 is a Monday.
  const absl::Time monday = absl::FromCivil(absl::CivilDay(2026, 6, 1), absl::UTCTimeZone());
  this->time_.Advance(monday - this->time_.Now());
  LadderAdmin admin(*this->store_, this->seasons_, this->time_);
  const auto running = this->NewReplica();
  std::map<PlayerId, std::int64_t> then;
  int compared = 0, moved = 0, hours = 0;
  for (MatchResult match : RandomMatches(9, 120, 20)) {
    match.match_time = this->time_.Now() + absl::Minutes(1);
    ASSERT_THAT(RecordNow(*running, match), testkit::IsOk());
    ASSERT_THAT(running->RefreshPlaces(), testkit::IsOk());
    if (hours % (24 * 7) == 24 * 3) {
      AddVoid(*this->store_, {.table = match.table}, 1);
      ASSERT_THAT(admin.Recompute(), testkit::IsOk());
    }
    this->time_.Advance(absl::Hours(6));
    hours += 6;
    if (hours % (24 * 7) == 0) then = RanksOf(*running);
    const auto started = this->NewReplica();
    const std::map<PlayerId, std::int64_t> now = RanksOf(*running);
    for (const auto& [player, rank] : now) {
      for (RatingService* const replica : {running.get(), started.get()}) {
        const ShownRating shown = replica->GetRating(4, player).value().ratings[0];
        const auto before = then.find(player);
        ASSERT_EQ(shown.week_change.has_value(), before != then.end()) << hours;
        if (!shown.week_change) continue;
        ASSERT_EQ(*shown.week_change, before->second - rank) << hours;
        ++compared;
        moved += *shown.week_change != 0 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(compared, 500);
  EXPECT_GT(moved, 100);
}

TYPED_TEST_P(LadderContract, ListsOnlySomePlayersWithTheirPlacesAmongAll) {
  const auto service = this->NewReplica();
  for (MatchResult match : RandomMatches(5, 80, 30)) {
    match.match_time = this->time_.Now();
    ASSERT_THAT(RecordNow(*service, match), testkit::IsOk());
  }
  const std::map<PlayerId, std::int64_t> ranks = RanksOf(*service);
  ListRatingsQuery query{.page_size = 2, .show_provisional = true};
  for (int player = 1; player <= 30; player += 2) query.players.push_back(TestPlayer(player));
  std::vector<ShownRating> listed;
  do {
    const RatingList page = service->ListRatings(query).value();
    EXPECT_LE(page.ratings.size(), 2u);
    listed.insert(listed.end(), page.ratings.begin(), page.ratings.end());
    query.page_token = page.next_page_token;
  } while (!query.page_token.empty());
  std::size_t places = 0, provisional = 0;
  for (std::size_t i = 0; i < listed.size(); ++i) {
    const PlayerId player = listed[i].standing.player;
    const auto rank = ranks.find(player);
    EXPECT_EQ(listed[i].rank, rank == ranks.end() ? std::nullopt : std::optional(rank->second));
    (listed[i].rank ? places : provisional) += 1;
    if (i == 0) continue;
    const bool same_part = listed[i - 1].rank.has_value() == listed[i].rank.has_value();
    EXPECT_TRUE(same_part ? listed[i - 1].rating >= listed[i].rating : !listed[i].rank);
  }
  EXPECT_GT(places, 2u);
  EXPECT_GT(provisional, 0u);
  query.show_provisional = false;
  query.page_size = 100;
  EXPECT_EQ(service->ListRatings(query).value().ratings.size(), places);
  query.around = TestPlayer(1);
  EXPECT_THAT(service->ListRatings(query), testkit::HasReason("BAD_REQUEST"));
  query.around.reset();
  query.players.resize(kListedPlayersMax + 1, TestPlayer(1));
  EXPECT_THAT(service->ListRatings(query), testkit::HasReason("BAD_REQUEST"));
}

// Player 1 is the taker in two deals and a defender in one deal. The fourth deal shows no roles.
TYPED_TEST_P(LadderContract, SumsTheDealsOfEachRole) {
  const auto match = [&](int table) {
    MatchResult result = TestMatch(table, {1, 2, 3, 4}, {90, -150, 30, 30});
    result.deal_count = 4;
    result.match_time = this->time_.Now();
    AddDeals(result);
    const std::vector<std::vector<int>> scores = {
        {180, -60, -60, -60}, {-120, 40, 40, 40}, {30, -90, 30, 30}, {0, -40, 20, 20}};
    for (std::size_t i = 0; i < scores.size(); ++i) {
      result.deals[i + 1].scores = scores[i];
      result.deals[i + 1].stand_ins.clear();
    }
    return result;
  };
  const auto service = this->NewReplica();
  EXPECT_TRUE(service->GetStatistics(4, TestPlayer(1)).value().roles.empty());
  ASSERT_THAT(RecordNow(*service, match(1)), testkit::IsOk());
  PlayerStatistics statistics = service->GetStatistics(4, TestPlayer(1)).value();
  EXPECT_EQ(statistics.match_count, 1);
  ASSERT_EQ(statistics.roles.size(), 2u) << "the fourth deal shows no roles";
  EXPECT_EQ(statistics.roles[0].role, rating::Role::kTaker);
  EXPECT_EQ(statistics.roles[0].deal_count, 2);
  EXPECT_EQ(statistics.roles[0].won_count, 1);
  EXPECT_EQ(statistics.roles[0].points, 60);
  EXPECT_EQ(statistics.roles[0].result, 60) << "without a season, the points are the result";
  EXPECT_EQ(statistics.roles[1].role, rating::Role::kDefender);
  EXPECT_EQ(statistics.roles[1].deal_count, 1);
  EXPECT_EQ(statistics.roles[1].points, 30);

  // A season corrects results for luck. If a bot acted for the player in a deal, the deal does not
  // count.
  LadderAdmin admin(*this->store_, this->seasons_, this->time_);
  ASSERT_THAT(admin.StartSeasons({TestSeason(1)}), testkit::IsOk());
  MatchResult second = match(2);
  second.deals[2].stand_ins = {0};
  ASSERT_THAT(RecordNow(*service, second), testkit::IsOk());
  statistics = service->GetStatistics(4, TestPlayer(1)).value();
  EXPECT_EQ(statistics.match_count, 2);
  EXPECT_EQ(statistics.roles[0].deal_count, 3);
  TakeLuckOut(TestSeason(1), second);
  const DealtDeal& deal = second.deals[1];
  const rating::DealLuck luck = rating::LuckOf(
      TestSeason(1).numbers, deal.dealer, deal.baseline->mean_scores, deal.baseline->deviation);
  EXPECT_DOUBLE_EQ(statistics.roles[0].result, 60 + rating::ResultsOf(luck, deal.scores)[0]);

  // The history has the roles of each match.
  auto changes = service->ListChanges({.player = TestPlayer(1)}).value().changes;
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].roles[0].points, 180);
  EXPECT_EQ(changes[1].roles[0].points, 60);
  changes = service->ListChanges({.player = TestPlayer(2)}).value().changes;
  EXPECT_EQ(changes[0].roles[0].role, rating::Role::kTaker);
  EXPECT_EQ(changes[0].roles[0].points, -90);

  AddVoid(*this->store_, {.table = TestTable(2)}, 1);
  ASSERT_THAT(admin.Recompute(), testkit::IsOk());
  EXPECT_EQ(service->GetStatistics(4, TestPlayer(1)).value().match_count, 1);
  changes = service->ListChanges({.player = TestPlayer(1)}).value().changes;
  EXPECT_TRUE(changes[0].roles.empty()) << "a void match";
  EXPECT_EQ(changes[1].roles[0].points, 60);
}

TYPED_TEST_P(LadderContract, FindsPlayersByTheBeginningOfTheName) {
  const auto service = this->NewReplica();
  EXPECT_TRUE(service->SearchPlayers({.text = "a"}).value().ratings.empty());
  const std::vector<std::string> names = {"Ada",    "ADAM",   "adam b", "Bea", "Adam%",
                                          "Ad_ela", "Adamas", "Zoe",    "Adam"};
  for (int table = 1; table <= 3; ++table) {
    MatchResult match = TestMatch(table, {3 * table - 2, 3 * table - 1, 3 * table}, {20, -10, -10});
    match.rated = table != 2;
    match.match_time = this->time_.Now();
    for (int i = 0; i < 3; ++i) {
      match.players[static_cast<std::size_t>(i)].display_name =
          names[static_cast<std::size_t>(3 * table - 3 + i)];
    }
    ASSERT_THAT(RecordNow(*service, match), testkit::IsOk());
  }
  const auto found = [&](SearchQuery query) {
    std::vector<std::string> result;
    do {
      const RatingList page = service->SearchPlayers(query).value();
      for (const ShownRating& each : page.ratings) result.push_back(each.standing.display_name);
      query.page_token = page.next_page_token;
    } while (!query.page_token.empty());
    return result;
  };
  const std::vector<std::string> adams = {"ADAM", "Adam", "adam b", "Adam%", "Adamas"};
  EXPECT_EQ(found({.text = "adam"}), adams);
  for (const int page_size : {1, 2, 3}) {
    EXPECT_EQ(found({.text = "ADAM", .page_size = page_size}), adams);
  }
  EXPECT_EQ(found({.text = "Adam%"}), std::vector<std::string>{"Adam%"});
  EXPECT_EQ(found({.text = "ad_"}), std::vector<std::string>{"Ad_ela"});
  EXPECT_TRUE(found({.text = "dam"}).empty());
  const RatingList list = service->SearchPlayers({.text = "ada", .player_count = 3}).value();
  EXPECT_EQ(list.ratings[0].standing.match_count, 1);
  EXPECT_GT(list.ratings[0].rating, 1500);

  const auto refused = [&](const SearchQuery& query) {
    return GetErrorDetails(service->SearchPlayers(query).status()).metadata["field"];
  };
  EXPECT_EQ(refused({}), "query");
  EXPECT_EQ(refused({.text = std::string(kSearchBytesMax + 1, 'x')}), "query");
  EXPECT_EQ(refused({.text = std::string("a\0b", 3)}), "query");
  EXPECT_EQ(refused({.text = "a", .page_size = -1}), "page_size");
  EXPECT_EQ(refused({.text = "a", .page_token = "x"}), "page_token");
  EXPECT_EQ(refused({.text = "a", .player_count = 7}), "player_count");
}

// A new season makes all ratings less certain, even the ratings of players who do not play. A
// recomputation must give the same ratings.
TYPED_TEST_P(LadderContract, MakesRatingsLessCertainWhenASeasonBegins) {
  const auto service = this->NewReplica();
  LadderAdmin admin(*this->store_, this->seasons_, this->time_);
  const auto play = [&](int table, bool deals) {
    MatchResult match = TestMatch(table, {1, 2, 3, 4}, {90, -150, 30, 30});
    match.match_time = this->time_.Now();
    if (deals) AddDeals(match);
    ASSERT_THAT(RecordNow(*service, match), testkit::IsOk());
  };
  const auto variance = [&] {
    return service->GetRating(4, TestPlayer(1)).value().ratings[0].standing.skill.variance;
  };
  ASSERT_THAT(admin.StartSeasons({TestSeason(1)}), testkit::IsOk());
  for (int table = 1; table <= 20; ++table) play(table, true);
  this->time_.Advance(kSeasonChangeDelay);
  const double before = variance();
  ASSERT_THAT(admin.StartSeasons({TestSeason(2)}), testkit::IsOk());
  this->time_.Advance(kSeasonChangeDelay - absl::Seconds(1));
  const rating::Model model = TestSeason(2).model();
  const double hour = model.VarianceGrowthPerSecond() * 3600;
  EXPECT_NEAR(variance(), before, hour) << "the season counts only after a delay";
  this->time_.Advance(absl::Seconds(1));
  EXPECT_NEAR(variance(), before + model.Prior().variance / 10, hour);

  // With a stricter limit, the player has no place. Only the list with provisional ratings shows
  // the player.
  const double deviation = service->GetRating(4, TestPlayer(1)).value().ratings[0].deviation;
  RatingService strict(*this->store_, this->seasons_, this->time_, this->metrics_, deviation - 1);
  EXPECT_TRUE(strict.ListRatings({}).value().ratings.empty());
  EXPECT_EQ(strict.ListRatings({.show_provisional = true}).value().ratings.size(), 4u);
  RatingService loose(*this->store_, this->seasons_, this->time_, this->metrics_, deviation + 1);
  EXPECT_EQ(loose.ListRatings({}).value().ratings.size(), 4u);
  EXPECT_EQ(loose.ListRatings({.show_provisional = true}).value().ratings.size(), 4u);

  play(21, false);
  play(22, true);
  EXPECT_LT(variance(), before + model.Prior().variance / 10);
  const auto changes = service->ListChanges({.player = TestPlayer(1)}).value().changes;
  EXPECT_NEAR(
      changes[1].change.before->variance,
      changes[2].change.after->variance + rating::Model::ForTable(4).VarianceGrowthPerSeason(),
      hour)
      << "the match has no deals, so it is rated by plain points";
  EXPECT_EQ(changes[0].change.before->variance, changes[1].change.after->variance)
      << "a season counts once";
  EXPECT_EQ(admin.Recompute().value().different_count, 0);
  ExpectFoldEqualsStandings(*this->store_);
}

// Players play matches and change their countries. All replicas must show the same leaderboards of
// the countries.
TYPED_TEST_P(LadderContract, RanksThePlayersOfACountry) {
  const std::array<std::unique_ptr<RatingService>, 2> replicas = {this->NewReplica(),
                                                                  this->NewReplica()};
  const std::vector<std::string> countries = {"", "BE", "FR"};
  std::map<PlayerId, std::string> chosen;
  Rng rng(3);
  std::size_t listed = 0;
  for (MatchResult match : RandomMatches(5, 60, 20)) {
    match.match_time = this->time_.Now();
    RatingService& service = *replicas[static_cast<std::size_t>(rng.Below(2))];
    ASSERT_THAT(RecordNow(service, match), testkit::IsOk());
    const PlayerId player = match.players[0].player;
    chosen[player] = countries[static_cast<std::size_t>(rng.Below(3))];
    ASSERT_THAT(service.SetCountry(player, chosen[player]), testkit::IsOk());
    this->time_.Advance(kPlacesAgeMax * 2);
    const auto started = this->NewReplica();
    for (RatingService* const each : {replicas[0].get(), replicas[1].get(), started.get()}) {
      std::map<std::string, std::vector<PlayerId>> expected;
      const RatingList all = each->ListRatings({.page_size = 100}).value();
      for (const ShownRating& rating : all.ratings) {
        EXPECT_EQ(rating.standing.country, chosen[rating.standing.player]);
        expected[rating.standing.country].push_back(rating.standing.player);
      }
      for (const std::string country : {"BE", "FR"}) {
        const RatingList list = each->ListRatings({.page_size = 100, .country = country}).value();
        ASSERT_EQ(list.ratings.size(), expected[country].size());
        EXPECT_EQ(list.total_size, static_cast<std::int64_t>(list.ratings.size()));
        for (std::size_t i = 0; i < list.ratings.size(); ++i) {
          EXPECT_EQ(list.ratings[i].standing.player, expected[country][i]);
          EXPECT_EQ(list.ratings[i].rank, static_cast<std::int64_t>(i) + 1);
          ++listed;
        }
      }
    }
  }
  EXPECT_GT(listed, 500u);
  RatingService& service = *replicas[0];
  const RatingList french =
      service.ListRatings({.page_size = 100, .show_provisional = true, .country = "FR"}).value();
  EXPECT_EQ(
      french.ratings.size(),
      static_cast<std::size_t>(std::count_if(chosen.begin(), chosen.end(), [&](const auto& player) {
        return player.second == "FR" &&
               this->store_->GetStandings(4, {player.first}).value()[0].match_count > 0;
      })));
  PlayerId belgian;
  for (const auto& [player, country] : chosen) {
    if (country == "BE") belgian = player;
  }
  EXPECT_THAT(service.ListRatings({.around = belgian, .show_provisional = true, .country = "FR"}),
              testkit::HasReason("NOT_RANKED"));
  EXPECT_TRUE(service.ListRatings({.country = "DE"}).value().ratings.empty());

  EXPECT_THAT(service.SetCountry(TestPlayer(99), "FR"), testkit::HasReason("PLAYER_NOT_FOUND"));
  for (const std::string wrong : {"fr", "F", "FRA", "XX", "RA", "R ", " F"}) {
    EXPECT_THAT(service.SetCountry(TestPlayer(1), wrong), testkit::HasReason("BAD_REQUEST"));
    EXPECT_THAT(service.ListRatings({.country = wrong}), testkit::HasReason("BAD_REQUEST"));
  }
  EXPECT_THAT(service.ListRatings({.players = {TestPlayer(1)}, .country = "FR"}),
              testkit::HasReason("BAD_REQUEST"));
}

REGISTER_TYPED_TEST_SUITE_P(LadderContract, RanksThePlayersOfACountry,
                            MakesRatingsLessCertainWhenASeasonBegins, CountsThePlacesGainedInAWeek,
                            FindsPlayersByTheBeginningOfTheName,
                            ListsOnlySomePlayersWithTheirPlacesAmongAll, SumsTheDealsOfEachRole);

}  // namespace tarot::ratings_service
