// The tokens of one TDN text, a record or a view, sorted by what they are for.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/notation/tdn_lexer.h"
#include "libs/rules/deal.h"

namespace tarot::notation {

class TdnParts {
 public:
  // `what` the text is, for errors: "record" or "view".
  explicit TdnParts(absl::string_view what) : what_(what) {}

  // Sorts in the next tag or word. INVALID_ARGUMENT BAD_REQUEST for a second tag of a name that may
  // stand once, and for text outside a tag.
  absl::Status Add(const Token& token);

  // The tag of this name, or null.
  const Token* Find(const std::string& name) const;
  // The tag of this name, or an error that says what the text lacks.
  absl::StatusOr<const Token*> Need(const std::string& name) const;

  std::map<std::string, Token> tags;  // But handfuls and nonces, of which there may be many.
  std::vector<Token> handfuls;
  std::vector<Token> nonces;
  std::vector<Token> auction;  // Words.
  std::vector<Token> play;     // Words.
  int line = 1;                // Where the text ends.

 private:
  enum class Section { kNone, kAuction, kPlay };

  absl::string_view what_;
  Section section_ = Section::kNone;
};

// "line 12: Dealer "B": what is wrong".
absl::Status TagError(const Token& tag, absl::string_view what);

// The seat that `text`, a part of the tag's value, names among `players`.
absl::StatusOr<rules::Seat> SeatOfTag(const Token& tag, absl::string_view text, int players);

}  // namespace tarot::notation
