// Tests records and score sheets of matches that are not over yet.
#include "services/rules/app/record_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "libs/base/entropy.h"
#include "libs/testkit/status_matchers.h"
#include "services/rules/testing/fake_table_store.h"
#include "services/rules/testing/played_match.h"

namespace tarot::rules_service {
namespace {

using testkit::HasReason;
using testkit::IsOk;

class RecordServiceTest : public testing::Test {
 protected:
  // Plays a match to its end. Calls `look` after each deal.
  template <typename Look>
  void Play(const std::string& rule_set, int players, const Look& look) {
    PlayedMatch match(rule_set, players, 2, entropy_);
    ASSERT_THAT(store_.Create(match.config()), IsOk());
    while (!match.state().match.Finished()) {
      ASSERT_THAT(store_.Append({match.Next()})[0], IsOk());
      if (!match.state().match.DealRunning()) look(match.state());
    }
  }

  SeededEntropy entropy_{61};
  FakeTableStore store_;
  RecordService records_{store_};
};

bool Scored(const rules::Deal& deal) { return deal.result.outcome == rules::Outcome::kScored; }

// The hands of a deal that was passed out, or cancelled, stay secret until the match is over.
TEST_F(RecordServiceTest, ADealWithoutAScoreIsClosedUntilTheMatchIsOver) {
  int closed = 0, reopened = 0;
  for (const char* rule_set : {"fft", "booklet_customs", "webguide"}) {
    for (int round = 0; round < 6; ++round) {
      std::vector<int> unscored;
      Play(rule_set, 3 + round % 3, [&](const TableState& state) {
        const rules::Match& match = state.match;
        const TableId table = state.config->id;
        if (!Scored(match.deal)) unscored.push_back(match.deals_dealt);
        const auto page = records_.List({.table = table, .limit = 100});
        ASSERT_THAT(page, IsOk());
        const std::size_t hidden = match.Finished() ? 0 : unscored.size();
        EXPECT_EQ(page->records.size(), static_cast<std::size_t>(match.deals_dealt) - hidden);
        for (const int number : unscored) {
          const auto record = records_.Get(table, number);
          if (match.Finished()) {
            ++reopened;
            EXPECT_THAT(record, IsOk());
          } else {
            ++closed;
            EXPECT_THAT(record.status(), HasReason("RECORD_CLOSED"));
          }
        }
        if (Scored(match.deal)) {
          EXPECT_THAT(records_.Get(table, match.deals_dealt), IsOk());
        }
        EXPECT_THAT(records_.Get(table, match.deals_dealt + 1).status(),
                    HasReason("RECORD_NOT_FOUND"));
      });
    }
  }
  EXPECT_GT(closed, 0);
  EXPECT_GT(reopened, 0);
}

TEST_F(RecordServiceTest, APageWithClosedRecordsStillLeadsToTheNextPage) {
  Play("fft", 4, [&](const TableState& state) {
    std::vector<int> numbers;
    DealQuery query{.table = state.config->id, .limit = 1};
    for (int page = 0; page < 100; ++page) {
      const auto records = records_.List(query);
      ASSERT_THAT(records, IsOk());
      for (const DealRecord& record : records->records) numbers.push_back(record.key.number);
      if (!records->last) break;
      query.after = records->last;
    }
    EXPECT_EQ(numbers.size(),
              records_.List({.table = state.config->id, .limit = 100})->records.size());
  });
}

TEST_F(RecordServiceTest, TheScoreSheetHasEveryFinishedDeal) {
  for (const rules::NamedRuleSet& named : rules::RuleSets()) {
    for (int n = named.rules.players_min; n <= named.rules.players_max; ++n) {
      std::array<int, rules::kPlayersMax> sums{};
      Play(std::string(named.name), n, [&](const TableState& state) {
        const rules::Match& match = state.match;
        for (std::size_t seat = 0; seat < sums.size(); ++seat) {
          if (Scored(match.deal)) sums[seat] += match.deal.result.scores[seat];
        }
        const auto sheet = records_.Sheet(state.config->id);
        ASSERT_THAT(sheet, IsOk());
        EXPECT_EQ(sheet->match_over, match.Finished());
        ASSERT_EQ(sheet->lines.size(), static_cast<std::size_t>(match.deals_dealt));
        const ScoreLine& last = sheet->lines.back();
        EXPECT_EQ(last.number, match.deals_dealt);
        EXPECT_EQ(last.totals, sums) << named.name;
        EXPECT_EQ(last.deal.result.scores, match.deal.result.scores);
        ASSERT_TRUE(sheet->draw.has_value());
        EXPECT_EQ(sheet->draw->dealer, sheet->lines.front().deal.dealer);
        const bool drawn = named.rules.first_dealer != rules::FirstDealer::kRandom &&
                           named.rules.dealer_by != rules::DealerBy::kBoard;
        EXPECT_EQ(!sheet->draw->cards.empty(), drawn) << named.name;
      });
    }
  }
  EXPECT_THAT(records_.Sheet(TableId{entropy_.NewUuid()}).status(), HasReason("TABLE_NOT_FOUND"));
}

TEST_F(RecordServiceTest, TheSheetOfANewTableHasNoLineAndNeverARunningDeal) {
  PlayedMatch match("fft", 4, 2, entropy_);
  ASSERT_THAT(store_.Create(match.config()), IsOk());
  EXPECT_TRUE(records_.Sheet(match.config().id)->lines.empty());
  EXPECT_FALSE(records_.Sheet(match.config().id)->draw.has_value());
  ASSERT_THAT(store_.Append({match.Next()})[0], IsOk());
  const auto sheet = records_.Sheet(match.config().id);
  EXPECT_EQ(sheet->lines.size(), match.state().match.DealRunning() ? 0u : 1u);
  EXPECT_TRUE(sheet->draw.has_value()) << "the draw is public before the first card";
}

}  // namespace
}  // namespace tarot::rules_service
