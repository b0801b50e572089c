// Tests ids, errors, random numbers, the real clock and the real scheduler.
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <set>
#include <vector>

#include "absl/time/clock.h"
#include "libs/base/cell.h"
#include "libs/base/entropy.h"
#include "libs/base/error.h"
#include "libs/base/ids.h"
#include "libs/base/real_clock.h"
#include "libs/base/rng.h"

namespace tarot {
namespace {

TEST(UuidTest, RoundTripsAndRefusesAnythingElse) {
  const std::string text = "01234567-89ab-cdef-0123-456789abcdef";
  ASSERT_TRUE(Uuid::Parse(text).has_value());
  EXPECT_EQ(Uuid::Parse(text)->ToString(), text);
  EXPECT_EQ(Uuid::Parse("01234567-89AB-CDEF-0123-456789ABCDEF"), Uuid::Parse(text));
  for (const char* bad :
       {"", "x", "0123456789abcdef0123456789abcdef0123", "01234567-89ab-cdef-0123-456789abcdeg",
        "01234567+89ab-cdef-0123-456789abcdef"}) {
    EXPECT_FALSE(Uuid::Parse(bad).has_value()) << bad;
  }
}

TEST(EntropyTest, OrdersUuidsByTheirMilliseconds) {
  SeededEntropy entropy(7);
  const absl::Time start = absl::FromUnixMillis(1'795'000'000'123);
  Uuid last;
  for (int i = 0; i < 1'000; ++i) {
    const absl::Time now = start + absl::Milliseconds(i);
    const Uuid id = entropy.NewTimeOrderedUuid(now + absl::Microseconds(999));
    EXPECT_EQ(id.bytes()[6] >> 4, 7);
    EXPECT_EQ(id.bytes()[8] >> 6, 2);
    EXPECT_LT(last, id) << i;
    EXPECT_LT(last.ToString(), id.ToString()) << "Postgres has the same order.";
    EXPECT_EQ(TimeOfUuid(id), now);
    EXPECT_LT(FirstTimeOrderedUuid(now), id);
    EXPECT_LT(id, FirstTimeOrderedUuid(now + absl::Milliseconds(1)));
    last = id;
  }
  EXPECT_NE(entropy.NewTimeOrderedUuid(start), entropy.NewTimeOrderedUuid(start));
  EXPECT_EQ(FirstTimeOrderedUuid(absl::FromUnixMillis(0x0123456789ab)).ToString(),
            "01234567-89ab-0000-0000-000000000000");
  EXPECT_EQ(FirstTimeOrderedUuid(absl::InfinitePast()), Uuid());
}

TEST(CellTest, TheIdOfATableNamesItsCell) {
  SeededEntropy entropy(5);
  const absl::Time now = absl::FromUnixMillis(1'700'000'000'000);
  for (const int cell : {0, 1, 2, 128, kCellMax}) {
    const Uuid id = NewTableUuid(entropy, now, cell);
    EXPECT_EQ(CellOf(id), cell);
    EXPECT_EQ(id.bytes()[6] >> 4, cell == 0 ? 7 : 8) << "the version of the id";
    EXPECT_EQ(id.bytes()[8] >> 6, 0b10) << "the variant of the id";
    EXPECT_EQ(TimeOfUuid(id), now);
    EXPECT_NE(NewTableUuid(entropy, now, cell), id);
  }
}

// Byte 7 of these ids is random and means nothing.
TEST(CellTest, IdsOfOtherVersionsBelongToCellZero) {
  SeededEntropy entropy(6);
  for (int i = 0; i < 1'000; ++i) {
    EXPECT_EQ(CellOf(entropy.NewUuid()), 0);
    EXPECT_EQ(CellOf(entropy.NewTimeOrderedUuid(absl::Now())), 0);
  }
  EXPECT_EQ(CellOf(Uuid()), 0);
}

TEST(EntropyTest, UuidsAreVersionFourAndDiffer) {
  OsEntropy entropy;
  std::set<Uuid> seen;
  for (int i = 0; i < 100; ++i) {
    const Uuid id = entropy.NewUuid();
    EXPECT_EQ(id.ToString()[14], '4');
    EXPECT_TRUE(seen.insert(id).second);
  }
  SeededEntropy a(7), b(7);
  EXPECT_EQ(a.NewUuid(), b.NewUuid());
}

TEST(RngTest, NeverChangesItsValues) {
  // Never change the expected numbers: a seed must give the same sequence in every version.
  Rng rng(42);
  EXPECT_EQ(rng.Next(), 13679457532755275413u);
  EXPECT_EQ(rng.Next(), 2949826092126892291u);
  std::vector<int> items{0, 1, 2, 3, 4};
  Rng(1).Shuffle(items);
  std::vector<int> again{0, 1, 2, 3, 4};
  Rng(1).Shuffle(again);
  EXPECT_EQ(items, again);
}

TEST(ErrorTest, CarriesReasonAndMetadata) {
  const absl::Status status = Error(absl::StatusCode::kAborted, "REVISION_MISMATCH", "Stale.",
                                    {{"revision", "7"}, {"empty", ""}});
  EXPECT_EQ(status.code(), absl::StatusCode::kAborted);
  const ErrorDetails details = GetErrorDetails(status);
  EXPECT_EQ(details.reason, "REVISION_MISMATCH");
  EXPECT_EQ(details.metadata.at("revision"), "7");
  EXPECT_EQ(details.metadata.at("empty"), "");
  EXPECT_EQ(GetErrorDetails(absl::InternalError("x")).reason, "");
}

TEST(RealSchedulerTest, RunsInOrderOfTime) {
  RealScheduler scheduler;
  std::mutex mutex;
  std::condition_variable done;
  std::vector<int> order;
  const auto note = [&](int n) {
    const std::lock_guard lock(mutex);
    order.push_back(n);
    done.notify_one();
  };
  scheduler.After(absl::Milliseconds(20), [&] { note(2); });
  scheduler.After(absl::Milliseconds(1), [&] { note(1); });
  std::unique_lock lock(mutex);
  done.wait(lock, [&] { return order.size() == 2; });
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST(RealClockTest, FollowsTheWallClockSlowly) {
  EXPECT_EQ(RealClock::Follow(5, 5, 1000), 5);
  EXPECT_EQ(RealClock::Follow(0, 7, 1000), 7);
  EXPECT_EQ(RealClock::Follow(0, 1'000'000, 1000), 20);
  EXPECT_EQ(RealClock::Follow(0, -1'000'000, 1000), -20);
}

TEST(RealClockTest, ShowsTheWallTimeAndNeverGoesBack) {
  RealClock clock;
  absl::Time last = clock.Now();
  EXPECT_LT(absl::AbsDuration(last - absl::Now()), absl::Seconds(1));
  for (int i = 0; i < 100'000; ++i) {
    const absl::Time now = clock.Now();
    ASSERT_GE(now, last);
    last = now;
  }
}

}  // namespace
}  // namespace tarot
