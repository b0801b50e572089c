// Opens the file or terminal with the player's answers. Waits for a typed line, a wake from another
// thread, Ctrl-C, or a timeout, whichever comes first.
#pragma once

#include <string>

#include "absl/time/time.h"

namespace tarot::tarotctl {

enum class InputEvent { kLine, kEnd, kWake, kInterrupt, kTimeout };

// The file or terminal from which the player's answers are read. The destructor closes a file.
class InputFile {
 public:
  // Opens the file at `path`. If `path` is empty, uses the standard input.
  explicit InputFile(const std::string& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  // Returns the descriptor. If the file cannot be opened, returns -1, and `errno` says why until
  // the next system call.
  int fd() const { return fd_; }

 private:
  const int fd_;
};

// A process can have at most one Input. Any thread may call Wake. The other functions belong to one
// thread.
class Input {
 public:
  // Reads lines from `fd`. Until the Input is destroyed, it handles SIGINT: the first Ctrl-C is an
  // event, and the second Ctrl-C ends the program as usual.
  explicit Input(int fd);
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  // Waits for the first event. If `want_line` is false, reads nothing, and kLine and kEnd cannot be
  // the result. For kLine, `line` is the line that was read.
  InputEvent Wait(absl::Duration timeout, bool want_line, std::string* line);

  // Makes the next or the current Wait return kWake. Any thread may call it.
  void Wake();

  bool is_terminal() const { return is_terminal_; }

 private:
  // Moves the next line of the buffer to `line`. At the end of the input, the rest of the buffer is
  // a line too. Returns false if there is no line.
  bool TakeLine(std::string* line);

  const int fd_;
  const bool is_terminal_;
  bool ended_ = false;
  std::string buffer_;
};

}  // namespace tarot::tarotctl
