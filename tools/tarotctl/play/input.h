// Waits for the first of: a typed line, a wake from another thread, Ctrl-C, a timeout.
#pragma once

#include <string>

#include "absl/time/time.h"

namespace tarot::tarotctl {

enum class InputEvent { kLine, kEnd, kWake, kInterrupt, kTimeout };

// At most one for each process. Wake: any thread. The other functions belong to one thread.
class Input {
 public:
  // Reads lines from `fd`. Takes over SIGINT until destroyed: the first Ctrl-C is an event, the
  // second ends the program as usual.
  explicit Input(int fd);
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  // Lines are read only with `want_line`: until then they wait in the file or terminal.
  InputEvent Wait(absl::Duration timeout, bool want_line, std::string* line);

  // Makes the next or the current Wait answer kWake. Any thread.
  void Wake();

  bool is_terminal() const { return is_terminal_; }

 private:
  // Returns true when a whole line (or the rest before the end) was in the buffer.
  bool TakeLine(std::string* line);

  const int fd_;
  const bool is_terminal_;
  bool ended_ = false;
  std::string buffer_;
};

}  // namespace tarot::tarotctl
