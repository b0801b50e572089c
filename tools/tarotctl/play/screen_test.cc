#include "tools/tarotctl/play/screen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "libs/rules/deal.h"
#include "tools/cli/testing/sample_deal.h"
#include "tools/tarotctl/view/words.h"

namespace tarot::tarotctl {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const absl::Time kNow = absl::FromUnixSeconds(1000);
constexpr char kLost[] = " has lost the connection.\n";

class ScreenTest : public testing::Test {
 protected:
  ScreenTest() : table_(cli::SampleTable(cli::SampleDeal(4), 0)) {
    for (rules::v1::Seat& seat : *table_.mutable_seats()) {
      seat.clear_bot_level();
      seat.clear_held_by_bot();
    }
  }

  bool Show(Screen& screen, std::initializer_list<std::uint32_t> disconnected) {
    out_.str("");
    screen.Show(table_, kNow);
    return screen.ShowConnections({disconnected.begin(), disconnected.end()}, kNow);
  }

  rules::v1::Table table_;
  std::ostringstream out_;
};

TEST_F(ScreenTest, TellsEachLossOnce) {
  Screen screen(out_, cli::TextStyle(false), /*redraw=*/false);
  EXPECT_FALSE(Show(screen, {}));
  EXPECT_TRUE(Show(screen, {2}));
  EXPECT_EQ(out_.str(), SeatName(table_, 2) + kLost);
  EXPECT_FALSE(Show(screen, {2}));
  EXPECT_EQ(out_.str(), "");
  screen.ShowForDecision(kNow);
  EXPECT_THAT(out_.str(), HasSubstr("connection lost"));
  EXPECT_TRUE(Show(screen, {1, 2}));
  EXPECT_EQ(out_.str(), SeatName(table_, 1) + kLost);
  EXPECT_FALSE(Show(screen, {}));
  screen.ShowForDecision(kNow);
  EXPECT_THAT(out_.str(), Not(HasSubstr("connection lost")));
  EXPECT_FALSE(Show(screen, {0})) << "It is the viewer's own seat.";
}

TEST_F(ScreenTest, DrawsTheTableAgainWhenASeatLosesOrGetsTheConnection) {
  Screen screen(out_, cli::TextStyle(false), /*redraw=*/true);
  Show(screen, {});
  EXPECT_TRUE(Show(screen, {2}));
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("connection lost"), HasSubstr(kLost)));
  out_.str("");
  EXPECT_TRUE(screen.ShowConnections({}, kNow));
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("\x1b[H"), Not(HasSubstr("connection lost"))));
  out_.str("");
  EXPECT_FALSE(screen.ShowConnections({}, kNow));
  EXPECT_EQ(out_.str(), "");
}

}  // namespace
}  // namespace tarot::tarotctl
