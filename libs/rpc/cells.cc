#include "libs/rpc/cells.h"

#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "libs/base/cell.h"
#include "libs/rpc/call.h"

namespace tarot::rpc {
namespace {

absl::Status Malformed(absl::string_view part) {
  return absl::InvalidArgumentError(absl::StrCat(
      "'", part, "' must be CELL=HOST:PORT[,HOST:PORT...]; each cell must appear once."));
}

absl::Status Repeated(absl::string_view address) {
  return absl::InvalidArgumentError(absl::StrCat(
      "'", address, "' appears twice, but a replica of rules belongs to one cell only."));
}

}  // namespace

absl::StatusOr<Cells> ParseCells(absl::string_view text) {
  if (!absl::StrContains(text, '=')) {
    if (!IsTarget(text)) return Malformed(text);
    return Cells{{0, {.addresses = std::string(text)}}};
  }
  Cells cells;
  std::set<absl::string_view> addresses;
  for (const absl::string_view part : absl::StrSplit(text, ';')) {
    std::pair<absl::string_view, absl::string_view> halves =
        absl::StrSplit(part, absl::MaxSplits('=', 1));
    const bool closed = absl::ConsumeSuffix(&halves.first, "!");
    int number = 0;
    if (!absl::SimpleAtoi(halves.first, &number) || number < 0 || number > kCellMax ||
        !IsTarget(halves.second)) {
      return Malformed(part);
    }
    for (const absl::string_view address : absl::StrSplit(halves.second, ',')) {
      if (!addresses.insert(address).second) return Repeated(address);
    }
    const Cell cell{.addresses = std::string(halves.second), .open = !closed};
    if (!cells.emplace(number, cell).second) return Malformed(part);
  }
  return cells;
}

OptionRange CellAddresses() {
  return {
      .text =
          "host:port, or several separated by commas; with several cells, "
          "CELL=host:port[,host:port...], separated by semicolons, without an address that appears "
          "twice",
      .contains = [](const absl::CommandLineFlag& flag) {
        return ParseCells(flag.TryGet<std::string>().value_or("")).ok();
      }};
}

bool SilentCells::MayAsk(int cell) {
  const absl::Time now = clock_.Now();
  const std::lock_guard lock(mutex_);
  const auto found = ask_again_.find(cell);
  if (found == ask_again_.end()) return true;
  if (now < found->second) return false;
  found->second = now + pause_;  // Until then, only this call asks the cell.
  return true;
}

void SilentCells::NoteSilence(int cell) {
  const absl::Time again = clock_.Now() + pause_;
  const std::lock_guard lock(mutex_);
  ask_again_[cell] = again;
}

void SilentCells::NoteAnswer(int cell) {
  const std::lock_guard lock(mutex_);
  ask_again_.erase(cell);
}

}  // namespace tarot::rpc
