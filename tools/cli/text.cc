#include "tools/cli/text.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace tarot::cli {
namespace {

unsigned char ByteAt(absl::string_view text, std::size_t i) {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
}

// Returns the length of the UTF-8 sequence that starts at `i`, or 1 if the sequence is broken.
std::size_t SequenceLength(absl::string_view text, std::size_t i) {
  const unsigned char lead = ByteAt(text, i);
  const std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xC2 && lead < 0xE0 ? 2
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xF0 && lead < 0xF5 ? 4
                                                           : 1;
  for (std::size_t k = 1; k < length; ++k) {
    if ((ByteAt(text, i + k) & 0xC0) != 0x80) return 1;
  }
  return length;
}

// Returns true for a control character, a broken byte, or a mark that reorders or hides letters.
bool Dangerous(absl::string_view sequence) {
  const unsigned char a = ByteAt(sequence, 0), b = ByteAt(sequence, 1), c = ByteAt(sequence, 2);
  switch (sequence.size()) {
    case 1:
      return a < 0x20 || a >= 0x7F;
    case 2:
      return a == 0xC2 && b < 0xA0;
    case 3:
      if (a == 0xE2 && b == 0x80) return (c >= 0x8B && c <= 0x8F) || (c >= 0xA8 && c <= 0xAE);
      return a == 0xE2 && b == 0x81 && c >= 0xA6 && c <= 0xA9;
    default:
      return false;
  }
}

// Returns the length, in bytes, of the escape sequence "ESC [ … letter" that begins at `i`, or 0 if
// there is none.
std::size_t EscapeLength(absl::string_view text, std::size_t i) {
  if (ByteAt(text, i) != 0x1B || ByteAt(text, i + 1) != '[') return 0;
  std::size_t end = i + 2;
  while (end < text.size() && !absl::ascii_isalpha(ByteAt(text, end))) ++end;
  return end - i + 1;
}

}  // namespace

std::string Safe(absl::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = SequenceLength(text, i);
    const absl::string_view sequence = text.substr(i, length);
    absl::StrAppend(&out, Dangerous(sequence) ? "?" : sequence);
    i += length;
  }
  return out;
}

int Width(absl::string_view text) {
  int width = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (const std::size_t escape = EscapeLength(text, i); escape > 0) {
      i += escape;
      continue;
    }
    i += SequenceLength(text, i);
    ++width;
  }
  return width;
}

std::string Fit(absl::string_view text, int width) {
  const std::string safe = Safe(text);
  if (Width(safe) <= width) return safe;
  // Bots of one level differ only by the number at the end of their names.
  constexpr std::size_t kNumberMax = 3;
  const std::size_t digits = safe.find_last_not_of("0123456789") + 1;
  const absl::string_view number =
      safe.size() - digits < kNumberMax ? absl::string_view(safe).substr(digits) : "";
  std::size_t end = 0;
  const int kept = width - 1 - static_cast<int>(number.size());
  for (int used = 0; used < kept; ++used) end += SequenceLength(safe, end);
  return absl::StrCat(absl::string_view(safe).substr(0, end), "…", number);
}

std::string PadRight(absl::string_view text, int width) {
  return absl::StrCat(text,
                      std::string(static_cast<std::size_t>(std::max(0, width - Width(text))), ' '));
}

std::string PadLeft(absl::string_view text, int width) {
  return absl::StrCat(std::string(static_cast<std::size_t>(std::max(0, width - Width(text))), ' '),
                      text);
}

std::string Columns(const std::vector<std::vector<std::string>>& rows,
                    const std::vector<int>& right) {
  std::vector<int> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], Width(row[i]));
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool to_right =
          std::find(right.begin(), right.end(), static_cast<int>(i)) != right.end();
      absl::StrAppend(&line, i > 0 ? "  " : "",
                      to_right ? PadLeft(row[i], widths[i]) : PadRight(row[i], widths[i]));
    }
    absl::StrAppend(&out, absl::StripTrailingAsciiWhitespace(line), "\n");
  }
  return out;
}

namespace {

absl::string_view Code(Tone tone) {
  switch (tone) {
    case Tone::kPlain:
      return "";
    case Tone::kBold:
      return "1";
    case Tone::kDim:
      return "2";
    case Tone::kRed:
      return "31";
    case Tone::kGreen:
      return "32";
    case Tone::kCyan:
      return "36";
    case Tone::kYellow:
      return "33";
    case Tone::kBoldYellow:
      return "1;33";
    case Tone::kReverse:
      return "7";
  }
  return "";
}

}  // namespace

std::string TextStyle::Paint(Tone tone, absl::string_view text) const {
  if (!color_ || tone == Tone::kPlain || text.empty()) return std::string(text);
  return absl::StrCat("\x1b[", Code(tone), "m", text, "\x1b[0m");
}

bool WantColor(absl::string_view choice, bool is_terminal, const char* no_color, const char* term) {
  if (choice == "always") return true;
  if (choice == "never") return false;
  if (no_color != nullptr && *no_color != '\0') return false;
  if (term != nullptr && absl::string_view(term) == "dumb") return false;
  return is_terminal;
}

}  // namespace tarot::cli
