// What the players of a load did and saw, in one file: tarot-load writes it, tarot-check compares
// it with the log. The format is in README.md.
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

// Microseconds of the machine's steady clock: the same in all processes, never set back.
std::int64_t NowMicros();

// One line of a history. Each kind uses the fields that its line in README.md names.
struct Event {
  enum class Kind {
    kSeat,     // `client`, who is `player`, sits at `table`.
    kCall,     // An attempt to get `request` done; `bytes` is rules::EncodeAction.
    kOk,       // Its answer: done. `revision` is that of the table in the answer.
    kRefused,  // Its answer: never to be done. `text` is the reason.
    kUnknown,  // It may have been done, or be done yet.
    kView,     // `bytes`: a tarot.rules.v1.Table. `stream` 0: in an answer; else the number of the
               // client's life, within which a watch resumes after the last revision it has.
    kFault,    // `text` begins; what the fault runner did.
    kHealed,   // `text` has ended.
    kOdd,      // An answer that no client should get; `text` is its code and reason.
    kEnd,      // The players stop here.
  };

  Kind kind = Kind::kEnd;
  std::int64_t time_us = 0;
  int client = 0;
  int attempt = 0;   // Of the request, from 1.
  int revision = 0;  // Of kCall: the one that was expected.
  int stream = 0;
  TableId table;
  PlayerId player;
  RequestId request;
  std::string text;  // Without spaces.
  std::string bytes;
};

std::string FormatEvent(const Event& event);
// Nothing for a line that FormatEvent did not make.
std::optional<Event> ParseEvent(absl::string_view line);

// Thread-safe. Compresses as it writes.
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

// Calls `each` for every line, in order. Errors: NOT_FOUND, DATA_LOSS for a line that is none.
absl::Status ReadHistory(const std::string& path, const std::function<void(const Event&)>& each);

}  // namespace tarot::load
