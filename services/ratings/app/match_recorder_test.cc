#include "services/ratings/app/match_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <utility>
#include <vector>

#include "libs/base/error.h"
#include "libs/testkit/manual_time.h"
#include "libs/testkit/status_matchers.h"
#include "services/ratings/limits.h"
#include "services/ratings/testing/fake_rating_store.h"
#include "services/ratings/testing/rating_store_contract.h"

namespace tarot::ratings_service {
namespace {

using testkit::HasReason;
using testkit::IsOk;

// A store that calls `before_next` once, before it stores the next batch. If a batch has a match of
// the table `refused`, the store returns an error.
class BusyStore final : public FakeRatingStore {
 public:
  absl::StatusOr<std::vector<Recorded>> RecordBatch(const std::vector<MatchResult>& matches,
                                                    const RateBatch& rate) override {
    if (const auto call = std::exchange(before_next, nullptr)) call();
    batches.push_back(matches.size());
    for (const MatchResult& match : matches) {
      if (match.table == refused) return Error(absl::StatusCode::kInternal, "BUG", "refused");
    }
    if (conflicts > 0) {
      --conflicts;
      return Error(absl::StatusCode::kAborted, "STORAGE_CONFLICT", "conflict");
    }
    return FakeRatingStore::RecordBatch(matches, rate);
  }

  std::function<void()> before_next;
  TableId refused;
  int conflicts = 0;
  std::vector<std::size_t> batches;
};

class MatchRecorderTest : public testing::Test {
 protected:
  void Record(MatchResult match) {
    const auto at = results_.size();
    results_.emplace_back(absl::UnknownError("no answer yet"));
    match.match_time = time_.Now();
    recorder_.Record(std::move(match),
                     [this, at](absl::StatusOr<bool> result) { results_[at] = std::move(result); });
  }
  static MatchResult Match(int table) {
    return TestMatch(table, {1, 2, 3, 4}, {30, -10, -10, -10});
  }

  testkit::ManualTime time_;
  prometheus::Registry registry_;
  Metrics metrics_{registry_};
  BusyStore store_;
  SeasonCache seasons_{store_, time_};
  int rated_calls_ = 0;
  MatchRecorder recorder_{store_, seasons_, time_, metrics_, [this] { ++rated_calls_; }};
  std::vector<absl::StatusOr<bool>> results_;
};

TEST_F(MatchRecorderTest, StoresMatchesTogetherThatComeDuringATransaction) {
  store_.before_next = [&] {
    for (int table = 2; table <= 6; ++table) Record(Match(table));
    // Record the same match again. It waits for the next batch, because a batch has only one match
    // of each table.
    Record(Match(3));
  };
  Record(Match(1));
  EXPECT_THAT(store_.batches, testing::ElementsAre(1, 5, 1));
  ASSERT_EQ(results_.size(), 7u);
  for (std::size_t i = 0; i < results_.size(); ++i) EXPECT_EQ(results_[i].value(), i == 6);
  EXPECT_EQ(metrics_.matches_rated.Value(), 6);
  EXPECT_EQ(metrics_.matches_replayed.Value(), 1);
  EXPECT_EQ(rated_calls_, 6);
  EXPECT_EQ(store_.GetStandings(4, {TestPlayer(1)}).value()[0].match_count, 6);
  ExpectFoldEqualsStandings(store_);
}

TEST_F(MatchRecorderTest, LimitsBatchesAndWaitingMatches) {
  store_.before_next = [&] {
    for (std::size_t i = 0; i <= kMatchesWaitingMax; ++i) {
      // No two matches have a common player, because the fake store is slow for players with many
      // matches.
      Record(Match(static_cast<int>(i) + 2));
    }
  };
  Record(Match(1));
  EXPECT_THAT(results_.back(), HasReason("OVERLOADED"));
  EXPECT_THAT(results_[results_.size() - 2], IsOk());
  EXPECT_EQ(*std::max_element(store_.batches.begin(), store_.batches.end()), kMatchesPerBatch);
}

TEST_F(MatchRecorderTest, RefusesOnlyTheMatchWithAFault) {
  store_.refused = TestTable(3);
  store_.before_next = [&] {
    for (int table = 2; table <= 5; ++table) Record(Match(table));
  };
  Record(Match(1));
  for (std::size_t i = 0; i < results_.size(); ++i) {
    if (i == 2) {
      EXPECT_THAT(results_[i], HasReason("BUG"));
    } else {
      EXPECT_THAT(results_[i], IsOk());
    }
  }
  EXPECT_EQ(ReadLedger(store_)->size(), 4u);
}

TEST_F(MatchRecorderTest, TriesAgainAfterAConflict) {
  store_.conflicts = kRecordAttemptsMax - 1;
  Record(Match(1));
  EXPECT_THAT(results_[0], IsOk());
  store_.conflicts = kRecordAttemptsMax;
  Record(Match(2));
  EXPECT_THAT(results_[1], HasReason("OVERLOADED"));
}

// The season begins after the recorder has computed the luck for the older season, and before the
// match is stored.
TEST_F(MatchRecorderTest, TakesTheLuckOutAgainIfASeasonBeginsMeanwhile) {
  store_.before_next = [&] { ASSERT_THAT(store_.AddSeason(TestSeason(1)), IsOk()); };
  MatchResult match = Match(1);
  AddDeals(match);
  Record(match);
  ASSERT_THAT(results_[0], IsOk());
  EXPECT_EQ(ReadLedger(store_)->front().season, 1);
  EXPECT_THAT(store_.batches, testing::ElementsAre(1, 1));
  // The recorder has read only the first season so far. It must also notice the second season.
  ASSERT_THAT(store_.AddSeason(TestSeason(2)), IsOk());
  match.table = TestTable(2);
  Record(match);
  EXPECT_EQ(ReadLedger(store_)->back().season, 2);
  ExpectFoldEqualsStandings(store_);
}

TEST_F(MatchRecorderTest, PassesAnUnknownOutcomeOn) {
  store_.set_failure(Error(absl::StatusCode::kUnavailable, "STORAGE_AWAY", "away"));
  store_.before_next = [&] { Record(Match(2)); };
  Record(Match(1));
  EXPECT_THAT(results_[0], HasReason("STORAGE_AWAY"));
  EXPECT_THAT(results_[1], HasReason("STORAGE_AWAY"));
  store_.set_failure(absl::OkStatus());
  Record(Match(1));
  EXPECT_FALSE(results_[2].value());
}

}  // namespace
}  // namespace tarot::ratings_service
