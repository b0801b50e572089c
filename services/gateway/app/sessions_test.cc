#include "services/gateway/app/sessions.h"

#include <gmock/gmock.h>

#include "absl/strings/str_cat.h"
#include "libs/testkit/manual_time.h"
#include "libs/testkit/status_matchers.h"

namespace tarot::gateway_service {
namespace {

using testkit::HasReason;
using testkit::IsOk;

// Makes tokens that are plain text: the player's id and the time of expiry.
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
  const ReservedNames reserved;
  Sessions sessions(absl::Hours(24), reserved, signer, time, entropy);
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

TEST(SessionsTest, RefusesTheNameOfABotAndKeepsTheComposedFormOfOthers) {
  testkit::ManualTime time;
  SeededEntropy entropy(1);
  OpenSigner signer;
  ReservedNames reserved;
  reserved.Set({"Papillon"});
  Sessions sessions(absl::Hours(24), reserved, signer, time, entropy);
  EXPECT_THAT(sessions.CreateGuest("Papi11on"), HasReason("BAD_REQUEST"));
  EXPECT_THAT(sessions.CreateGuest("An\nna"), HasReason("BAD_REQUEST"));
  EXPECT_EQ(sessions.CreateGuest("Ange\u0301le")->player.display_name, "Angéle");
}

}  // namespace
}  // namespace tarot::gateway_service
