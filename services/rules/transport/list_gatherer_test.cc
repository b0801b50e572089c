#include "services/rules/transport/list_gatherer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "libs/base/rng.h"

namespace tarot::rules_service {
namespace {

using testing::ElementsAre;
using testing::Eq;
using testing::IsEmpty;

using Part = ListPart<int, int>;  // Each row is equal to its key.

std::vector<int> Keys(const Part& part) {
  std::vector<int> keys;
  for (const auto& [key, row] : part.rows) keys.push_back(key);
  return keys;
}

// Returns a page of the list of a cell: the rows below `after`.
Part PageOf(const std::vector<int>& descending, std::optional<int> after, std::size_t limit) {
  Part page;
  for (const int key : descending) {
    if (after && key >= *after) continue;
    page.rows.emplace_back(key, key);
    if (page.rows.size() < limit) continue;
    page.last = key;
    break;
  }
  return page;
}

TEST(MergePartsTest, SortsTheRowsOfAllParts) {
  const Part page = MergeParts<int, int>({{.rows = {{9, 9}, {4, 4}}}, {.rows = {{7, 7}}}, {}}, 10);
  EXPECT_THAT(Keys(page), ElementsAre(9, 7, 4));
  EXPECT_THAT(page.last, Eq(std::nullopt));
}

TEST(MergePartsTest, EndsThePageWhereAPartMayBeIncomplete) {
  // The first cell may have rows between 5 and 3.
  const Part page =
      MergeParts<int, int>({{.rows = {{9, 9}}, .last = 5}, {.rows = {{7, 7}, {3, 3}}}}, 10);
  EXPECT_THAT(Keys(page), ElementsAre(9, 7));
  EXPECT_EQ(page.last, 5);
}

TEST(MergePartsTest, AnEmptyPartWithMoreRowsBehindItEndsThePage) {
  const Part page = MergeParts<int, int>({{.last = 5}, {.rows = {{3, 3}}}}, 10);
  EXPECT_THAT(Keys(page), IsEmpty());
  EXPECT_EQ(page.last, 5);
}

TEST(MergePartsTest, AllPagesTogetherHaveEachRowOnce) {
  Rng rng(4);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::vector<int>> cells(3);
    std::vector<int> all;
    for (int key = 60; key > 0; --key) {
      if (rng.Below(3) == 0) continue;
      cells[static_cast<std::size_t>(rng.Below(3))].push_back(key);
      all.push_back(key);
    }
    const auto limit = static_cast<std::size_t>(1 + rng.Below(8));
    std::vector<int> seen;
    std::optional<int> after;
    do {
      std::vector<Part> parts;
      for (const std::vector<int>& cell : cells) parts.push_back(PageOf(cell, after, limit));
      const Part page = MergeParts(std::move(parts), limit);
      EXPECT_LE(page.rows.size(), limit);
      for (const int key : Keys(page)) seen.push_back(key);
      after = page.last;
    } while (after);
    ASSERT_EQ(seen, all);
  }
}

}  // namespace
}  // namespace tarot::rules_service
