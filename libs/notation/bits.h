// Numbers of a few bits each, packed into bytes from the low bit of the first byte.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace tarot::notation {

class BitWriter {
 public:
  explicit BitWriter(std::string& out) : out_(out) {}

  // The low `width` (0 to 16) bits of `value`; the others are zero.
  void Put(unsigned value, int width) {
    word_ |= std::uint64_t{value} << filled_;
    filled_ += width;
    for (; filled_ >= 8; filled_ -= 8, word_ >>= 8) out_ += static_cast<char>(word_ & 0xFF);
  }

  // Fills the last byte with zeros.
  void Finish() {
    if (filled_ > 0) Put(0, 8 - filled_);
  }

 private:
  std::string& out_;
  std::uint64_t word_ = 0;
  int filled_ = 0;
};

// Reads zeros behind the end; Finish() tells.
class BitReader {
 public:
  explicit BitReader(absl::string_view bytes) : bytes_(bytes) {}

  unsigned Take(int width) {
    while (filled_ < width) {
      const auto byte = at_ < bytes_.size() ? static_cast<unsigned char>(bytes_[at_]) : 0u;
      word_ |= std::uint64_t{byte} << filled_;
      ++at_;
      filled_ += 8;
    }
    const auto value = static_cast<unsigned>(word_ & ((std::uint64_t{1} << width) - 1));
    word_ >>= width;
    filled_ -= width;
    return value;
  }

  // True once more was read than there is.
  bool Overrun() const { return at_ > bytes_.size(); }

  // True when everything was read but for zeros that fill the last byte.
  bool AtEnd() const { return at_ == bytes_.size() && filled_ < 8 && word_ == 0; }

 private:
  absl::string_view bytes_;
  std::size_t at_ = 0;
  std::uint64_t word_ = 0;
  int filled_ = 0;
};

}  // namespace tarot::notation
