// Makes foreign text safe for a terminal, and lines up columns.
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

}  // namespace tarot::cli
