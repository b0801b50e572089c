// The history of a load: what its players did and saw. tarot-load writes it, and tarot-check
// compares it with the log. README.md defines the format.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/base/ids.h"

namespace tarot::load {

// Microseconds of the machine's steady clock, which is the same in all processes and never goes
// back.
std::int64_t NowMicros();

// One line of a history. README.md lists the fields of each kind.
struct Event {
  enum class Kind {
    kSeat,     // `client`, who is `player`, sits at `table`.
    kCall,     // An attempt of `request`; `bytes` is rules::EncodeAction.
    kOk,       // Its answer OK; `revision` is that of the table in the answer.
    kRefused,  // Its refusal; `text` is the reason.
    kUnknown,  // It may have run, or may still run.
    kView,     // `bytes`: a tarot.rules.v1.Table. `stream`: 0 in an answer, else the number of the
               // client's life; in one life a watch resumes after the last revision seen.
    kFault,    // The fault `text` of the fault runner begins.
    kHealed,   // The fault `text` has ended.
    kOdd,      // An answer that clients should not get; `text`: code and reason.
    kEnd,      // The end of play.
  };

  Kind kind = Kind::kEnd;
  std::int64_t time_us = 0;
  int client = 0;
  int attempt = 0;   // The number of the attempt, from 1.
  int revision = 0;  // For kCall: the expected revision.
  int stream = 0;
  TableId table;
  PlayerId player;
  RequestId request;
  std::string text;  // Contains no spaces.
  std::string bytes;
};

std::string FormatEvent(const Event& event);
// Returns nothing for a line that FormatEvent did not make.
std::optional<Event> ParseEvent(absl::string_view line);

// Compresses as it writes. Thread-safe.
class HistoryWriter {
 public:
  static absl::StatusOr<std::unique_ptr<HistoryWriter>> Create(const std::string& path);
  ~HistoryWriter();  // Completes the file.

  void Write(const Event& event);

 private:
  explicit HistoryWriter(void* file) : file_(file) {}

  std::mutex mutex_;
  void* file_;  // gzFile
};

// Calls `each` for every line in order. Errors: NOT_FOUND; DATA_LOSS for an invalid line.
absl::Status ReadHistory(const std::string& path, const std::function<void(const Event&)>& each);

}  // namespace tarot::load
