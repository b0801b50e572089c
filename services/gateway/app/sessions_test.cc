#include "services/gateway/app/sessions.h"

#include <gmock/gmock.h>

#include "absl/strings/str_cat.h"
#include "libs/testkit/manual_time.h"
#include "libs/testkit/status_matchers.h"

namespace tarot::gateway_service {
namespace {

using testkit::HasReason;
using testkit::IsOk;

// Signs tokens as plain text that contains the player's id and the end.
class OpenSigner final : public TokenSigner {
 public:
  std::string Sign(const SignedInPlayer& player, absl::Time expire_time) const override {
    return absl::StrCat(player.id.ToString(), absl::ToUnixSeconds(expire_time));
  }
  absl::StatusOr<SignedInPlayer> Verify(absl::string_view token, absl::Time) const override {
    return SignedInPlayer{.id = *PlayerId::Parse(token.substr(0, 36))};
  }
};

TEST(SessionsTest, CreatesANewPlayerPerGuestWithATokenThatEnds) {
  testkit::ManualTime time;
  SeededEntropy entropy(1);
  OpenSigner signer;
  Sessions sessions(absl::Hours(24), signer, time, entropy);
  const auto anna = sessions.CreateGuest("Anna");
  ASSERT_THAT(anna, IsOk());
  EXPECT_EQ(anna->player.display_name, "Anna");
  EXPECT_EQ(anna->expire_time, time.Now() + absl::Hours(24));
  EXPECT_EQ(sessions.Check(anna->token)->id, anna->player.id);
  EXPECT_NE(sessions.CreateGuest("Anna")->player.id, anna->player.id);
  time.Advance(absl::Hours(2));
  const Session again = sessions.Refresh(anna->player);
  EXPECT_EQ(again.player.id, anna->player.id);
  EXPECT_EQ(again.expire_time, anna->expire_time + absl::Hours(2));
}

TEST(DisplayNameTest, AcceptsNamesOfPeople) {
  for (const char* name : {"A", "Anna", "Jean-Luc d'Été", "Ελένη", "王小明", "Żółć 3", "🂡",
                           "12345678901234567890123456789012"}) {
    EXPECT_THAT(CheckDisplayName(name), IsOk()) << name;
  }
  std::string longest;
  for (int i = 0; i < 32; ++i) longest += "é";
  EXPECT_THAT(CheckDisplayName(longest), IsOk()) << "Characters count, not bytes.";
}

TEST(DisplayNameTest, RefusesUnprintableOrMalformedNames) {
  for (const char* name :
       {"",        " ",          " Anna",    "Anna ",        "An  na",
        "An\nna",  "An\x7Fna",   "\xC2\xA0", "An\u200Bna",   "\u202Eanna",
        "\u2066x", "\uFEFFAnna", "\u3164",   "\u00ADx",      "123456789012345678901234567890123",
        "\xC3",    "\xFF",       "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
        "\x80"}) {
    EXPECT_THAT(CheckDisplayName(name), HasReason("BAD_REQUEST")) << name;
  }
  EXPECT_THAT(CheckDisplayName(absl::string_view("a\0b", 3)), HasReason("BAD_REQUEST"));
}

}  // namespace
}  // namespace tarot::gateway_service
