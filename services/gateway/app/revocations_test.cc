#include "services/gateway/app/revocations.h"

#include <gtest/gtest.h>

#include <array>

namespace tarot::gateway_service {
namespace {

Uuid TestUuid(std::uint8_t number) {
  std::array<std::uint8_t, 16> bytes{};
  bytes[15] = number;
  return Uuid(bytes);
}

const PlayerId kAnna = {TestUuid(1)};
const absl::Time kSignIn = absl::FromUnixSeconds(1'000);
const absl::Time kEnd = absl::FromUnixSeconds(9'000);

TokenInfo Token(std::uint8_t id, absl::Time sign_in_time = kSignIn) {
  return {.id = TestUuid(id), .sign_in_time = sign_in_time, .expire_time = kEnd};
}

TEST(RevocationsTest, OneTokenIsRevokedAlone) {
  Revocations revocations;
  EXPECT_FALSE(revocations.Covers(kAnna, Token(7)));
  revocations.Add({.subject = TestUuid(7), .expire_time = kEnd});
  EXPECT_TRUE(revocations.Covers(kAnna, Token(7)));
  EXPECT_FALSE(revocations.Covers(kAnna, Token(8)));
  EXPECT_EQ(revocations.size(), 1u);
}

TEST(RevocationsTest, APlayersTokensOfEarlierSignInsAreRevokedTogether) {
  Revocations revocations;
  revocations.Add({.subject = kAnna.uuid, .latest_sign_in_time = kSignIn, .expire_time = kEnd});
  EXPECT_TRUE(revocations.Covers(kAnna, Token(7)));
  EXPECT_TRUE(revocations.Covers(kAnna, TokenInfo{})) << "a token of an older release";
  EXPECT_FALSE(revocations.Covers(kAnna, Token(8, kSignIn + absl::Microseconds(1))));
  EXPECT_FALSE(revocations.Covers({TestUuid(2)}, Token(7)));
  revocations.Add({.subject = kAnna.uuid,
                   .latest_sign_in_time = kSignIn - absl::Seconds(1),
                   .expire_time = kEnd});
  EXPECT_TRUE(revocations.Covers(kAnna, Token(7))) << "the later time holds";
}

// A token of an older release has no id. A revocation of the empty id must not cover this token.
TEST(RevocationsTest, ATokenWithoutAnIdIsNotRevokedByTheEmptyId) {
  Revocations revocations;
  revocations.Add({.subject = Uuid(), .expire_time = kEnd});
  EXPECT_FALSE(revocations.Covers(kAnna, TokenInfo{}));
}

TEST(RevocationsTest, RevocationsOfExpiredTokensAreRemoved) {
  Revocations revocations;
  revocations.Add({.subject = TestUuid(7), .expire_time = kEnd});
  revocations.Add({.subject = TestUuid(8), .expire_time = kEnd + absl::Seconds(1)});
  revocations.RemoveExpired(kEnd);
  EXPECT_EQ(revocations.size(), 1u);
  EXPECT_TRUE(revocations.Covers(kAnna, Token(8)));
  EXPECT_EQ(revocations.add_count(), 2u);
}

}  // namespace
}  // namespace tarot::gateway_service
