// Reads lines from a file descriptor. Can also check, without waiting, whether the next line has
// come.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace tarot::lab {

class LineInput {
 public:
  explicit LineInput(int fd) : fd_(fd) {}

  // Next() returns only this number of bytes of a longer line, to limit memory.
  static constexpr std::size_t kLineBytesMax = 100'000;

  // Waits for the next line and returns it without its end. Returns nullopt at the end of the
  // input.
  std::optional<std::string> Next();

  // Returns whether the next line has come already and is `line`. Does not wait.
  bool NextIs(absl::string_view line);

 private:
  // Appends input to text_. Returns false when no input came. If `wait` is true, waits for input.
  bool Read(bool wait);

  const int fd_;
  std::string text_;  // Text that was read and not yet returned.
};

}  // namespace tarot::lab
