// TDN text as tags, words and directives, with their lines.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tarot::notation {

struct Token {
  enum class Kind { kTag, kWord, kDirective, kEnd };
  Kind kind = Kind::kWord;
  std::string text;   // The name of a tag, the word, or the directive without its "%".
  std::string value;  // Of a tag, unescaped.
  int line = 0;
  int column = 0;  // In characters, from 1.
};

// Leaves out comments and annotation glyphs. Errors: INVALID_ARGUMENT BAD_REQUEST with the line.
absl::StatusOr<std::vector<Token>> Tokenize(absl::string_view text);

// "line 12: what is wrong", INVALID_ARGUMENT BAD_REQUEST; metadata: line, column.
absl::Status LineError(int line, absl::string_view what, int column = 1);

// The same at the place of `token`.
absl::Status TokenError(const Token& token, absl::string_view what);

// Whether `text` can be the value of a tag: UTF-8 without control characters.
bool IsPlainText(absl::string_view text);

}  // namespace tarot::notation
