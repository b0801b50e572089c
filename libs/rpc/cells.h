// The addresses of the replicas of rules, by cell (libs/base/cell.h).
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "libs/base/clock.h"
#include "libs/rpc/options.h"

namespace tarot::rpc {

struct Cell {
  std::string addresses;  // The replicas of rules: a target of MakeServiceChannel().
  bool open = true;       // False if the cell gets no new tables.
};

using Cells = std::map<int, Cell>;  // By number; never empty.

// Parses CELL=ADDRESSES of each cell, separated by semicolons: "0=a:7101,b:7101;1=c:7101". The form
// CELL!=ADDRESSES is a cell that gets no new tables. No address may appear twice. A text without
// "=" has the addresses of cell 0. Returns INVALID_ARGUMENT for any other text.
absl::StatusOr<Cells> ParseCells(absl::string_view text);

// Accepts the texts that ParseCells() accepts.
OptionRange CellAddresses();

// Returns the cell of `number`. Without such a cell, returns the first cell, which then answers
// that it does not know the table.
template <typename Value>
Value& CellOrFirst(std::map<int, Value>& cells, int number) {
  const auto found = cells.find(number);
  return found == cells.end() ? cells.begin()->second : found->second;
}

// Remembers which cells did not answer in time, so that few calls wait for them. While a cell is
// silent, one call in each `pause` asks it again. Thread-safe.
class SilentCells {
 public:
  SilentCells(Clock& clock, absl::Duration pause) : clock_(clock), pause_(pause) {}

  // Returns false if the cell is silent and this call shall not ask it.
  bool MayAsk(int cell);
  // The cell has not answered a call within the usual time limit of such a call.
  void NoteSilence(int cell);
  // The cell has answered a call, perhaps with an error.
  void NoteAnswer(int cell);

 private:
  Clock& clock_;
  const absl::Duration pause_;
  std::mutex mutex_;
  std::map<int, absl::Time> ask_again_;  // Has the silent cells only.
};

}  // namespace tarot::rpc
