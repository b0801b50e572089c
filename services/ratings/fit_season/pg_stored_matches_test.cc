#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "libs/ai/arena.h"
#include "libs/ai/luck/replay.h"
#include "libs/base/check.h"
#include "libs/pg/migrate.h"
#include "libs/testkit/manual_time.h"
#include "libs/testkit/pg_fixture.h"
#include "libs/testkit/status_matchers.h"
#include "migrations/ratings_migrations.h"
#include "services/ratings/app/ladder_admin.h"
#include "services/ratings/app/match_recorder.h"
#include "services/ratings/fit_season/stored_matches.h"
#include "services/ratings/storage/pg_rating_store.h"
#include "services/ratings/testing/rating_store_contract.h"

namespace tarot::ratings_service {

// This file uses only those functions of the contract that make matches. It does not run the tests
// of the contract.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RatingStoreContract);

namespace {

using ::testing::HasSubstr;

constexpr int kPlayers = 8;
constexpr int kScoredDeals = 6;

// A database with matches of simulated players. Players 1 to 4 choose none of their cards at
// random. The other players choose nine of ten cards at random.
class FitSeasonTest : public testing::Test {
 protected:
  FitSeasonTest() {
    dsn_ = testkit::PgCluster::Shared().NewDatabase();
    TAROT_CHECK(pg::Migrate(dsn_, "ratings", Migrations()).ok());
    store_ = MakePgRatingStore(dsn_, 1, registry_);
    seasons_.emplace(*store_, time_);
    recorder_.emplace(*store_, *seasons_, time_, metrics_, [] {});
    time_.Advance(TestTime(1'000) - time_.Now());
  }

  // Plays and records a match of four random players. If `left` is true, a bot acts for one of them
  // in all deals.
  MatchResult Record(int table, bool left = false) {
    std::vector<int> order;
    for (int player = 1; player <= kPlayers; ++player) order.push_back(player);
    rng_.Shuffle(order);
    order.resize(4);
    MatchResult match = TestMatch(table, order, {0, 0, 0, 0}, table);
    for (MatchPlayer& player : match.players) player.bot = false;
    match.deal_count = kScoredDeals;
    match.rule_values = rules::EncodeRuleSet(rules::FindRuleSet("fft")->rules);
    std::vector<ai::ReplayBot> bots;
    for (const int player : order) bots.push_back({.random_cards = player <= 4 ? 0 : 900});
    for (int scored = 0; scored < kScoredDeals;) {
      const rules::Deal dealt = ai::RandomDeal(rules::RuleSet(), 4, rng_);
      const auto scores = ai::Replayer(dealt).Play(bots, rng_);
      DealtDeal deal{.number = static_cast<int>(match.deals.size()) + 1,
                     .dealer = dealt.dealer,
                     .outcome = DealOutcome::kNotPlayed,
                     .scores = {scores.begin(), scores.begin() + 4}};
      for (std::size_t seat = 0; seat < 4; ++seat) {
        for (const rules::Card card : dealt.dealt[seat]) deal.pack += CodeOf(card);
        match.players[seat].total += scores[seat];
        if (scores[seat] != 0) deal.outcome = DealOutcome::kScored;
      }
      for (const rules::Card card : dealt.dog) deal.pack += CodeOf(card);
      if (deal.outcome == DealOutcome::kScored) ++scored;
      if (left) deal.stand_ins = {2};
      match.deals.push_back(deal);
    }
    Store(match);
    return match;
  }

  void Store(const MatchResult& match) {
    absl::StatusOr<bool> stored = absl::UnknownError("no answer");
    recorder_->Record(match, [&](absl::StatusOr<bool> answer) { stored = std::move(answer); });
    EXPECT_THAT(stored, testkit::IsOk());
  }

  StoredMatches Read(absl::Time since = absl::UnixEpoch()) {
    pqxx::connection connection(dsn_);
    pqxx::nontransaction transaction(connection);
    return ReadMatches(transaction, 4, "fft", since);
  }

  static char CodeOf(rules::Card card) {
    for (int code = 0; code < rules::kCardCount; ++code) {
      if (rules::CardAt(code) == card) return static_cast<char>(code);
    }
    return 0;
  }

  std::string dsn_;
  prometheus::Registry registry_;
  Metrics metrics_{registry_};
  testkit::ManualTime time_;
  std::unique_ptr<RatingStore> store_;
  std::optional<SeasonCache> seasons_;
  std::optional<MatchRecorder> recorder_;
  Rng rng_{9};
};

TEST_F(FitSeasonTest, ReadsTheMatchesWithTheirDeals) {
  const MatchResult first = Record(1);
  Record(2, true);                                      // A player left this match.
  Store(TestMatch(3, {1, 2, 3}, {3, 0, -3}, 3));        // This match is of another ladder.
  Store(TestMatch(4, {1, 2, 3, 4}, {3, 0, -3, 0}, 4));  // This match has no deals.
  const MatchResult last = Record(5);
  Record(6);
  ResultVoid added{.operator_name = "test", .reason = "test"};
  added.table = TestTable(6);
  EXPECT_THAT(LadderAdmin(*store_, *seasons_, time_).Void(added), testkit::IsOk());

  const StoredMatches stored = Read();
  ASSERT_EQ(stored.matches.size(), 2u);
  EXPECT_EQ(stored.first_time, TestTime(1));
  EXPECT_EQ(stored.last_time, TestTime(5));
  ASSERT_EQ(stored.deals.size(), first.deals.size() + last.deals.size());
  ASSERT_EQ(stored.matches[0].deals.size(), first.deals.size());
  EXPECT_EQ(stored.matches[0].scored, kScoredDeals);
  for (std::size_t i = 0; i < first.deals.size(); ++i) {
    EXPECT_EQ(stored.deals[i].scores, first.deals[i].scores);
    EXPECT_EQ(stored.matches[0].deals[i].scores, first.deals[i].scores);
    EXPECT_EQ(stored.matches[0].deals[i].dealer, first.deals[i].dealer);
    EXPECT_TRUE(stored.deals[i].hands[1].Contains(
        rules::CardAt(static_cast<std::uint8_t>(first.deals[i].pack[18]))))
        << "the 19th card is the first card of seat 1";
  }
  EXPECT_EQ(Read(TestTime(2)).matches.size(), 1u) << "only the newer match";
}

TEST_F(FitSeasonTest, FitsASeasonThatTheServiceAccepts) {
  for (int table = 1; table <= 120; ++table) Record(table);
  StoredMatches stored = Read();
  EXPECT_EQ(stored.players, static_cast<std::size_t>(kPlayers));
  const auto season = FitSeason(stored, std::nullopt, 500);
  ASSERT_THAT(season.status(), testkit::IsOk());
  EXPECT_GT(season->numbers.luck_share, 0.5);
  EXPECT_GT(season->numbers.prior_variance, 1);
  EXPECT_THAT(season->provenance, HasSubstr("120 matches of 8 players"));
  EXPECT_THAT(CheckSeason(*season, ""), testkit::IsOk());
  EXPECT_THAT(LadderAdmin(*store_, *seasons_, time_).StartSeasons({*season}), testkit::IsOk());
  EXPECT_EQ(FitSeason(stored, 0.5, 500)->numbers.luck_share, 0.5);
}

TEST_F(FitSeasonTest, RefusesALadderWithoutMatches) {
  StoredMatches stored = Read();
  EXPECT_EQ(FitSeason(stored, std::nullopt).status().code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace tarot::ratings_service
