// Text for a terminal: columns, colour, and foreign text made safe.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace tarot::cli {

// `text` without anything that moves a terminal's cursor or turns its letters round: control
// characters, escape sequences and bidirectional marks become "?".
std::string Safe(absl::string_view text);

// Columns that `text` takes: code points, escape sequences not counted.
int Width(absl::string_view text);

// Safe(), cut to `width` with "…" at the end.
std::string Fit(absl::string_view text, int width);

std::string PadRight(absl::string_view text, int width);
std::string PadLeft(absl::string_view text, int width);

// Rows of cells as lines, each column as wide as its widest cell, two spaces between. Columns whose
// index is in `right` are aligned to the right. No trailing spaces.
std::string Columns(const std::vector<std::vector<std::string>>& rows,
                    const std::vector<int>& right);

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

// Returns whether to colour: `choice` is the value of --color ("always", "never" or "auto"). Auto
// means a terminal, no NO_COLOR (https://no-color.org) and no TERM=dumb.
bool WantColor(absl::string_view choice, bool is_terminal, const char* no_color, const char* term);

}  // namespace tarot::cli
