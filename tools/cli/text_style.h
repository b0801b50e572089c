// Colour for a terminal, or none: the same text either way.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace tarot::cli {

enum class Tone { kPlain, kBold, kDim, kRed, kGreen, kCyan, kYellow, kBoldYellow, kReverse };

// A small value.
class TextStyle {
 public:
  explicit TextStyle(bool color) : color_(color) {}

  bool color() const { return color_; }
  // `text` between the escape codes of `tone`; `text` itself without colour.
  std::string Paint(Tone tone, absl::string_view text) const;

 private:
  bool color_;
};

// Whether to colour: `choice` is the value of --color ("always", "never" or "auto"). Auto means a
// terminal, no NO_COLOR (https://no-color.org) and no TERM=dumb.
bool WantColor(absl::string_view choice, bool is_terminal, const char* no_color, const char* term);

}  // namespace tarot::cli
