#include "services/rules/records/export_records.h"

#include <gmock/gmock.h>

#include <set>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "libs/base/entropy.h"
#include "libs/notation/prove.h"
#include "libs/notation/record_bytes.h"
#include "libs/testkit/status_matchers.h"
#include "services/rules/testing/fake_table_store.h"
#include "services/rules/testing/played_match.h"

namespace tarot::rules_service {
namespace {

using testkit::IsOk;

class ExportRecordsTest : public testing::Test {
 protected:
  // Plays a match of two scored deals, and returns its settings. With `by_bots`, bots act for all
  // persons.
  TableConfig Play(bool ranked, bool by_bots = false) {
    PlayedMatch match("fft", 4, 2, entropy_);
    TableConfig config = match.config();
    config.ranked = ranked;
    EXPECT_THAT(store_.Create(config), IsOk());
    while (!match.state().match.Finished()) {
      NewEntry next = match.Next();
      if (by_bots && next.entry.seat != rules::kNoSeat) next.entry.actor = Actor::kClock;
      EXPECT_THAT(store_.Append({next})[0], IsOk());
    }
    return config;
  }

  // Returns the exported records.
  std::vector<notation::Record> Export(absl::Time start = absl::InfinitePast()) {
    std::ostringstream out;
    const auto count = ExportRecords(records_, start, out);
    EXPECT_THAT(count, IsOk());
    const std::string bytes = out.str();
    std::vector<notation::Record> exported;
    const auto parts = notation::SplitArchive(bytes);
    EXPECT_THAT(parts, IsOk());
    for (const absl::string_view part : parts.value()) {
      exported.push_back(notation::DecodeRecord(part).value().record);
    }
    EXPECT_EQ(static_cast<long>(exported.size()), count.value_or(-1));
    return exported;
  }

  SeededEntropy entropy_{3};
  FakeTableStore store_;
  RecordService records_{store_};
};

TEST_F(ExportRecordsTest, WritesTheScoredDealsOfRankedMatchesWithIds) {
  const TableConfig ranked = Play(true);
  Play(false);
  std::set<std::string> players;
  for (const SeatConfig& seat : ranked.seats) {
    players.insert(absl::StrCat("players/", seat.player.ToString()));
  }
  const std::vector<notation::Record> exported = Export();
  ASSERT_EQ(exported.size(), 2u);
  for (const notation::Record& record : exported) {
    EXPECT_THAT(record.site, testing::StartsWith(absl::StrCat("tables/", ranked.id.ToString())));
    EXPECT_EQ(std::set<std::string>(record.names.begin(), record.names.begin() + 4), players);
    const auto replayed = notation::Replay(record);
    ASSERT_THAT(replayed, IsOk());
    EXPECT_EQ(replayed->problem, "");
  }
  EXPECT_TRUE(Export(ranked.create_time + absl::Seconds(1)).empty());
}

TEST_F(ExportRecordsTest, WritesAllPages) {
  for (int match = 0; match < 130; ++match) Play(true);
  EXPECT_EQ(Export().size(), 260u);
}

TEST_F(ExportRecordsTest, LeavesOutDealsInWhichABotActed) {
  Play(true);
  Play(true, /*by_bots=*/true);
  EXPECT_EQ(Export().size(), 2u);
}

}  // namespace
}  // namespace tarot::rules_service
