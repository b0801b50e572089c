#include "services/ratings/app/page_token.h"

#include <bit>
#include <cmath>
#include <optional>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/base/error.h"

namespace tarot::ratings {
namespace {

// Of what a token holds: a change of the form gets a new letter, and old tokens are refused.
constexpr char kBoard[] = "b";
constexpr char kChanges[] = "c";

absl::Status Refused() { return BadRequest("page_token", "is not of this listing"); }

// The fields after the first two, which must be `kind` and `player_count`; empty when they are not.
std::vector<std::string> Fields(absl::string_view token, absl::string_view kind, int player_count) {
  std::string text;
  if (!absl::WebSafeBase64Unescape(token, &text)) return {};
  std::vector<std::string> fields = absl::StrSplit(text, ' ');
  if (fields.size() != 4 || fields[0] != kind || fields[1] != absl::StrCat(player_count)) return {};
  return {fields[2], fields[3]};
}

}  // namespace

std::string EncodeBoardToken(int player_count, const BoardCursor& cursor) {
  // The bits of mu: text would round it, and the page would begin in the wrong place.
  const std::string place = absl::StrCat(cursor.provisional ? "p" : "r",
                                         absl::Hex(std::bit_cast<std::uint64_t>(cursor.key.mu)));
  return absl::WebSafeBase64Escape(
      absl::StrCat(kBoard, " ", player_count, " ", place, " ", cursor.key.player.ToString()));
}

absl::StatusOr<BoardCursor> DecodeBoardToken(absl::string_view token, int player_count) {
  const std::vector<std::string> fields = Fields(token, kBoard, player_count);
  if (fields.empty() || fields[0].empty()) return Refused();
  const char section = fields[0][0];
  std::uint64_t bits = 0;
  const std::optional<PlayerId> player = PlayerId::Parse(fields[1]);
  if ((section != 'p' && section != 'r') || !player ||
      !absl::SimpleHexAtoi(fields[0].substr(1), &bits)) {
    return Refused();
  }
  const double mu = std::bit_cast<double>(bits);
  if (!std::isfinite(mu)) return Refused();
  return BoardCursor{.provisional = section == 'p', .key = {.mu = mu, .player = *player}};
}

std::string EncodeChangesToken(int player_count, PlayerId player, std::int64_t before) {
  return absl::WebSafeBase64Escape(
      absl::StrCat(kChanges, " ", player_count, " ", player.ToString(), " ", before));
}

absl::StatusOr<std::int64_t> DecodeChangesToken(absl::string_view token, int player_count,
                                                PlayerId player) {
  const std::vector<std::string> fields = Fields(token, kChanges, player_count);
  std::int64_t before = 0;
  if (fields.empty() || fields[0] != player.ToString() || !absl::SimpleAtoi(fields[1], &before) ||
      before < 1) {
    return Refused();
  }
  return before;
}

}  // namespace tarot::ratings
