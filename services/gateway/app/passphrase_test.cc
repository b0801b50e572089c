#include "services/gateway/app/passphrase.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "libs/base/error.h"
#include "libs/testkit/status_matchers.h"
#include "services/gateway/limits.h"

namespace tarot::gateway_service {
namespace {

using testkit::HasReason;
using testkit::IsOk;

TEST(PassphraseTest, ComposesLettersSoThatKeyboardsAgree) {
  const auto composed = ComposeNewPassphrase("caf\u00e9 et tarot", "Marie", "passphrase");
  ASSERT_THAT(composed, IsOk());
  EXPECT_EQ(*ComposePassphrase("cafe\u0301 et tarot", "passphrase"), *composed);
}

TEST(PassphraseTest, RefusesBadNewPassphrases) {
  for (const std::string& bad : std::vector<std::string>{
           std::string(), std::string("short one"), std::string("\xc0\xaf long enough text"),
           std::string(kPassphraseCharactersMax + 1, 'x'), std::string("aaaaaaaaaabbbb"),
           std::string("MARIE DE L'ECLUSE")}) {
    const absl::Status refused =
        ComposeNewPassphrase(bad, "Marie de l'Ecluse", "passphrase").status();
    EXPECT_THAT(refused, HasReason("BAD_REQUEST")) << bad;
    EXPECT_EQ(GetErrorDetails(refused).metadata.at("field"), "passphrase");
    EXPECT_TRUE(bad.empty() || !absl::StrContains(refused.message(), bad))
        << "an error never contains a passphrase";
  }
}

TEST(PassphraseTest, TakesShortOnesAtSignIn) {
  // A short passphrase is well formed, so a sign-in with it gets BAD_CREDENTIALS and not
  // BAD_REQUEST.
  EXPECT_THAT(ComposePassphrase("short", "passphrase"), IsOk());
  EXPECT_THAT(ComposePassphrase("", "passphrase").status(), HasReason("BAD_REQUEST"));
  const std::string longest(kPassphraseCharactersMax, 'x');
  EXPECT_EQ(*ComposePassphrase(longest, "passphrase"), longest);
}

}  // namespace
}  // namespace tarot::gateway_service
