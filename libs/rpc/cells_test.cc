#include "libs/rpc/cells.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "libs/testkit/manual_time.h"

namespace tarot::rpc {
namespace {

TEST(CellsTest, ReadsTheAddressesOfEachCell) {
  const absl::StatusOr<Cells> cells = ParseCells("0=a:1,b:1;7!=[::1]:2");
  ASSERT_TRUE(cells.ok()) << cells.status();
  ASSERT_EQ(cells->size(), 2u);
  EXPECT_EQ(cells->at(0).addresses, "a:1,b:1");
  EXPECT_TRUE(cells->at(0).open);
  EXPECT_EQ(cells->at(7).addresses, "[::1]:2");
  EXPECT_FALSE(cells->at(7).open);
}

TEST(CellsTest, ATextWithoutACellIsCellZero) {
  for (const char* text : {"a:1", "10.0.0.1:1,10.0.0.2:1", "unix:/tmp/rules.sock"}) {
    const absl::StatusOr<Cells> cells = ParseCells(text);
    ASSERT_TRUE(cells.ok()) << cells.status();
    ASSERT_EQ(cells->size(), 1u);
    EXPECT_EQ(cells->at(0).addresses, text);
    EXPECT_TRUE(cells->at(0).open);
  }
}

TEST(CellsTest, RefusesEveryOtherText) {
  for (const char* text : {"", "a", "0=", "=a:1", "0=a", "256=a:1", "-1=a:1", "x=a:1", "0=a:1;",
                           "0=a:1;0=b:1", "0=a:1;b:1", "0=a:1;!=b:1"}) {
    EXPECT_FALSE(ParseCells(text).ok()) << text;
  }
}

TEST(CellsTest, RefusesAnAddressOfTwoCells) {
  for (const char* text : {"0=a:1;1=a:1", "0=a:1,b:1;1=c:1,b:1", "0=a:1;1!=a:1", "0=a:1,a:1"}) {
    const absl::StatusOr<Cells> cells = ParseCells(text);
    ASSERT_FALSE(cells.ok()) << text;
    EXPECT_THAT(cells.status().message(), testing::HasSubstr("appears twice")) << text;
  }
  EXPECT_TRUE(ParseCells("0=a:1;1=a:2,b:1").ok());
}

TEST(CellsTest, AnUnknownCellIsTheFirstCell) {
  std::map<int, std::string> cells = {{1, "one"}, {2, "two"}};
  EXPECT_EQ(CellOrFirst(cells, 2), "two");
  EXPECT_EQ(CellOrFirst(cells, 0), "one");
}

TEST(SilentCellsTest, OneCallInEachPauseAsksASilentCell) {
  constexpr absl::Duration kPause = absl::Seconds(5);
  testkit::ManualTime time;
  SilentCells cells(time, kPause);
  EXPECT_TRUE(cells.MayAsk(1));
  EXPECT_TRUE(cells.MayAsk(1)) << "a cell counts as alive until a call has got no answer";

  cells.NoteSilence(1);
  EXPECT_FALSE(cells.MayAsk(1));
  EXPECT_TRUE(cells.MayAsk(0)) << "the other cell is not silent";
  time.Advance(kPause);
  EXPECT_TRUE(cells.MayAsk(1));
  EXPECT_FALSE(cells.MayAsk(1)) << "one call asks whether the cell is back";
  time.Advance(kPause);
  EXPECT_TRUE(cells.MayAsk(1));

  cells.NoteAnswer(1);
  EXPECT_TRUE(cells.MayAsk(1));
  EXPECT_TRUE(cells.MayAsk(1));
}

}  // namespace
}  // namespace tarot::rpc
