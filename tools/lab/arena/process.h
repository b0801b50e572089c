// Another program, spoken to in lines.
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
  // Runs `command` by the shell; its standard error stays ours. It ends when this process
  // ends, for any reason.
  static absl::StatusOr<std::unique_ptr<Process>> Start(const std::string& command);
  // Ends the process and everything that it started.
  ~Process();

  // UNAVAILABLE when the process does not listen any more, DEADLINE_EXCEEDED when it does not read
  // within `patience`.
  absl::Status Write(absl::string_view text, absl::Duration patience);
  // Returns the next line without its end. DEADLINE_EXCEEDED after `patience` in all, UNAVAILABLE
  // when no more come, RESOURCE_EXHAUSTED for one that does not end.
  absl::StatusOr<std::string> ReadLine(absl::Duration patience);

 private:
  Process(int socket, int life, pid_t pid) : socket_(socket), life_(life), pid_(pid) {}

  // Waits until the socket is ready for `events`, at most until `until`.
  bool Await(short events, absl::Time until) const;

  const int socket_;
  const int life_;  // A pipe that is never written: the guard sees it close.
  const pid_t pid_;
  std::string read_;  // Behind the last line.
};

}  // namespace tarot::lab
