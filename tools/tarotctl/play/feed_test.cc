#include "tools/tarotctl/play/feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/tarotctl/testing/command_fixture.h"

namespace tarot::tarotctl {
namespace {

using ::testing::HasSubstr;

// A clock that a test moves forward.
class MovedClock final : public Clock {
 public:
  absl::Time Now() override { return clock_.Now() + moved_; }
  void Move(absl::Duration by) { moved_ += by; }

 private:
  RealClock clock_;
  absl::Duration moved_;
};

class FeedTest : public CommandFixture {
 protected:
  // Calls End until the feed says that the platform does not answer. Returns false if the feed
  // gives up.
  bool SeeLoss(RoomFeed& feed, Input& input) {
    err_.str("");
    while (err_.str().empty()) {
      if (feed.End()) return false;
      Pause(input);
    }
    EXPECT_THAT(err_.str(), HasSubstr("The platform does not answer; trying again."));
    return true;
  }

  static void Pause(Input& input) { input.Wait(absl::Milliseconds(10), false, nullptr); }

  MovedClock moved_clock_;
};

TEST_F(FeedTest, MeasuresItsPatienceFromTheLoss) {
  ASSERT_EQ(Command({"open", "--json"}), 0) << err_.str();
  const cli::Environment environment = {.out = out_,
                                        .err = err_,
                                        .clock = moved_clock_,
                                        .scheduler = scheduler_,
                                        .entropy = entropy_};
  Context context(cli::Invocation("tarotctl", environment, {}, cli::TextStyle(false)),
                  platform_.address(), 1);
  ASSERT_TRUE(context.SignIn("").ok());
  const InputFile file(Script(""));
  Input input(file.fd());
  RoomFeed feed(context, input, OpenRoom(context, platform_.rooms().room().name()));
  while (!feed.Take()) Pause(input);

  moved_clock_.Move(absl::Minutes(6));  // Nothing changes in the room.
  platform_.rooms().LoseWatches(true);
  ASSERT_TRUE(SeeLoss(feed, input));
  moved_clock_.Move(absl::Minutes(4));
  EXPECT_EQ(feed.End(), std::nullopt);
  platform_.rooms().LoseWatches(false);
  while (!feed.Take()) {
    ASSERT_EQ(feed.End(), std::nullopt);
    Pause(input);
  }

  platform_.rooms().LoseWatches(true);
  ASSERT_TRUE(SeeLoss(feed, input));
  moved_clock_.Move(absl::Minutes(6));
  std::optional<absl::Status> end;
  while (!(end = feed.End())) Pause(input);
  EXPECT_TRUE(absl::IsDeadlineExceeded(*end)) << *end;
}

}  // namespace
}  // namespace tarot::tarotctl
