#include "services/ratings/app/page_token.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "libs/testkit/status_matchers.h"

namespace tarot::ratings {
namespace {

using testkit::HasReason;

const PlayerId kPlayer = *PlayerId::Parse("00000000-0000-4000-8000-0000000000aa");
const PlayerId kOther = *PlayerId::Parse("00000000-0000-4000-8000-0000000000bb");

TEST(PageTokenTest, ABoardTokenKeepsTheExactPlace) {
  for (const double mu : {0.1, -1.0 / 3, 0.0, 1e-300, 123456.789}) {
    for (const bool provisional : {false, true}) {
      const BoardCursor cursor{.provisional = provisional, .key = {.mu = mu, .player = kPlayer}};
      const auto decoded = DecodeBoardToken(EncodeBoardToken(4, cursor), 4);
      ASSERT_THAT(decoded, testkit::IsOk());
      EXPECT_EQ(decoded->provisional, provisional);
      EXPECT_EQ(decoded->key, cursor.key);
    }
  }
}

TEST(PageTokenTest, AChangesTokenComesBack) {
  EXPECT_EQ(DecodeChangesToken(EncodeChangesToken(3, kPlayer, 77), 3, kPlayer).value(), 77);
}

TEST(PageTokenTest, TokensOfOtherListingsAreRefused) {
  const std::string board = EncodeBoardToken(4, {.key = {.mu = 1, .player = kPlayer}});
  const std::string changes = EncodeChangesToken(4, kPlayer, 77);
  EXPECT_THAT(DecodeBoardToken(board, 3), HasReason("BAD_REQUEST"));
  EXPECT_THAT(DecodeBoardToken(changes, 4), HasReason("BAD_REQUEST"));
  EXPECT_THAT(DecodeChangesToken(board, 4, kPlayer), HasReason("BAD_REQUEST"));
  EXPECT_THAT(DecodeChangesToken(changes, 5, kPlayer), HasReason("BAD_REQUEST"));
  EXPECT_THAT(DecodeChangesToken(changes, 4, kOther), HasReason("BAD_REQUEST"));
}

TEST(PageTokenTest, RubbishIsRefused) {
  const std::string id = kPlayer.ToString();
  const std::vector<std::string> boards = {"",
                                           "b 4",
                                           "b 4 r " + id,
                                           "b 4  " + id,
                                           "b 4 rxyz " + id,
                                           "b 4 q1 " + id,
                                           "b 4 r1 1234",
                                           "b 4 r1 " + id + " ",
                                           "b 4 r7ff0000000000000 " + id};
  for (const std::string& text : boards) {
    EXPECT_THAT(DecodeBoardToken(absl::WebSafeBase64Escape(text), 4), HasReason("BAD_REQUEST"))
        << text;
  }
  EXPECT_THAT(DecodeBoardToken("%%%", 4), HasReason("BAD_REQUEST"));
  for (const char* before : {"", "x", "0", "-1", "99999999999999999999"}) {
    const std::string text = "c 4 " + id + " " + before;
    EXPECT_THAT(DecodeChangesToken(absl::WebSafeBase64Escape(text), 4, kPlayer),
                HasReason("BAD_REQUEST"))
        << text;
  }
}

}  // namespace
}  // namespace tarot::ratings
