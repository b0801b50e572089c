// Contains the parts of TDN that the readers of records and of views share: tokens, tags, and the
// words of auction and play.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/notation/record.h"
#include "libs/rules/deal.h"

namespace tarot::notation {

struct Token {
  enum class Kind { kTag, kWord, kDirective, kEnd };
  Kind kind = Kind::kWord;
  std::string text;   // The name of a tag, the word, or the directive without its "%".
  std::string value;  // The value of a tag, unescaped.
  int line = 0;
  int column = 0;  // Counted in characters, from 1.
};

// Splits `text` into tokens and drops comments and annotation glyphs. Returns INVALID_ARGUMENT
// BAD_REQUEST with the line of the problem.
absl::StatusOr<std::vector<Token>> Tokenize(absl::string_view text);

// Returns INVALID_ARGUMENT BAD_REQUEST "line 12: `problem`". The metadata has the line and the
// column.
absl::Status LineError(int line, absl::string_view problem, int column = 1);

// Returns LineError() for the line and the column of `token`.
absl::Status TokenError(const Token& token, absl::string_view problem);

// Returns whether `text` can be the value of a tag: UTF-8 without control characters.
bool IsPlainText(absl::string_view text);

// The tokens of one record or view: the tags, and the words of each section.
class TdnSections {
 public:
  // `kind` names the text in errors: "record" or "view".
  explicit TdnSections(absl::string_view kind) : kind_(kind) {}

  // Adds the next tag or word. Returns INVALID_ARGUMENT BAD_REQUEST for a repeated tag that may
  // appear only once, and for text outside a tag.
  absl::Status Add(const Token& token);

  // Returns the tag of this name, or null.
  const Token* Find(const std::string& name) const;
  // Returns the tag of this name, or an error that names the missing tag.
  absl::StatusOr<const Token*> Need(const std::string& name) const;

  // All tags except handfuls and nonces, which may appear repeatedly.
  std::map<std::string, Token> tags;
  std::vector<Token> handfuls;
  std::vector<Token> nonces;
  std::vector<Token> auction;  // The words after the tag `Auction`.
  std::vector<Token> play;     // The words after the tag `Play`.
  int line = 1;                // The line where the text ends.

 private:
  enum class Section { kNone, kAuction, kPlay };

  absl::string_view kind_;
  Section section_ = Section::kNone;
};

// Returns an error such as "line 12: Dealer "B": `problem`".
absl::Status TagError(const Token& tag, absl::string_view problem);

// Returns the seat that `text` names; `players` is the number of seats. `text` is a part of the
// value of `tag`, which appears in the error.
absl::StatusOr<rules::Seat> SeatOfTag(const Token& tag, absl::string_view text, int players);

// The content of a handful's tag. The seat shows the handful just before its first card.
struct HandfulTag {
  rules::CardSet cards;
  int line = 0;
};

// Appends the bids in `words` to `document`. Seat `first` bids first. Seats 0 to `playing` - 1 hold
// cards.
absl::Status ReadAuction(const std::vector<Token>& words, rules::Seat first, int playing,
                         Document& document);

// Appends the cards in `words` to `document`. Appends each of `handfuls` just before the first card
// of its seat. Seat `leader` leads to the first trick.
absl::Status ReadPlay(const std::vector<Token>& words, rules::Seat leader, int playing,
                      std::map<rules::Seat, HandfulTag> handfuls, Document& document);

}  // namespace tarot::notation
