#include "services/gateway/app/sessions.h"

#include <gmock/gmock.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/testkit/manual_time.h"
#include "libs/testkit/status_matchers.h"

namespace tarot::gateway_service {
namespace {

using testkit::HasReason;
using testkit::IsOk;

// Makes tokens that are plain text: the player's id and the time of expiry. It can verify only its
// last token.
class OpenSigner final : public TokenSigner {
 public:
  std::string Sign(const SignedInPlayer& player) const override {
    last_ = player;
    return absl::StrCat(player.id.ToString(), absl::ToUnixSeconds(player.token.expire_time));
  }
  absl::StatusOr<SignedInPlayer> Verify(absl::string_view token, absl::Time) const override {
    EXPECT_EQ(*PlayerId::Parse(token.substr(0, 36)), last_.id);
    return last_;
  }

 private:
  mutable SignedInPlayer last_;
};

class SessionsTest : public testing::Test {
 protected:
  testkit::ManualTime time;
  SeededEntropy entropy{1};
  OpenSigner signer;
  Revocations revocations;
  ReservedNames reserved, ranked;
  Sessions sessions{absl::Hours(24), reserved, ranked, revocations, signer, time, entropy};
};

TEST_F(SessionsTest, CreatesANewPlayerPerGuestWithATokenThatEnds) {
  const auto anna = sessions.CreateGuest("Anna");
  ASSERT_THAT(anna, IsOk());
  EXPECT_EQ(anna->player.display_name, "Anna");
  EXPECT_EQ(anna->player.token.expire_time, time.Now() + absl::Hours(24));
  EXPECT_EQ(sessions.Check(anna->token)->id, anna->player.id);
  EXPECT_NE(sessions.CreateGuest("Anna")->player.id, anna->player.id);
  time.Advance(absl::Hours(2));
  const Session again = sessions.Refresh(anna->player);
  EXPECT_EQ(again.player.id, anna->player.id);
  EXPECT_EQ(again.player.token.expire_time, anna->player.token.expire_time + absl::Hours(2));
}

TEST_F(SessionsTest, RefusesTheNameOfABotAndKeepsTheComposedFormOfOthers) {
  reserved.Set({"Papillon"});
  EXPECT_THAT(sessions.CreateGuest("Papi11on"), HasReason("BAD_REQUEST"));
  EXPECT_THAT(sessions.CreateGuest("An\nna"), HasReason("BAD_REQUEST"));
  EXPECT_EQ(sessions.CreateGuest("Ange\u0301le")->player.display_name, "Angéle");
}

TEST_F(SessionsTest, RefusesANameThatLooksLikeARankedPlayersAndSuggestsAFreeOne) {
  const Session alena = *sessions.CreateGuest("Alena");
  ranked.Set({"Alena", std::string(32, 'x')});
  for (const char* name : {"Alena", "ALENA", "A1ena"}) {
    const absl::Status status = sessions.CreateGuest(name).status();
    EXPECT_THAT(status, HasReason("NAME_TAKEN")) << name;
    const std::string suggestion = GetErrorDetails(status).metadata["suggestion"];
    EXPECT_TRUE(absl::StartsWith(suggestion, absl::StrCat(name, " "))) << suggestion;
    EXPECT_THAT(sessions.CreateGuest(suggestion), IsOk());
  }
  EXPECT_EQ(sessions.Refresh(alena.player).player.display_name, "Alena") << "The player keeps it.";
  // This name is so long that no number fits after it.
  const absl::Status full = sessions.CreateGuest(std::string(32, 'x')).status();
  EXPECT_THAT(full, HasReason("NAME_TAKEN"));
  EXPECT_EQ(GetErrorDetails(full).metadata.count("suggestion"), 0u);
}

TEST_F(SessionsTest, ANewTokenHasAnIdOfItsOwnAndTheOldTimeOfSignIn) {
  const absl::Time sign_in = time.Now();
  const Session first = *sessions.CreateGuest("Anna");
  EXPECT_EQ(first.player.token.sign_in_time, sign_in);
  time.Advance(absl::Hours(2));
  const Session second = sessions.Refresh(first.player);
  EXPECT_NE(second.player.token.id, first.player.token.id);
  EXPECT_EQ(second.player.token.sign_in_time, sign_in);
}

TEST_F(SessionsTest, ASignOutRevokesOneTokenOrAllOfThePlayer) {
  const Session first = *sessions.CreateGuest("Anna");
  const Session second = sessions.Refresh(first.player);
  const Revocation one = sessions.SignOut(first.player, false);
  EXPECT_EQ(one.expire_time, first.player.token.expire_time);
  revocations.Add(one);
  EXPECT_THAT(sessions.Check(second.token), IsOk());
  revocations.Add(sessions.SignOut(second.player, true));
  EXPECT_THAT(sessions.Check(second.token), HasReason("BAD_TOKEN"));

  // A thief may get a new token at another gateway, which does not know the sign-out yet.
  time.Advance(absl::Seconds(1));
  const Session stolen = sessions.Refresh(second.player);
  EXPECT_THAT(sessions.Check(stolen.token), HasReason("BAD_TOKEN"));
  revocations.RemoveExpired(stolen.player.token.expire_time);
  EXPECT_THAT(sessions.Check(stolen.token), HasReason("BAD_TOKEN"));
}

TEST_F(SessionsTest, ASignOutWithATokenOfAnOlderReleaseRevokesAllTokens) {
  const SignedInPlayer old = {.id = {entropy.NewUuid()}};
  EXPECT_EQ(sessions.SignOut(old, false).subject, old.id.uuid);
  EXPECT_TRUE(sessions.SignOut(old, false).latest_sign_in_time);
}

}  // namespace
}  // namespace tarot::gateway_service
