#include "libs/notation/tdn_parts.h"

#include "absl/strings/str_cat.h"
#include "libs/notation/card_names.h"

namespace tarot::notation {

absl::Status TdnParts::Add(const Token& token) {
  if (token.kind == Token::Kind::kWord) {
    if (section_ == Section::kNone) return TokenError(token, "text outside a tag");
    (section_ == Section::kAuction ? auction : play).push_back(token);
    return absl::OkStatus();
  }
  section_ = token.text == "Auction" ? Section::kAuction
             : token.text == "Play"  ? Section::kPlay
                                     : Section::kNone;
  if (token.text == "Poignee") {
    handfuls.push_back(token);
  } else if (token.text == "Nonce") {
    nonces.push_back(token);
  } else if (!tags.emplace(token.text, token).second) {
    return TokenError(token, absl::StrCat("a second tag ", token.text));
  }
  return absl::OkStatus();
}

const Token* TdnParts::Find(const std::string& name) const {
  const auto found = tags.find(name);
  return found == tags.end() ? nullptr : &found->second;
}

absl::StatusOr<const Token*> TdnParts::Need(const std::string& name) const {
  const Token* tag = Find(name);
  if (tag == nullptr) return LineError(line, absl::StrCat("the ", what_, " has no ", name));
  return tag;
}

absl::Status TagError(const Token& tag, absl::string_view what) {
  return TokenError(tag, absl::StrCat(tag.text, " \"", tag.value, "\": ", what));
}

absl::StatusOr<rules::Seat> SeatOfTag(const Token& tag, absl::string_view text, int players) {
  const auto seat = ParseSeatName(text, players);
  if (!seat) return TagError(tag, "there is no such seat");
  return *seat;
}

}  // namespace tarot::notation
