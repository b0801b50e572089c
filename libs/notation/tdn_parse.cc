#include "libs/notation/tdn_parse.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "libs/base/error.h"
#include "libs/notation/names.h"

namespace tarot::notation {
namespace {

using rules::Action;

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool IsNameChar(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Returns the length of the UTF-8 sequence at the beginning of `text`. Returns 0 if it is invalid:
// overlong, a surrogate or cut off.
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
    // The word is an annotation glyph such as "$1", so the reader skips it.
    if (word[0] == '$') return;
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

  // Returns the column of offset `at`, in characters from 1. The offset must be on the current
  // line.
  int Column(std::size_t at) const {
    const absl::string_view before = text_.substr(line_start_, at - line_start_);
    return 1 + static_cast<int>(std::count_if(before.begin(), before.end(), [](char c) {
             return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
           }));
  }

  absl::Status Wrong(absl::string_view what) const { return LineError(line_, what, Column(at_)); }

  // Adds a token that begins at offset `start`, which must be on the current line.
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

void Append(Document& document, rules::Seat seat, const Action& action, int line, int column = 1) {
  document.record.entries.push_back({seat, action});
  document.lines.entries.push_back(line);
  document.lines.entry_columns.push_back(column);
}

// Reads tricks such as "9. B: H4 T12 H6 H3 =C". Only the last trick may be incomplete.
class PlayReader {
 public:
  PlayReader(rules::Seat leader, int playing, std::map<rules::Seat, HandfulTag> handfuls,
             Document& document)
      : leader_(leader), playing_(playing), handfuls_(std::move(handfuls)), document_(document) {}

  absl::Status Take(const Token& word) {
    const std::string& text = word.text;
    if (absl::EndsWith(text, ".")) return Number(word);
    if (absl::EndsWith(text, ":")) return Leader(word);
    if (trick_ == 0 || !led_) return TokenError(word, "expected a trick such as \"1. A:\"");
    return absl::StartsWith(text, "=") ? Winner(word) : Card(word);
  }

  absl::Status Finish() {
    // In an abandoned deal, the seat in turn may have shown a handful but played no card.
    if (trick_ <= 1 && size_ < playing_) Show((leader_ + size_) % playing_);
    if (handfuls_.empty()) return absl::OkStatus();
    const auto& [seat, handful] = *handfuls_.begin();
    return LineError(handful.line,
                     absl::StrCat(SeatName(seat), " shows a handful but plays no card"));
  }

 private:
  absl::Status Number(const Token& word) {
    if (trick_ > 0 && !won_) return TokenError(word, "the previous trick has no winner");
    if (ParseCount(absl::StripSuffix(word.text, ".")) != trick_ + 1) {
      return TokenError(word, absl::StrCat("expected trick ", trick_ + 1));
    }
    ++trick_;
    size_ = 0;
    led_ = won_ = false;
    return absl::OkStatus();
  }

  absl::Status Leader(const Token& word) {
    const auto seat = ParseSeatName(absl::StripSuffix(word.text, ":"), playing_);
    if (!seat || trick_ == 0 || led_) return TokenError(word, "a seat is not expected here");
    if (trick_ == 1 && *seat != leader_) {
      return TokenError(word, absl::StrCat("Play says that ", SeatName(leader_), " leads"));
    }
    leader_ = *seat;
    led_ = true;
    return absl::OkStatus();
  }

  absl::Status Card(const Token& word) {
    const auto card = ParseCardName(word.text);
    if (!card) return TokenError(word, absl::StrCat("'", word.text, "' is not a card"));
    if (size_ == playing_) return TokenError(word, "the trick has too many cards");
    const rules::Seat seat = (leader_ + size_++) % playing_;
    if (trick_ == 1) Show(seat);
    Append(document_, seat, Action::Play(*card), word.line, word.column);
    return absl::OkStatus();
  }

  absl::Status Winner(const Token& word) {
    const auto seat = ParseSeatName(absl::StripPrefix(word.text, "="), playing_);
    if (!seat) return TokenError(word, absl::StrCat("'", word.text, "' names no seat"));
    if (won_ || size_ < playing_) {
      return TokenError(word, absl::StrCat("a winner after ", size_, " cards"));
    }
    won_ = true;
    document_.claims.winners.push_back(*seat);
    document_.lines.winners.push_back(word.line);
    return absl::OkStatus();
  }

  void Show(rules::Seat seat) {
    const auto found = handfuls_.find(seat);
    if (found == handfuls_.end()) return;
    Append(document_, seat, Action::Handful(found->second.cards), found->second.line);
    handfuls_.erase(found);
  }

  rules::Seat leader_;
  const int playing_;
  std::map<rules::Seat, HandfulTag> handfuls_;
  Document& document_;
  int trick_ = 0;  // The number of the trick, from 1; 0 before the first.
  int size_ = 0;   // Number of cards in the trick.
  bool led_ = false;
  bool won_ = false;
};

}  // namespace

absl::Status LineError(int line, absl::string_view problem, int column) {
  const std::string field = absl::StrCat("line ", line);
  const ErrorMetadata metadata = {{"field", field},
                                  {"description", std::string(problem)},
                                  {"line", absl::StrCat(line)},
                                  {"column", absl::StrCat(column)}};
  return Error(absl::StatusCode::kInvalidArgument, "BAD_REQUEST",
               absl::StrCat(field, ": ", problem), metadata);
}

absl::Status TokenError(const Token& token, absl::string_view problem) {
  return LineError(token.line, problem, token.column);
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
    if (length == 0) return LineError(line, "invalid UTF-8");
    line += text[at] == '\n' ? 1 : 0;
    at += length;
  }
  return Lexer(text).Run();
}

absl::Status TdnSections::Add(const Token& token) {
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

const Token* TdnSections::Find(const std::string& name) const {
  const auto found = tags.find(name);
  return found == tags.end() ? nullptr : &found->second;
}

absl::StatusOr<const Token*> TdnSections::Need(const std::string& name) const {
  const Token* tag = Find(name);
  if (tag == nullptr) return LineError(line, absl::StrCat("the ", kind_, " has no ", name));
  return tag;
}

absl::Status TagError(const Token& tag, absl::string_view problem) {
  return TokenError(tag, absl::StrCat(tag.text, " \"", tag.value, "\": ", problem));
}

absl::StatusOr<rules::Seat> SeatOfTag(const Token& tag, absl::string_view text, int players) {
  const auto seat = ParseSeatName(text, players);
  if (!seat) return TagError(tag, "there is no such seat");
  return *seat;
}

absl::Status ReadAuction(const std::vector<Token>& words, rules::Seat first, int playing,
                         Document& document) {
  rules::Seat seat = first;
  for (const Token& word : words) {
    const auto contract = ParseContractName(word.text);
    if (!contract) return TokenError(word, absl::StrCat("'", word.text, "' is not a bid"));
    Append(document, seat, Action::Bid(*contract), word.line, word.column);
    seat = (seat + 1) % playing;
  }
  return absl::OkStatus();
}

absl::Status ReadPlay(const std::vector<Token>& words, rules::Seat leader, int playing,
                      std::map<rules::Seat, HandfulTag> handfuls, Document& document) {
  PlayReader reader(leader, playing, std::move(handfuls), document);
  for (const Token& word : words) {
    TAROT_RETURN_IF_ERROR(reader.Take(word));
  }
  return reader.Finish();
}

}  // namespace tarot::notation
