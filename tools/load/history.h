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

// Returns the time in microseconds of the machine's steady clock. This clock is the same in all
// processes and never goes back.
std::int64_t NowMicros();

// The bytes of a call that claims all tricks that are left. No encoded action has these bytes.
inline constexpr absl::string_view kClaimBytes = "claim";

// One line of a history. README.md lists the fields of each kind.
struct Event {
  enum class Kind {
    kSeat,  // `client`, which plays as `player`, sits at `table`.
    kCall,  // An attempt of `request`; `bytes` is rules::EncodeAction, or kClaimBytes.
    // The answer to a call was OK. `revision` is the revision of the table in the answer.
    kOk,
    kRefused,  // A call was refused. `text` is the reason.
    // The outcome of a call is unknown: the call may have run, or may still run. `text` is the
    // error.
    kUnknown,
    // The client got a view; `bytes` is a tarot.rules.v1.Table. `stream` is 0 for a view in an
    // answer. For a view on a watch, `stream` is a number that changes when the client starts anew
    // or sits at another table. While the number stays the same, a new watch continues after the
    // last revision that the client has seen.
    kView,
    kFault,   // The fault runner began a fault. `text` names the fault.
    kHealed,  // The fault that `text` names has ended.
    kOdd,     // An answer that clients should not get. `text` is its code and reason.
    kEnd,     // The end of play.
  };

  Kind kind = Kind::kEnd;
  std::int64_t time_us = 0;
  int client = 0;
  int attempt = 0;   // The number of the attempt, from 1.
  int revision = 0;  // The revision of the table. For kCall, the revision that the client expects.
  int stream = 0;
  TableId table;
  PlayerId player;
  RequestId request;
  std::string text;  // Contains no spaces.
  std::string bytes;
};

std::string FormatEvent(const Event& event);
// Returns nullopt for a line that FormatEvent did not make.
std::optional<Event> ParseEvent(absl::string_view line);

// Writes a history and compresses it. Thread-safe.
class HistoryWriter {
 public:
  static absl::StatusOr<std::unique_ptr<HistoryWriter>> Create(const std::string& path);
  ~HistoryWriter();  // Completes the file.

  void Write(const Event& event);

 private:
  explicit HistoryWriter(void* file) : file_(file) {}

  std::mutex mutex_;
  void* file_;  // A gzFile.
};

// Calls `each` for every line, in order. Returns NOT_FOUND if there is no file, and DATA_LOSS for
// an invalid line.
absl::Status ReadHistory(const std::string& path, const std::function<void(const Event&)>& each);

}  // namespace tarot::load
