#include "libs/notation/tdn_lexer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/base/status_macros.h"

namespace tarot::notation {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool IsNameChar(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Length of the UTF-8 sequence at the front of `text`; 0 when it is none (overlong, a surrogate,
// cut off).
std::size_t Utf8Length(absl::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const bool wrong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) > 0x9F) ||
                     (lead == 0xF0 && byte(1) < 0x90) || (lead == 0xF4 && byte(1) > 0x8F);
  return wrong ? 0 : length;
}

class Lexer {
 public:
  explicit Lexer(absl::string_view text) : text_(text) {}

  absl::StatusOr<std::vector<Token>> Run() {
    while (at_ < text_.size()) {
      TAROT_RETURN_IF_ERROR(Step());
    }
    return std::move(tokens_);
  }

 private:
  absl::Status Step() {
    const char c = text_[at_];
    if (c == '\n') {
      ++line_;
      line_start_ = ++at_;
    } else if (IsBlank(c)) {
      ++at_;
    } else if (c == '%' && (at_ == 0 || text_[at_ - 1] == '\n')) {
      Directive();
    } else if (c == '{') {
      return Comment();
    } else if (c == '[') {
      return Tag();
    } else {
      Word();
    }
    return absl::OkStatus();
  }

  void Directive() {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    const absl::string_view line = text_.substr(at_ + 1, end - at_ - 1);
    Push(Token::Kind::kDirective, absl::StripAsciiWhitespace(line), at_);
    at_ = end;
  }

  absl::Status Comment() {
    const std::size_t end = text_.find('}', at_);
    if (end == text_.npos) return Wrong("the comment does not end");
    for (; at_ <= end; ++at_) {
      if (text_[at_] != '\n') continue;
      ++line_;
      line_start_ = at_ + 1;
    }
    return absl::OkStatus();
  }

  absl::Status Tag() {
    const std::size_t start = at_;
    const std::size_t name = ++at_;
    while (at_ < text_.size() && IsNameChar(text_[at_])) ++at_;
    if (at_ == name) return Wrong("expected the name of a tag after '['");
    Push(Token::Kind::kTag, text_.substr(name, at_ - name), start);
    SkipBlanks();
    if (!Take('"')) return Wrong("expected a value in quotes after the tag's name");
    std::string& value = tokens_.back().value;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') {
      if (text_[at_] == '\\' && ++at_ == text_.size()) break;
      value += text_[at_++];
    }
    if (!IsPlainText(value)) return Wrong("a control character in a value");
    if (!Take('"')) return Wrong("the value of the tag does not end on its line");
    SkipBlanks();
    if (!Take(']')) return Wrong("expected ']' after the value of the tag");
    return absl::OkStatus();
  }

  void Word() {
    const std::size_t start = at_;
    while (at_ < text_.size() && !IsBlank(text_[at_]) && text_[at_] != '\n' && text_[at_] != '{' &&
           text_[at_] != '[') {
      ++at_;
    }
    const absl::string_view word = text_.substr(start, at_ - start);
    if (word[0] == '$') return;  // An annotation glyph.
    Push(word == "*" ? Token::Kind::kEnd : Token::Kind::kWord, word, start);
  }

  void SkipBlanks() {
    while (at_ < text_.size() && IsBlank(text_[at_])) ++at_;
  }

  bool Take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  // Of a place on this line, in characters from 1.
  int Column(std::size_t at) const {
    const absl::string_view before = text_.substr(line_start_, at - line_start_);
    return 1 + static_cast<int>(std::count_if(before.begin(), before.end(), [](char c) {
             return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
           }));
  }

  absl::Status Wrong(absl::string_view what) const { return LineError(line_, what, Column(at_)); }

  // A token that begins at `start`, on this line.
  void Push(Token::Kind kind, absl::string_view text, std::size_t start) {
    tokens_.push_back({.kind = kind,
                       .text = std::string(text),
                       .value = "",
                       .line = line_,
                       .column = Column(start)});
  }

  const absl::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::size_t line_start_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

absl::Status LineError(int line, absl::string_view what, int column) {
  const std::string field = absl::StrCat("line ", line);
  const ErrorMetadata metadata = {{"field", field},
                                  {"description", std::string(what)},
                                  {"line", absl::StrCat(line)},
                                  {"column", absl::StrCat(column)}};
  return Error(absl::StatusCode::kInvalidArgument, "BAD_REQUEST", absl::StrCat(field, ": ", what),
               metadata);
}

absl::Status TokenError(const Token& token, absl::string_view what) {
  return LineError(token.line, what, token.column);
}

bool IsPlainText(absl::string_view text) {
  while (!text.empty()) {
    const std::size_t length = Utf8Length(text);
    if (length == 0 || absl::ascii_iscntrl(static_cast<unsigned char>(text[0]))) return false;
    text.remove_prefix(length);
  }
  return true;
}

absl::StatusOr<std::vector<Token>> Tokenize(absl::string_view text) {
  int line = 1;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = Utf8Length(text.substr(at));
    if (length == 0) return LineError(line, "this is not UTF-8");
    line += text[at] == '\n' ? 1 : 0;
    at += length;
  }
  return Lexer(text).Run();
}

}  // namespace tarot::notation
