#include "libs/rpc/auth.h"

#include <sys/stat.h>

#include <fstream>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/testkit/manual_time.h"
#include "libs/testkit/status_matchers.h"

namespace tarot::rpc {
namespace {

using testing::AllOf;
using testkit::HasReason;
using testkit::IsOk;
using testkit::StatusIs;

const std::string kSecretA(32, 'a');
const std::string kSecretB(40, 'b');

Caller Anna() {
  return {.player = *PlayerId::Parse("00000000-0000-4000-8000-00000000a11a"),
          .display_name = "Anna\nde \"Paris\""};
}

class KeyRingTest : public testing::Test {
 protected:
  std::string Why(const absl::Status& status) { return GetErrorDetails(status).metadata["why"]; }

  testkit::ManualTime time_;
  const KeyRing ring_{{{"k2", kSecretA}, {"k1", kSecretB}}};
};

TEST_F(KeyRingTest, ATokenCarriesItsCaller) {
  const std::string token = ring_.Sign(Anna(), time_.Now() + absl::Minutes(1));
  const absl::StatusOr<Caller> caller = ring_.Verify(token, time_.Now());
  ASSERT_THAT(caller, IsOk());
  EXPECT_EQ(caller->player, Anna().player);
  EXPECT_EQ(caller->display_name, Anna().display_name);
  EXPECT_EQ(caller->service, "");
}

// Python's module hmac made the expected token. If the form of tokens changed, the tokens of older
// releases would become invalid.
TEST_F(KeyRingTest, ATokenIsHmacSha256OfItsText) {
  const KeyRing ring({{"k1", std::string(32, 'k')}});
  EXPECT_EQ(ring.Sign({.service = "matchmaking"}, absl::FromUnixSeconds(2'000'000'000)),
            "k1.MjAwMDAwMDAwMAoKbWF0Y2htYWtpbmcK.qzE8ZayNHy4DRoPK00y5lmZbjt6NAg0kAhDbfpyuFE0");
}

TEST_F(KeyRingTest, RefusesAnExpiredToken) {
  const std::string token = ring_.Sign(Anna(), time_.Now() + absl::Minutes(1));
  EXPECT_THAT(ring_.Verify(token, time_.Now() + absl::Seconds(59)), IsOk());
  const auto late = ring_.Verify(token, time_.Now() + absl::Minutes(1));
  EXPECT_THAT(late, AllOf(StatusIs(absl::StatusCode::kUnauthenticated), HasReason("BAD_TOKEN")));
  EXPECT_EQ(Why(late.status()), "ended");
}

TEST_F(KeyRingTest, KeysRotate) {
  const KeyRing before({{"k1", kSecretB}});
  const KeyRing after({{"k3", kSecretB}, {"k2", kSecretA}});
  const absl::Time end = time_.Now() + absl::Minutes(1);
  EXPECT_THAT(ring_.Verify(before.Sign(Anna(), end), time_.Now()), IsOk());
  EXPECT_THAT(after.Verify(ring_.Sign(Anna(), end), time_.Now()), IsOk());
  EXPECT_EQ(Why(after.Verify(before.Sign(Anna(), end), time_.Now()).status()), "of an unknown key");
}

// A change of any single character must make the token invalid.
TEST_F(KeyRingTest, RefusesEveryChangedToken) {
  const std::string token = ring_.Sign(Anna(), time_.Now() + absl::Minutes(1));
  for (std::size_t i = 0; i + 1 < token.size(); ++i) {
    // The loop skips the last character, because two of its bits are padding.
    std::string changed = token;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_THAT(ring_.Verify(changed, time_.Now()), HasReason("BAD_TOKEN")) << i;
    EXPECT_THAT(ring_.Verify(token.substr(0, i), time_.Now()), HasReason("BAD_TOKEN")) << i;
  }
}

TEST_F(KeyRingTest, RefusesATokenOfAnotherSecret) {
  const KeyRing other({{"k2", kSecretB}});
  const auto forged = ring_.Verify(other.Sign(Anna(), absl::InfiniteFuture()), time_.Now());
  EXPECT_EQ(Why(forged.status()), "forged");
  EXPECT_EQ(Why(ring_.Verify("", time_.Now()).status()), "malformed");
  EXPECT_EQ(Why(ring_.Verify("k2.%%.%%", time_.Now()).status()), "malformed");
}

class KeyFileTest : public testing::Test {
 protected:
  absl::Status Read(const std::string& content, mode_t mode = 0600) {
    std::ofstream(path_) << content;
    ::chmod(path_.c_str(), mode);
    return KeyRing::FromFile(path_).status();
  }

  const std::string path_ = testing::TempDir() + "key_file_test_" +
                            testing::UnitTest::GetInstance()->current_test_info()->name();
  const std::string key_ = absl::Base64Escape(kSecretA);
};

TEST_F(KeyFileTest, ReadsKeysInOrder) {
  ASSERT_THAT(Read(absl::StrCat("new:", key_, "\n\nold:", absl::Base64Escape(kSecretB), "\n")),
              IsOk());
  const std::string token = KeyRing::FromFile(path_)->Sign(Anna(), absl::FromUnixSeconds(1));
  EXPECT_EQ(token.substr(0, 4), "new.");
}

TEST_F(KeyFileTest, RefusesUnsafeKeyFiles) {
  EXPECT_THAT(Read(absl::StrCat("k:", key_), 0644), HasReason("BAD_KEY_FILE"));
  EXPECT_THAT(Read(""), HasReason("BAD_KEY_FILE"));
  EXPECT_THAT(Read(absl::StrCat("k:", absl::Base64Escape("short"))), HasReason("BAD_KEY_FILE"));
  EXPECT_THAT(Read(key_), HasReason("BAD_KEY_FILE"));
  EXPECT_THAT(Read(absl::StrCat("k.1:", key_)), HasReason("BAD_KEY_FILE"));
  EXPECT_THAT(Read(absl::StrCat("k:", key_, "\nk:", key_)), HasReason("BAD_KEY_FILE"));
  EXPECT_THAT(KeyRing::FromFile("/nowhere/key").status(), HasReason("BAD_KEY_FILE"));
}

// Errors go into the log, so they must not contain the key.
TEST_F(KeyFileTest, ErrorsDoNotContainTheKey) {
  const absl::Status status = Read(absl::StrCat(key_, key_, ":", key_, "!"));
  ASSERT_THAT(status, HasReason("BAD_KEY_FILE"));
  EXPECT_EQ(status.ToString().find(key_), std::string::npos);
}

}  // namespace
}  // namespace tarot::rpc
