#include "services/ratings/app/rating_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_replace.h"
#include "libs/ai/luck/baseline.h"
#include "libs/testkit/manual_time.h"
#include "libs/testkit/status_matchers.h"
#include "services/ratings/app/ladder_admin.h"
#include "services/ratings/app/player_admin.h"
#include "services/ratings/limits.h"
#include "services/ratings/testing/fake_rating_store.h"
#include "services/ratings/testing/rating_store_contract.h"

namespace tarot::ratings_service {
namespace {

using testkit::HasReason;
using testkit::IsOk;

class RatingServiceTest : public testing::Test {
 protected:
  MatchResult Match(int table, const std::vector<int>& players, const std::vector<int>& totals) {
    MatchResult match = TestMatch(table, players, totals);
    match.match_time = time_.Now();
    return match;
  }

  // Plays `rounds` rounds. In each round, every four players with consecutive numbers play a match.
  // Players with lower numbers get more points.
  void Play(int players, int rounds = 6) {
    for (int round = 0; round < rounds; ++round) {
      for (int p = 1; p + 3 <= players; ++p) {
        const MatchResult match =
            Match(++tables_, {p, p + 1, p + 2, p + 3}, {400, 100, -200, -300});
        ASSERT_THAT(RecordNow(service_, match), IsOk());
      }
    }
  }

  std::vector<PlayerId> Players(const RatingList& list) {
    std::vector<PlayerId> players;
    for (const ShownRating& rating : list.ratings) players.push_back(rating.standing.player);
    return players;
  }

  std::vector<PlayerId> WholeBoard(ListRatingsQuery query) {
    std::vector<PlayerId> players;
    do {
      const RatingList list = service_.ListRatings(query).value();
      EXPECT_LE(static_cast<int>(list.ratings.size()), query.page_size);
      for (const PlayerId player : Players(list)) players.push_back(player);
      query.page_token = list.next_page_token;
    } while (!query.page_token.empty());
    return players;
  }

  testkit::ManualTime time_;
  prometheus::Registry registry_;
  Metrics metrics_{registry_};
  FakeRatingStore store_;
  SeasonCache seasons_{store_, time_};
  RatingService service_{store_, seasons_, time_, metrics_, 230};
  LadderAdmin admin_{store_, seasons_, time_};
  int tables_ = 0;
};

TEST_F(RatingServiceTest, GivesPriorWithoutRankBeforeTheFirstMatch) {
  const RatingList list = service_.GetRatings(0, {TestPlayer(1)}).value();
  EXPECT_EQ(list.player_count, 4);
  ASSERT_EQ(list.ratings.size(), 1u);
  EXPECT_NEAR(list.ratings[0].rating, 1500, 1e-9);
  EXPECT_NEAR(list.ratings[0].deviation, 300, 1e-9);
  EXPECT_FALSE(list.ratings[0].rank);
}

TEST_F(RatingServiceTest, GivesTiersAndTheHighestTierToTheBestPlaces) {
  const auto tier_of = [&](int player) {
    return service_.GetRatings(4, {TestPlayer(player)}).value().ratings[0].tier;
  };
  EXPECT_FALSE(tier_of(1)) << "no match yet";
  Play(4, 1);
  EXPECT_EQ(tier_of(1), rating::Tier::kValet) << "no place yet";
  Play(40, 30);
  const RatingList list = service_.ListRatings({.page_size = 100}).value();
  ASSERT_GT(list.ratings.size(), 30u);
  for (const ShownRating& each : list.ratings) {
    const rating::Tier expected =
        *each.rank <= 21 ? rating::Tier::kVingtEtUn : rating::TierOf(each.rating, each.deviation);
    EXPECT_EQ(each.tier, expected) << *each.rank;
    EXPECT_EQ(service_.GetRatings(4, {each.standing.player}).value().ratings[0].tier, expected)
        << "a list without ranks has the same tiers";
  }
}

TEST_F(RatingServiceTest, ShowsTheSeasonOfTheLadder) {
  EXPECT_EQ(service_.ListRatings({}).value().season, 0);
  ASSERT_THAT(admin_.StartSeasons({TestSeason(1)}), IsOk());
  const RatingList list = service_.ListRatings({}).value();
  EXPECT_EQ(list.season, 1);
  EXPECT_EQ(list.season_start_time, absl::FromUnixMicros(absl::ToUnixMicros(time_.Now())));
  EXPECT_EQ(service_.ListRatings({.player_count = 3}).value().season, 0);
}

TEST_F(RatingServiceTest, RatesMatchOnce) {
  const MatchResult match = Match(1, {1, 2, 3, 4}, {300, -100, -100, -100});
  time_.Advance(absl::Seconds(3));
  EXPECT_FALSE(RecordNow(service_, match).value());
  const RatingList once = service_.GetRatings(4, {TestPlayer(1), TestPlayer(2)}).value();
  EXPECT_GT(once.ratings[0].rating, 1500);
  EXPECT_LT(once.ratings[1].rating, 1500);
  EXPECT_LT(once.ratings[0].deviation, 300);

  EXPECT_TRUE(RecordNow(service_, match).value());
  EXPECT_EQ(service_.GetRatings(4, {TestPlayer(1)}).value().ratings[0].rating,
            once.ratings[0].rating);
  EXPECT_EQ(metrics_.matches_rated.Value(), 1);
  EXPECT_EQ(metrics_.matches_replayed.Value(), 1);
  EXPECT_THAT(prometheus::TextSerializer().Serialize(registry_.Collect()),
              testing::HasSubstr("tarot_ratings_results_total{players=\"4\",season=\"0\"} 4\n"));
  const auto lag = metrics_.result_lag_seconds.Collect().histogram;
  EXPECT_EQ(lag.sample_count, 1u);
  EXPECT_NEAR(lag.sample_sum, 3, 1e-6);
}

TEST_F(RatingServiceTest, IgnoresOrderOfPlayersInResult) {
  MatchResult match = Match(1, {1, 2, 3, 4}, {310, -90, -120, -100});
  ASSERT_THAT(RecordNow(service_, match), IsOk());
  FakeRatingStore other_store;
  SeasonCache other_seasons(other_store, time_);
  RatingService other(other_store, other_seasons, time_, metrics_, 230);
  std::swap(match.players[0], match.players[3]);
  std::swap(match.players[1], match.players[3]);
  ASSERT_THAT(RecordNow(other, match), IsOk());
  for (int p = 1; p <= 4; ++p) {
    EXPECT_EQ(service_.GetRatings(4, {TestPlayer(p)}).value().ratings[0].standing.skill,
              other.GetRatings(4, {TestPlayer(p)}).value().ratings[0].standing.skill);
  }
}

TEST_F(RatingServiceTest, RefusesDealsThatDoNotAddUpAndChangesNothing) {
  const std::vector<std::pair<std::string, std::function<void(MatchResult&)>>> spoilers = {
      {"rule_values", [](MatchResult& m) { m.rule_values.clear(); }},
      {"rule_values", [](MatchResult& m) { m.rule_values += " colour=blue"; }},
      {"deals", [](MatchResult& m) { m.rated = false; }},
      {"deals", [](MatchResult& m) { m.deals.resize(kDealtDealsMax + 1, m.deals[0]); }},
      {"deals", [](MatchResult& m) { m.deals.pop_back(); }},
      {"deals", [](MatchResult& m) { m.deals[0].outcome = DealOutcome::kScored; }},
      {"deals", [](MatchResult& m) { std::swap(m.deals[1].scores[0], m.deals[1].scores[1]); }},
      {"deals[1].number", [](MatchResult& m) { m.deals[1].number = 1; }},
      {"deals[1].number", [](MatchResult& m) { std::swap(m.deals[1], m.deals[2]); }},
      {"deals[0].number", [](MatchResult& m) { m.deals.erase(m.deals.begin()); }},
      {"deals[2].dealer", [](MatchResult& m) { m.deals[2].dealer = 4; }},
      {"deals[2].dealer", [](MatchResult& m) { m.deals[2].dealer = -1; }},
      {"deals[2].pack", [](MatchResult& m) { m.deals[2].pack.pop_back(); }},
      {"deals[2].pack", [](MatchResult& m) { m.deals[2].pack[5] = m.deals[2].pack[6]; }},
      {"deals[2].pack", [](MatchResult& m) { m.deals[2].pack[5] = 78; }},
      {"deals[2].pack", [](MatchResult& m) { m.deals[2].pack += m.deals[2].pack[0]; }},
      {"deals[1].scores", [](MatchResult& m) { m.deals[1].scores.push_back(0); }},
      {"deals[1].scores", [](MatchResult& m) { ++m.deals[1].scores[3]; }},
      {"deals[0].scores",
       [](MatchResult& m) {
         m.deals[0].scores = {1, -1, 0, 0};
       }},
      {"deals[1].scores", [](MatchResult& m) { m.deals[1].outcome = DealOutcome::kVoided; }},
      {"deals[2].stand_in_seats",
       [](MatchResult& m) {
         m.deals[2].stand_ins = {1, 1};
       }},
      {"deals[2].stand_in_seats", [](MatchResult& m) { m.deals[2].stand_ins = {4}; }},
  };
  for (const auto& [field, spoil] : spoilers) {
    MatchResult match = Match(1, {1, 2, 3, 4}, {300, -100, -90, -110});
    AddDeals(match);
    spoil(match);
    const absl::Status status = RecordNow(service_, match).status();
    EXPECT_THAT(status, HasReason("BAD_REQUEST"));
    EXPECT_EQ(GetErrorDetails(status).metadata["field"], field);
  }
  EXPECT_EQ(metrics_.matches_rated.Value(), 0);
  MatchResult match = Match(1, {1, 2, 3, 4}, {300, -100, -90, -110});
  AddDeals(match);
  EXPECT_THAT(RecordNow(service_, match), IsOk());
}

TEST_F(RatingServiceTest, TakesTheLuckOutByTheNewestSeason) {
  MatchResult match = Match(1, {1, 2, 3, 4}, {300, -100, -100, -100});
  AddDeals(match);
  ASSERT_THAT(RecordNow(service_, match), IsOk());
  EXPECT_FALSE(service_.ListChanges({.player = TestPlayer(1)}).value().changes[0].change.luck);

  const auto begun = admin_.StartSeasons({TestSeason(7)});
  ASSERT_THAT(begun, IsOk());
  EXPECT_THAT(*begun, testing::ElementsAre(testing::HasSubstr("season 1 begins")));
  EXPECT_FALSE(admin_.StartSeasons({TestSeason(9)}).value().empty());
  EXPECT_TRUE(admin_.StartSeasons({TestSeason(9)}).value().empty()) << "the same numbers";
  match.table = TestTable(2);
  ASSERT_THAT(RecordNow(service_, match), IsOk());
  const auto changes = service_.ListChanges({.player = TestPlayer(1)}).value().changes;
  ASSERT_TRUE(changes[0].change.luck);
  EXPECT_NE(*changes[0].change.luck, 0);
  EXPECT_EQ(ReadLedger(store_)->back().season, 2);
  EXPECT_THAT(prometheus::TextSerializer().Serialize(registry_.Collect()),
              testing::HasSubstr("tarot_ratings_results_total{players=\"4\",season=\"2\"} 4\n"));
  EXPECT_FALSE(changes[1].change.luck) << "rated matches stay as they are";
  ExpectFoldEqualsStandings(store_);
}

TEST_F(RatingServiceTest, RatesByPlainPointsWithoutDealsOrWithOtherRules) {
  const auto skill_after = [&](const MatchResult& match) {
    FakeRatingStore store;
    SeasonCache seasons(store, time_);
    RatingService service(store, seasons, time_, metrics_, 230);
    LadderAdmin admin(store, seasons, time_);
    EXPECT_THAT(admin.StartSeasons({TestSeason(1)}), IsOk());
    EXPECT_THAT(RecordNow(service, match), IsOk());
    return store.GetStandings(4, {TestPlayer(1)}).value()[0].skill;
  };
  MatchResult match = Match(1, {1, 2, 3, 4}, {300, -100, -100, -100});
  const rating::Skill plain =
      RateMatch(match, std::vector<Standing>(4), PlainModel(match), {}).entries[0].after;
  EXPECT_EQ(skill_after(match), plain) << "no deals";
  AddDeals(match);
  EXPECT_NE(skill_after(match), plain);
  match.rule_values = rules::EncodeRuleSet(rules::FindRuleSet("club")->rules);
  EXPECT_EQ(skill_after(match), plain) << "other rules";
}

// The order of the seats is not the order of the players' ids. Each player must get the luck of
// this player's seat.
TEST_F(RatingServiceTest, GivesEachPlayerTheLuckOfThatPlayersSeat) {
  const std::vector<int> seats = {4, 1, 3, 2};
  MatchResult match = Match(1, {1, 2, 3, 4}, {30, -10, -10, -10});
  match.deal_count = 1;
  std::vector<MatchPlayer> in_order;
  for (const int player : seats) {
    in_order.push_back(match.players[static_cast<std::size_t>(player - 1)]);
  }
  match.players = in_order;
  AddDeals(match);
  match.deals.erase(match.deals.begin());
  DealtDeal& deal = match.deals.front();
  deal.number = 1;
  deal.dealer = 2;
  const std::vector<int> scores = {-10, 30, -10, -10};  // Indexed by seat.
  deal.scores = scores;
  // Seat 0 gets the first 18 cards of the pack. They are the highest trumps and the Excuse.
  std::string best_first;
  for (int card = 77; card >= 0; --card) best_first += static_cast<char>(card);
  deal.pack = best_first;
  ASSERT_THAT(admin_.StartSeasons({TestSeason(1)}), IsOk());
  ASSERT_THAT(RecordNow(service_, match), IsOk());

  std::array<rules::CardSet, rules::kPlayersMax> hands;
  for (std::size_t i = 0; i < 72; ++i) {
    hands[i / 18].Insert(rules::CardAt(static_cast<unsigned char>(best_first[i])));
  }
  rules::CardSet dog;
  for (std::size_t i = 72; i < 78; ++i) {
    dog.Insert(rules::CardAt(static_cast<unsigned char>(best_first[i])));
  }
  const rules::RuleSet& fft = rules::FindRuleSet("fft")->rules;
  const ai::Baseline baseline =
      ai::ComputeBaseline(rules::StartDeal(fft, 4, deal.dealer, hands, dog), 0.1);
  EXPECT_GT(baseline.mean_scores[0], 50) << "the seat with the trumps is lucky";
  const rating::DealLuck luck =
      rating::LuckOf(TestSeason(1).numbers, deal.dealer,
                     absl::MakeConstSpan(baseline.mean_scores).first(4), baseline.deviation);
  for (std::size_t seat = 0; seat < seats.size(); ++seat) {
    const auto changes = service_.ListChanges({.player = TestPlayer(seats[seat])}).value().changes;
    EXPECT_DOUBLE_EQ(changes[0].change.luck.value(), luck.points[seat]) << seat;
    EXPECT_EQ(changes[0].change.total, scores[seat]);
  }
}

// Between two attempts to store a match, a new season may begin. The season of this test makes no
// correction for luck, so the correction of the first attempt must not stay.
TEST_F(RatingServiceTest, ForgetsTheLuckOfAnEarlierAttempt) {
  MatchResult match = Match(1, {1, 2, 3, 4}, {300, -100, -100, -100});
  AddDeals(match);
  TakeLuckOut(TestSeason(1), match);
  EXPECT_EQ(match.season, 1);
  Season other = TestSeason(2);
  other.rule_set = "club";
  other.baseline_policy = 2;
  TakeLuckOut(other, match);
  EXPECT_EQ(match.season, 0);
  EXPECT_FALSE(match.players[0].luck);
  EXPECT_FALSE(match.deals[0].baseline);
  other.rule_set = "fft";
  TakeLuckOut(other, match);
  EXPECT_EQ(match.season, 0) << "baselines of another version";
}

// If all players pass a deal, it counts, because the cards were dealt. If an operator cancels a
// deal, it does not count.
TEST_F(RatingServiceTest, CountsPassedDealsButNoCancelledDeals) {
  MatchResult match = Match(1, {1, 2, 3, 4}, {300, -100, -100, -100});
  AddDeals(match);
  match.deals[0].outcome = DealOutcome::kVoided;
  ASSERT_THAT(admin_.StartSeasons({TestSeason(1)}), IsOk());
  TakeLuckOut(TestSeason(1), match);
  EXPECT_FALSE(match.deals[0].baseline);
  const PlayerLuck without = match.players[0].luck.value();
  match.deals[0].outcome = DealOutcome::kNotPlayed;
  TakeLuckOut(TestSeason(1), match);
  const DealBaseline& passed = match.deals[0].baseline.value();
  const rating::DealLuck luck = rating::LuckOf(TestSeason(1).numbers, match.deals[0].dealer,
                                               passed.mean_scores, passed.deviation);
  EXPECT_DOUBLE_EQ(match.players[0].luck->luck, without.luck + luck.points[0]);
  EXPECT_DOUBLE_EQ(match.players[0].luck->result,
                   without.result - luck.weight * luck.points[0] / match.deal_count);
}

// A person left and a bot played for this person. The bot's points must not raise the person's
// rating.
TEST_F(RatingServiceTest, APlayerWhoLeftGainsNothing) {
  const auto skills_after = [&](const std::vector<int>& totals, int deals_held) {
    MatchResult match = Match(++tables_, {1, 2, 3, 4}, totals);
    AddDeals(match);
    for (DealtDeal& deal : match.deals) deal.stand_ins.clear();
    for (int i = 0; i < deals_held; ++i) match.deals[static_cast<std::size_t>(i)].stand_ins = {0};
    FakeRatingStore store;
    SeasonCache seasons(store, time_);
    RatingService service(store, seasons, time_, metrics_, 230);
    EXPECT_THAT(RecordNow(service, match), IsOk());
    ExpectFoldEqualsStandings(store);
    std::vector<rating::Skill> skills;
    const std::vector<Standing> standings =
        store.GetStandings(4, {TestPlayer(1), TestPlayer(2)}).value();
    for (const Standing& standing : standings) skills.push_back(standing.skill);
    return skills;
  };
  const std::vector<int> win = {300, -100, -100, -100}, loss = {-300, 100, 100, 100};
  const int half = (TestMatch(1, {1, 2, 3, 4}, win).deal_count + 2) / 2;
  const std::vector<rating::Skill> won = skills_after(win, half - 1);
  EXPECT_GT(won[0].mu, 0);
  const std::vector<rating::Skill> won_by_bot = skills_after(win, half);
  EXPECT_EQ(won_by_bot[0], rating::Model::ForTable(4).Prior());
  EXPECT_EQ(won_by_bot[1], won[1]) << "the others are rated as always";
  const std::vector<rating::Skill> lost_by_bot = skills_after(loss, half);
  EXPECT_EQ(lost_by_bot[0].mu, skills_after(loss, 0)[0].mu) << "the whole loss";
  EXPECT_EQ(lost_by_bot[0].variance, rating::Model::ForTable(4).Prior().variance);
}

TEST_F(RatingServiceTest, RefusesSeasonsWithWrongNumbersAndChangesNothing) {
  const struct {
    const char* field;
    std::function<void(Season&)> change;
  } cases[] = {
      {"player_count", [](Season& s) { s.numbers.player_count = 6; }},
      {"rule_set", [](Season& s) { s.rule_set = "no such set"; }},
      {"baseline_policy", [](Season& s) { s.baseline_policy = 99; }},
      {"baseline_replays", [](Season& s) { s.baseline_replays = 16; }},
      {"bid_shift", [](Season& s) { s.numbers.bid_shift = std::nan(""); }},
      {"place_means", [](Season& s) { s.numbers.place_means[0] += 0.1; }},
      {"luck_share", [](Season& s) { s.numbers.luck_share = 2.01; }},
      {"rule_set", [](Season& s) { s.rule_set = "booklet_practice1"; }},
      {"rule_set", [](Season& s) { s.rule_set = "booklet_practice2"; }},
      {"place_means",
       [](Season& s) {
         s.numbers.place_means = {1e300, -1e300};
       }},
      {"weight_scale", [](Season& s) { s.numbers.weight_scale = 0; }},
      {"weight_scale", [](Season& s) { s.numbers.weight_scale = 1e308; }},
      {"noise_variance", [](Season& s) { s.numbers.noise_variance = -1; }},
      {"noise_variance", [](Season& s) { s.numbers.noise_variance = 1e-10; }},
      {"prior_variance", [](Season& s) { s.numbers.prior_variance = 1e10; }},
      {"provenance", [](Season& s) { s.provenance = std::string(1001, 'x'); }},
      {"prior_variance", [](Season& s) { s.numbers.prior_variance = HUGE_VAL; }},
  };
  for (const auto& each : cases) {
    Season season = TestSeason(1);
    each.change(season);
    const absl::Status status = admin_.StartSeasons({season}).status();
    EXPECT_THAT(status, HasReason("BAD_REQUEST")) << each.field;
    EXPECT_EQ(GetErrorDetails(status).metadata.at("field"),
              absl::StrCat("ladders[0].", each.field));
  }
  EXPECT_THAT(admin_.StartSeasons({TestSeason(1), TestSeason(1)}), HasReason("BAD_REQUEST"));
  EXPECT_TRUE(store_.ReadSeasons()->empty());
}

TEST_F(RatingServiceTest, RefusesInvalidMatchAndChangesNothing) {
  const std::vector<std::pair<std::string, std::function<void(MatchResult&)>>> spoilers = {
      {"table", [](MatchResult& m) { m.table = {}; }},
      {"deal_count", [](MatchResult& m) { m.deal_count = 0; }},
      {"deal_count", [](MatchResult& m) { m.deal_count = 1001; }},
      {"players", [](MatchResult& m) { m.players.clear(); }},
      {"players",
       [](MatchResult& m) {
         m.players = {m.players[0], m.players[1]};
       }},
      {"players",
       [](MatchResult& m) {
         for (int p = 5; p <= 6; ++p) m.players.push_back({.player = TestPlayer(p)});
       }},
      {"players", [](MatchResult& m) { m.players[0].total += 1; }},
      {"players[2].player", [](MatchResult& m) { m.players[2].player = m.players[0].player; }},
      {"players[1].player", [](MatchResult& m) { m.players[1].player = {}; }},
      {"players[3].display_name",
       [](MatchResult& m) { m.players[3].display_name.assign(257, 'x'); }},
      {"players[3].display_name",
       [](MatchResult& m) { m.players[3].display_name = std::string("a\0b", 3); }},
      {"match_time", [](MatchResult& m) { m.match_time += absl::Hours(1); }},
      {"match_time", [](MatchResult& m) { m.match_time = absl::UnixEpoch(); }},
  };
  for (const auto& [field, spoil] : spoilers) {
    MatchResult match = Match(1, {1, 2, 3, 4}, {300, -100, -100, -100});
    spoil(match);
    const absl::Status status = RecordNow(service_, match).status();
    EXPECT_THAT(status, HasReason("BAD_REQUEST"));
    EXPECT_EQ(GetErrorDetails(status).metadata["field"], field);
  }
  EXPECT_EQ(store_.CountPlayers().value(), 0);
  EXPECT_EQ(metrics_.matches_rated.Value(), 0);
}

TEST_F(RatingServiceTest, EachNumberOfPlayersHasItsOwnLadder) {
  ASSERT_THAT(RecordNow(service_, Match(1, {1, 2, 3}, {100, -40, -60})), IsOk());
  EXPECT_NE(service_.GetRatings(3, {TestPlayer(1)}).value().ratings[0].rating, 1500);
  EXPECT_NEAR(service_.GetRatings(4, {TestPlayer(1)}).value().ratings[0].rating, 1500, 1e-9);
  EXPECT_THAT(service_.GetRatings(2, {TestPlayer(1)}), HasReason("BAD_REQUEST"));
  EXPECT_THAT(service_.GetRatings(6, {TestPlayer(1)}), HasReason("BAD_REQUEST"));
}

TEST_F(RatingServiceTest, GivesPlaceAfterEnoughMatchesAndTakesItAfterAbsence) {
  ASSERT_NO_FATAL_FAILURE(Play(4, 1));
  EXPECT_TRUE(service_.ListRatings({}).value().ratings.empty()) << "one match is not enough";
  ASSERT_NO_FATAL_FAILURE(Play(4, 30));
  const RatingList board = service_.ListRatings({}).value();
  ASSERT_EQ(board.ratings.size(), 4u);
  EXPECT_LE(board.ratings[0].deviation, 230);
  EXPECT_EQ(board.ratings[0].rank, 1);
  time_.Advance(absl::Hours(24 * 365));
  EXPECT_TRUE(service_.ListRatings({}).value().ratings.empty());
  const ShownRating idle = service_.GetRatings(4, {TestPlayer(1)}).value().ratings[0];
  EXPECT_GT(idle.deviation, 230);
  EXPECT_EQ(idle.rating, board.ratings[0].rating) << "absence costs certainty, not points";
}

// With the new model, the same skill has another deviation.
TEST_F(RatingServiceTest, PlacesFollowTheModelOfANewSeason) {
  ASSERT_NO_FATAL_FAILURE(Play(12));
  const std::size_t before = service_.ListRatings({.page_size = 100}).value().ratings.size();
  Season season = TestSeason(1);
  season.numbers.prior_variance = rating::Model::ForTable(4).Prior().variance / 2;
  ASSERT_THAT(admin_.StartSeasons({season}), IsOk());
  std::size_t ranked = 0;
  for (int p = 1; p <= 12; ++p) {
    const RatingList list = service_.GetRating(4, TestPlayer(p)).value();
    EXPECT_EQ(list.ratings[0].rank.has_value(), list.ratings[0].deviation <= 230);
    ranked += list.ratings[0].rank ? 1 : 0;
  }
  EXPECT_EQ(service_.ListRatings({.page_size = 100}).value().ratings.size(), ranked);
  EXPECT_NE(ranked, before);
}

TEST_F(RatingServiceTest, PagesFollowEachOtherWithoutGapOrRepetition) {
  ASSERT_NO_FATAL_FAILURE(Play(12));
  const std::vector<PlayerId> ranked = Players(service_.ListRatings({.page_size = 100}).value());
  const std::vector<PlayerId> all =
      Players(service_.ListRatings({.page_size = 100, .show_provisional = true}).value());
  ASSERT_EQ(all.size(), 12u);
  ASSERT_LT(ranked.size(), all.size())
      << "the first and the last players played too few matches for a place";
  ASSERT_GT(ranked.size(), 4u);
  EXPECT_TRUE(std::equal(ranked.begin(), ranked.end(), all.begin()));
  for (const int page_size : {1, 2, 3, 5, 12}) {
    EXPECT_EQ(WholeBoard({.page_size = page_size}), ranked);
    EXPECT_EQ(WholeBoard({.page_size = page_size, .show_provisional = true}), all);
  }
}

TEST_F(RatingServiceTest, ListsPlacesAroundPlayer) {
  ASSERT_NO_FATAL_FAILURE(Play(12));
  const std::vector<PlayerId> ranked = Players(service_.ListRatings({}).value());
  const auto all = WholeBoard({.page_size = 100, .show_provisional = true});
  const auto around = [&](PlayerId player, bool provisional) {
    return service_.ListRatings(
        {.page_size = 3, .around = player, .show_provisional = provisional});
  };
  const RatingList middle = around(ranked[2], false).value();
  EXPECT_EQ(Players(middle), std::vector({ranked[1], ranked[2], ranked[3]}));
  EXPECT_EQ(middle.ratings[0].rank, 2);
  EXPECT_FALSE(middle.next_page_token.empty());
  EXPECT_EQ(Players(around(ranked[0], false).value()),
            std::vector({ranked[0], ranked[1], ranked[2]}));
  // In the list with all players, the first player without a place follows the last player with a
  // place.
  const std::size_t first = ranked.size();
  EXPECT_EQ(Players(around(all[first], true).value()),
            std::vector({all[first - 1], all[first], all[first + 1]}));
  EXPECT_THAT(around(all[first], false), HasReason("NOT_RANKED"));
  EXPECT_THAT(around(TestPlayer(99), true), HasReason("NOT_RANKED"));
}

TEST_F(RatingServiceTest, RefusesInvalidLists) {
  ASSERT_NO_FATAL_FAILURE(Play(12));
  EXPECT_THAT(service_.ListRatings({.page_size = -1}), HasReason("BAD_REQUEST"));
  EXPECT_THAT(service_.ListRatings({.player_count = 7}), HasReason("BAD_REQUEST"));
  EXPECT_THAT(service_.ListRatings({.page_token = "rubbish"}), HasReason("BAD_REQUEST"));
  const std::string all_but_one =
      service_.ListRatings({.page_size = 11, .show_provisional = true}).value().next_page_token;
  EXPECT_THAT(service_.ListRatings({.page_token = all_but_one}), HasReason("BAD_REQUEST"))
      << "a token that points behind the players with a place";
  EXPECT_THAT(service_.ListChanges({.player = TestPlayer(1), .page_token = all_but_one}),
              HasReason("BAD_REQUEST"));
  EXPECT_THAT(service_.GetRatings(4, std::vector<PlayerId>(201, TestPlayer(1))),
              HasReason("BAD_REQUEST"));
}

TEST_F(RatingServiceTest, RefusesForgedPageTokens) {
  const std::string id = TestPlayer(1).ToString();
  for (const std::string& text : std::vector<std::string>{
           "b 4", "b 4 r " + id, "b 4  " + id, "b 4 rxyz " + id, "b 4 q1 " + id, "b 4 r1 1234",
           "b 4 r1 " + id + " ", "b 4 r7ff0000000000000 " + id, "b 3 r1 " + id, "c 4 r1 " + id}) {
    EXPECT_THAT(service_.ListRatings({.page_token = absl::WebSafeBase64Escape(text)}),
                HasReason("BAD_REQUEST"))
        << text;
  }
  const std::string other = TestPlayer(2).ToString();
  for (const std::string& text :
       std::vector<std::string>{"c 4 " + id + " ", "c 4 " + id + " x", "c 4 " + id + " 0",
                                "c 4 " + id + " -1", "c 4 " + id + " 99999999999999999999",
                                "c 4 " + other + " 7", "c 5 " + id + " 7", "b 4 r1 " + id}) {
    EXPECT_THAT(service_.ListChanges(
                    {.player = TestPlayer(1), .page_token = absl::WebSafeBase64Escape(text)}),
                HasReason("BAD_REQUEST"))
        << text;
  }
  EXPECT_THAT(service_.ListRatings({.page_token = "%%%"}), HasReason("BAD_REQUEST"));
}

TEST_F(RatingServiceTest, ListsChangesNewestFirstWithoutGap) {
  ASSERT_NO_FATAL_FAILURE(Play(4, 7));
  std::vector<ShownChange> changes;
  ListChangesQuery query{.player = TestPlayer(1), .page_size = 3};
  do {
    const ChangePage page = service_.ListChanges(query).value();
    changes.insert(changes.end(), page.changes.begin(), page.changes.end());
    query.page_token = page.next_page_token;
  } while (!query.page_token.empty());
  ASSERT_EQ(changes.size(), 7u);
  EXPECT_EQ(changes[0].change.table, TestTable(7));
  EXPECT_EQ(changes[6].rating_before, 1500);
  for (std::size_t i = 0; i + 1 < changes.size(); ++i) {
    EXPECT_EQ(changes[i].rating_before, changes[i + 1].rating_after);
  }
  EXPECT_EQ(changes[0].rating_after,
            service_.GetRatings(4, {TestPlayer(1)}).value().ratings[0].rating);
}

TEST_F(RatingServiceTest, RefusesBadLimitsOfGatewaysAndChangesNothing) {
  PlayerAdmin admin(store_, time_);
  ASSERT_THAT(admin.SetGatewayLimits({{"call_burst", 50}, {"streams_max", 100}}, {}), IsOk());
  const LimitValues before = {{"call_burst", 50}, {"streams_max", 100}};
  using Set = std::vector<std::pair<std::string, double>>;
  const double infinity = std::numeric_limits<double>::infinity();
  for (const auto& [set, reset, field] :
       std::vector<std::tuple<Set, std::vector<std::string>, std::string>>{
           {{{"calls_per_second", 5}, {"sign_in_burst", 0}}, {}, "sign_in_burst"},
           {{{"calls_per_second", infinity}}, {}, "calls_per_second"},
           {{{"calls_per_second", std::nan("")}}, {}, "calls_per_second"},
           {{{"streams_max", 100.5}}, {}, "streams_max"},
           {{{"streams_max", 1e12}}, {}, "streams_max"},
           {{{"none", 5}}, {}, "none"},
           {{}, {"call_burst", "none"}, "none"},
           {{{"call_burst", 60}, {"call_burst", 70}}, {}, "call_burst"},
           {{{"call_burst", 60}}, {"call_burst"}, "call_burst"}}) {
    const absl::Status refused = admin.SetGatewayLimits(set, reset);
    EXPECT_THAT(refused, HasReason("BAD_REQUEST"));
    EXPECT_EQ(GetErrorDetails(refused).metadata.at("field"), field) << refused;
    EXPECT_EQ(admin.GatewayLimits().value(), before);
  }
  ASSERT_THAT(admin.SetGatewayLimits({}, {}), IsOk());
  EXPECT_EQ(admin.GatewayLimits().value(), before);
  ASSERT_THAT(admin.SetGatewayLimits({{"streams_max", 200}}, {"call_burst"}), IsOk());
  EXPECT_EQ(admin.GatewayLimits().value(), (LimitValues{{"streams_max", 200}}));
}

TEST_F(RatingServiceTest, ListsRankedNamesPageByPageNewestFirst) {
  PlayerAdmin admin(store_, time_);
  ASSERT_NO_FATAL_FAILURE(Play(4, 1));
  time_.Advance(absl::Hours(1));
  ASSERT_THAT(RecordNow(service_, Match(2, {6, 7, 8}, {20, -10, -10})), IsOk());
  std::vector<std::string> names;
  std::string token;
  do {
    const NamePage page = admin.ListRankedNames(2, token).value();
    names.insert(names.end(), page.names.begin(), page.names.end());
    token = page.next_page_token;
  } while (!token.empty());
  EXPECT_EQ(names, std::vector<std::string>({"P8", "P7", "P6", "P4", "P3", "P2", "P1"}));

  const std::string id = TestPlayer(1).ToString();
  for (const std::string bad : {"x", "1 2", "-1 ID 4", "9223372036854775807 ID 4", "1 ID 6"}) {
    const std::string text = absl::StrReplaceAll(bad, {{"ID", id}});
    EXPECT_THAT(admin.ListRankedNames(0, text), HasReason("BAD_REQUEST")) << text;
  }
}

}  // namespace
}  // namespace tarot::ratings_service
