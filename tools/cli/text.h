// Text for a terminal: columns, colour, and safe forms of text from other people.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace tarot::cli {

// Returns `text` with "?" in place of everything that could disturb a terminal: control characters,
// broken UTF-8, and marks that reorder or hide letters. Without control characters, no escape
// sequence can begin.
std::string Safe(absl::string_view text);

// Returns the number of columns that `text` needs: the number of its code points. Escape sequences
// need none.
int Width(absl::string_view text);

// Returns Safe(text). If that needs more than `width` columns, cuts it and puts "…" at the cut; a
// number of one or two digits at the end of the text stays. `width` must be at least 4.
std::string Fit(absl::string_view text, int width);

std::string PadRight(absl::string_view text, int width);
std::string PadLeft(absl::string_view text, int width);

// Returns rows of cells as aligned lines. Each column is as wide as its widest cell, with two
// spaces between columns. Columns whose index is in `right` are aligned to the right. Lines have no
// trailing spaces.
std::string Columns(const std::vector<std::vector<std::string>>& rows,
                    const std::vector<int>& right);

enum class Tone { kPlain, kBold, kDim, kRed, kGreen, kCyan, kYellow, kBoldYellow, kReverse };

// Adds colours to text, or leaves it plain. Objects are small and can be copied.
class TextStyle {
 public:
  explicit TextStyle(bool color) : color_(color) {}

  bool color() const { return color_; }
  // Returns `text` between the escape codes of `tone`, or `text` itself without colour.
  std::string Paint(Tone tone, absl::string_view text) const;

 private:
  bool color_;
};

// Returns whether to use colour. `choice` is the value of --color ("always", "never" or "auto").
// "auto" uses colour on a terminal. If NO_COLOR is set (https://no-color.org) or TERM is dumb,
// "auto" uses no colour.
bool WantColor(absl::string_view choice, bool is_terminal, const char* no_color, const char* term);

}  // namespace tarot::cli
