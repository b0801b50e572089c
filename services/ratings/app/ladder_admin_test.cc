#include "services/ratings/app/ladder_admin.h"

#include <gtest/gtest.h>

#include <string>
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

// A store whose first `failures` attempts to block the recording of matches fail. If
// `records_meanwhile` is true, it records a match before each attempt.
class BusyRecomputationStore final : public FakeRatingStore {
 public:
  class Busy final : public Recomputation {
   public:
    Busy(BusyRecomputationStore& store, std::unique_ptr<Recomputation> real)
        : store_(store), real_(std::move(real)) {}
    absl::StatusOr<std::vector<LedgerMatch>> ReadMatches(int limit) override {
      return real_->ReadMatches(limit);
    }
    absl::Status AddResults(absl::Span<const RecomputedResult> results) override {
      return real_->AddResults(results);
    }
    absl::Status SetStandings(absl::Span<const LadderStanding> standings) override {
      return real_->SetStandings(standings);
    }
    absl::Status BlockRecording() override {
      if (store_.records_meanwhile) {
        RecordInto(store_, TestMatch(++store_.last_table, {1, 2, 3, 4}, {30, -10, -10, -10}))
            .value();
      }
      if (store_.failures-- > 0) {
        return Error(absl::StatusCode::kAborted, "STORAGE_CONFLICT", "busy");
      }
      return real_->BlockRecording();
    }
    absl::Status Finish() override { return real_->Finish(); }

   private:
    BusyRecomputationStore& store_;
    const std::unique_ptr<Recomputation> real_;
  };

  absl::StatusOr<std::unique_ptr<Recomputation>> BeginRecomputation() override {
    TAROT_ASSIGN_OR_RETURN(std::unique_ptr<Recomputation> real,
                           FakeRatingStore::BeginRecomputation());
    return std::make_unique<Busy>(*this, std::move(real));
  }

  bool records_meanwhile = false;
  int failures = 0;
  int last_table = 100;
};

class LadderAdminTest : public testing::Test {
 protected:
  static ResultVoid Void(int table) {
    return {.table = TestTable(table), .operator_name = "Op", .reason = "a test"};
  }
  static ResultVoid VoidSince(int player, absl::Time since) {
    return {
        .player = TestPlayer(player), .since = since, .operator_name = "Op", .reason = "a test"};
  }

  testkit::ManualTime time_;
  BusyRecomputationStore store_;
  SeasonCache seasons_{store_, time_};
  LadderAdmin admin_{store_, seasons_, time_};
};

TEST_F(LadderAdminTest, RefusesVoidsWithAReasonAndChangesNothing) {
  MatchResult match = TestMatch(1, {1, 2, 3}, {20, -10, -10});
  match.match_time = time_.Now() - absl::Hours(1);
  ASSERT_TRUE(RecordInto(store_, match).value());
  MatchResult casual = TestMatch(2, {1, 2, 3}, {20, -10, -10});
  casual.rated = false;
  ASSERT_TRUE(RecordInto(store_, casual).value());
  const absl::Time since = match.match_time;
  EXPECT_THAT(admin_.Void(Void(9)), HasReason("MATCH_NOT_FOUND"));
  EXPECT_THAT(admin_.Void(Void(2)), HasReason("MATCH_NOT_RATED"));
  EXPECT_THAT(admin_.Void(VoidSince(9, since)), HasReason("PLAYER_NOT_FOUND"));
  EXPECT_THAT(admin_.Void(VoidSince(1, since + absl::Seconds(1))), HasReason("MATCH_NOT_FOUND"));
  EXPECT_THAT(admin_.Void(VoidSince(1, time_.Now() + absl::Seconds(1))), HasReason("BAD_REQUEST"));
  EXPECT_THAT(admin_.Void(VoidSince(1, absl::UnixEpoch())), HasReason("BAD_REQUEST"));
  for (const auto& [operator_name, reason] : std::vector<std::pair<std::string, std::string>>{
           {"", "a test"},
           {"Op", ""},
           {std::string(kOperatorBytesMax + 1, 'x'), "a test"},
           {"Op", std::string(kVoidReasonBytesMax + 1, 'x')},
           {"Op", std::string("a\0b", 3)}}) {
    ResultVoid bad = Void(1);
    bad.operator_name = operator_name;
    bad.reason = reason;
    EXPECT_THAT(admin_.Void(bad), HasReason("BAD_REQUEST"));
  }
  EXPECT_EQ(admin_.Recompute()->void_count, 0);
  EXPECT_EQ(admin_.Void(Void(1)).value(), 1);
  EXPECT_THAT(admin_.Void(Void(1)), HasReason("ALREADY_VOIDED"));
  EXPECT_THAT(admin_.Void(VoidSince(1, since)), HasReason("ALREADY_VOIDED"));
  EXPECT_EQ(admin_.Recompute()->void_count, 1);
}

TEST_F(LadderAdminTest, RatesMatchesThatAreRecordedMeanwhile) {
  for (const MatchResult& match : RandomMatches(1, 30, 10)) RecordInto(store_, match).value();
  ASSERT_THAT(admin_.Void(Void(5)), IsOk());
  store_.records_meanwhile = true;
  store_.failures = kBlockAttemptsMax - 1;
  const RecomputeReport report = admin_.Recompute().value();
  EXPECT_EQ(report.match_count, 30 + kBlockAttemptsMax);
  EXPECT_EQ(report.void_count, 1);
  EXPECT_GT(report.different_count, 0);
  ExpectFoldEqualsStandings(store_);
}

TEST_F(LadderAdminTest, GivesUpIfRecordingCannotBeBlocked) {
  for (const MatchResult& match : RandomMatches(1, 30, 10)) RecordInto(store_, match).value();
  ASSERT_THAT(admin_.Void(Void(5)), IsOk());
  store_.failures = 1000;
  EXPECT_THAT(admin_.Recompute(), HasReason("OVERLOADED"));
  EXPECT_EQ(store_.ReadChangedStandings(std::nullopt)->recomputation, 0);
}

TEST_F(LadderAdminTest, RunsOneRecomputationAtATime) {
  const auto other = store_.BeginRecomputation();
  ASSERT_THAT(other, IsOk());
  EXPECT_THAT(admin_.Recompute(), HasReason("OVERLOADED"));
}

}  // namespace
}  // namespace tarot::ratings_service
