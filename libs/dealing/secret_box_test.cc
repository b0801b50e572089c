#include "libs/dealing/secret_box.h"

#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "libs/base/error.h"

namespace tarot::dealing {
namespace {

constexpr char kPlace[] = "table 1, revision 1";

SecretKey Key(const std::string& id, char byte) { return {id, std::string(32, byte)}; }

SecretBox::Nonce NewNonce(std::uint8_t byte) {
  SecretBox::Nonce nonce;
  nonce.fill(byte);
  return nonce;
}

void ExpectUnreadable(const SecretBox& box, const std::string& sealed, const std::string& place,
                      const std::string& key) {
  const auto opened = box.Open(sealed, place);
  EXPECT_EQ(opened.status().code(), absl::StatusCode::kInternal);
  EXPECT_EQ(GetErrorDetails(opened.status()).reason, "SECRET_UNREADABLE");
  EXPECT_EQ(GetErrorDetails(opened.status()).metadata["key"], key);
}

TEST(SecretBoxTest, OpensWhatItSealed) {
  const SecretBox box({Key("a", 'a')});
  for (const std::string& secret : {std::string(), std::string("s"), std::string(200, '\0')}) {
    const std::string sealed = box.Seal(secret, kPlace, NewNonce(1));
    EXPECT_EQ(*box.Open(sealed, kPlace), secret);
  }
  const std::string sealed = box.Seal("a secret seed", kPlace, NewNonce(1));
  EXPECT_FALSE(absl::StrContains(sealed, "seed"));
  EXPECT_NE(sealed, box.Seal("a secret seed", kPlace, NewNonce(2)));
}

TEST(SecretBoxTest, RefusesAnotherPlaceAndEveryChangedByte) {
  const SecretBox box({Key("a", 'a')});
  const std::string sealed = box.Seal("secret", kPlace, NewNonce(1));
  ExpectUnreadable(box, sealed, "table 1, revision 2", "a");
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_FALSE(box.Open(changed, kPlace).ok()) << i;
    EXPECT_FALSE(box.Open(sealed.substr(0, i), kPlace).ok()) << i;
  }
}

TEST(SecretBoxTest, OpensWithEveryKeyAndSealsWithTheFirst) {
  const SecretBox before({Key("old", 'a')});
  const std::string sealed = before.Seal("secret", kPlace, NewNonce(1));
  const SecretBox rotated({Key("new", 'b'), Key("old", 'a')});
  EXPECT_EQ(*rotated.Open(sealed, kPlace), "secret");
  const std::string newer = rotated.Seal("secret", kPlace, NewNonce(2));
  const SecretBox after({Key("new", 'b')});
  EXPECT_EQ(*after.Open(newer, kPlace), "secret");
  ExpectUnreadable(after, sealed, kPlace, "old");
  ExpectUnreadable(SecretBox({Key("old", 'z')}), sealed, kPlace, "old");
}

}  // namespace
}  // namespace tarot::dealing
