#include "tools/tarotctl/play/screen.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tools/tarotctl/view/table_view.h"
#include "tools/tarotctl/view/words.h"

namespace tarot::tarotctl {
namespace {

constexpr std::size_t kLinesKept = 12;  // The result of a deal fits into this number of lines.

bool DealDone(const rules::v1::Table& table) { return table.deal().has_result(); }

}  // namespace

void Screen::Show(const rules::v1::Table& table, absl::Time now) {
  std::vector<std::string> lines = DescribeChanges(table_, table, style_);
  const bool was_done = DealDone(table_) && table_.deal_number() == table.deal_number();
  if (DealDone(table) && !was_done) {
    for (const absl::string_view line :
         absl::StrSplit(RenderDealResult(table, style_), '\n', absl::SkipEmpty())) {
      lines.emplace_back(line);
    }
  }
  table_ = table;
  if (!redraw_) {
    for (const std::string& line : lines) out_ << line << "\n";
    out_.flush();
    return;
  }
  Keep(lines);
  Redraw(now);
}

void Screen::Keep(const std::vector<std::string>& lines) {
  lines_.insert(lines_.end(), lines.begin(), lines.end());
  while (lines_.size() > kLinesKept) lines_.pop_front();
}

bool Screen::ShowConnections(const google::protobuf::RepeatedField<std::uint32_t>& disconnected,
                             absl::Time now) {
  const std::set<std::uint32_t> before = std::exchange(
      disconnected_, std::set<std::uint32_t>(disconnected.begin(), disconnected.end()));
  if (table_.has_viewer()) disconnected_.erase(table_.viewer());
  if (disconnected_ == before) return false;
  // No line says that a seat is connected again. After this program has opened the stream at
  // another gateway, the list is empty until that gateway knows which persons watch.
  std::vector<std::string> lines;
  for (const std::uint32_t seat : disconnected_) {
    if (before.contains(seat)) continue;
    lines.push_back(absl::StrCat(SeatName(table_, seat), " has lost the connection."));
  }
  if (!redraw_) {
    for (const std::string& line : lines) out_ << line << "\n";
    out_.flush();
    return !lines.empty();
  }
  Keep(lines);
  Redraw(now);
  return true;
}

void Screen::Say(const std::string& line) {
  if (redraw_) {
    lines_.push_back(line);
  } else {
    out_ << line << "\n";
  }
}

void Screen::ShowForDecision(absl::Time now) {
  if (!redraw_) out_ << "\n" << RenderTable(table_, now, style_, disconnected_) << std::flush;
}

void Screen::Redraw(absl::Time now) {
  // Moves the cursor to the top left and clears from there. The screen flickers less than if the
  // program cleared it first.
  out_ << "\x1b[H\x1b[J" << RenderTable(table_, now, style_, disconnected_) << "\n";
  for (const std::string& line : lines_) out_ << "  " << line << "\n";
  out_.flush();
}

}  // namespace tarot::tarotctl
