// Shows a table as it changes. On a terminal, redraws the whole table. Elsewhere, prints line by
// line.
#pragma once

#include <cstdint>
#include <deque>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "google/protobuf/repeated_field.h"
#include "tarot/rules/v1/table.pb.h"
#include "tools/cli/text.h"

namespace tarot::tarotctl {

class Screen {
 public:
  // With `redraw`, `out` must be a terminal whose screen may be cleared.
  Screen(std::ostream& out, const cli::TextStyle& style, bool redraw)
      : out_(out), style_(style), redraw_(redraw) {}

  // Shows the changes. Shows the end of a deal once, with its score.
  void Show(const rules::v1::Table& table, absl::Time now);

  // Shows which seats have lost the connection (WatchTableResponse.disconnected_seats). Call this
  // function after Show(). Returns true if it has shown something.
  bool ShowConnections(const google::protobuf::RepeatedField<std::uint32_t>& disconnected,
                       absl::Time now);

  // Adds a line to the lines of the table. With `redraw`, the line appears at the next Show().
  void Say(const std::string& line);

  // Prints the table, so that the player sees it above the next question. With `redraw`, this
  // function does nothing, because the table is visible already.
  void ShowForDecision(absl::Time now);

 private:
  // Adds the lines to `lines_` and removes the oldest ones.
  void Keep(const std::vector<std::string>& lines);
  // Clears the terminal and draws the table with the last lines under it.
  void Redraw(absl::Time now);

  std::ostream& out_;
  const cli::TextStyle style_;
  const bool redraw_;
  rules::v1::Table table_;
  std::set<std::uint32_t> disconnected_;
  std::deque<std::string> lines_;
};

}  // namespace tarot::tarotctl
