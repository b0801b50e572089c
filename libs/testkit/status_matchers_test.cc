#include "libs/testkit/status_matchers.h"

namespace tarot::testkit {
namespace {

using testing::Not;

TEST(StatusMatchersTest, DistinguishCodes) {
  EXPECT_THAT(absl::OkStatus(), IsOk());
  EXPECT_THAT(absl::AbortedError("stale"), Not(IsOk()));
  EXPECT_THAT(absl::AbortedError("stale"), StatusIs(absl::StatusCode::kAborted));
  EXPECT_THAT(absl::AbortedError("stale"), Not(StatusIs(absl::StatusCode::kOk)));
}

TEST(StatusMatchersTest, AcceptStatusOr) {
  EXPECT_THAT(absl::StatusOr<int>(7), IsOk());
  EXPECT_THAT(absl::StatusOr<int>(absl::NotFoundError("no table")),
              StatusIs(absl::StatusCode::kNotFound));
}

TEST(StatusMatchersTest, ReadTheReasonOfError) {
  const absl::Status status =
      Error(absl::StatusCode::kFailedPrecondition, "ILLEGAL_CARD", "You must follow hearts.");
  EXPECT_THAT(status, HasReason("ILLEGAL_CARD"));
  EXPECT_THAT(status, Not(HasReason("NOT_YOUR_TURN")));
  EXPECT_THAT(absl::StatusOr<int>(status), HasReason("ILLEGAL_CARD"));
}

}  // namespace
}  // namespace tarot::testkit
