#include "libs/rpc/token.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/base/error.h"

namespace tarot::rpc {
namespace {

// Returns four lines: the time of expiry in Unix seconds, the player, the service, and the display
// name. The name is last because it may contain any character.
std::string EncodePayload(const Caller& caller, absl::Time expire_time) {
  return absl::StrCat(absl::ToUnixSeconds(expire_time), "\n",
                      caller.player.empty() ? "" : caller.player.ToString(), "\n", caller.service,
                      "\n", caller.display_name);
}

}  // namespace

absl::Status BadToken(const char* why) {
  return Error(absl::StatusCode::kUnauthenticated, "BAD_TOKEN",
               absl::StrCat("The token is ", why, "."), {{"why", why}});
}

std::string TokenText(absl::string_view kid, const Caller& caller, absl::Time expire_time) {
  return absl::StrCat(kid, ".", absl::WebSafeBase64Escape(EncodePayload(caller, expire_time)));
}

std::string WithSignature(const std::string& text, absl::string_view signature) {
  return absl::StrCat(text, ".", absl::WebSafeBase64Escape(signature));
}

absl::StatusOr<TokenParts> SplitToken(absl::string_view token) {
  const std::vector<absl::string_view> parts = absl::StrSplit(token, '.');
  TokenParts split;
  if (parts.size() != 3 || !absl::WebSafeBase64Unescape(parts[1], &split.payload) ||
      !absl::WebSafeBase64Unescape(parts[2], &split.signature)) {
    return BadToken("malformed");
  }
  split.kid = parts[0];
  split.text = token.substr(0, parts[0].size() + 1 + parts[1].size());
  return split;
}

absl::StatusOr<TokenContent> DecodePayload(absl::string_view payload) {
  const std::vector<std::string> lines = absl::StrSplit(payload, absl::MaxSplits('\n', 3));
  std::int64_t expire_seconds = 0;
  if (lines.size() != 4 || !absl::SimpleAtoi(lines[0], &expire_seconds)) {
    return BadToken("malformed");
  }
  TokenContent content;
  content.caller.display_name = lines[3];
  content.caller.service = lines[2];
  content.expire_time = absl::FromUnixSeconds(expire_seconds);
  if (!lines[1].empty()) {
    const std::optional<PlayerId> player = PlayerId::Parse(lines[1]);
    if (!player) return BadToken("malformed");
    content.caller.player = *player;
  }
  return content;
}

}  // namespace tarot::rpc
