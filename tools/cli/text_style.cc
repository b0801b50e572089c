#include "tools/cli/text_style.h"

#include "absl/strings/str_cat.h"

namespace tarot::cli {
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
