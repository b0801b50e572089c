// A child process that exchanges lines with this program.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace tarot::lab {

class Process {
 public:
  // Runs `command` by the shell. The child writes its errors to the standard error of this process.
  // The child ends when this process ends, for any reason.
  static absl::StatusOr<std::unique_ptr<Process>> Start(const std::string& command);
  // Kills the process group of the child: the child and the processes that it started.
  ~Process();

  // Sends `text`: one or more lines, each with its line end. Returns UNAVAILABLE if the child has
  // ended, and DEADLINE_EXCEEDED if it does not read the whole text within `patience`.
  absl::Status Write(absl::string_view text, absl::Duration patience);
  // Returns the next line without its end. Returns DEADLINE_EXCEEDED if no line comes within
  // `patience`, UNAVAILABLE if the child has ended, and RESOURCE_EXHAUSTED for a line of more than
  // 100,000 bytes.
  absl::StatusOr<std::string> ReadLine(absl::Duration patience);

 private:
  Process(int socket, int life, pid_t pid) : socket_(socket), life_(life), pid_(pid) {}

  // Waits until the socket is ready for `events`, but not longer than the time `until`.
  bool Await(short events, absl::Time until) const;

  const int socket_;
  // This process's end of a pipe without data. When this process ends, the pipe closes, and the
  // guard (process.cc) kills the child.
  const int life_;
  const pid_t pid_;
  std::string read_;  // Text that was received and not yet returned.
};

}  // namespace tarot::lab
