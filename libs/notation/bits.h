// Numbers of a few bits each, packed into bytes from the low bit of the first byte.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
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

// Reads zeros behind the end; Overrun() and AtEnd() tell.
class BitReader {
 public:
  explicit BitReader(absl::string_view bytes) : bytes_(bytes) {}

  unsigned Take(int width) {
    const std::size_t byte = at_ / 8;
    std::uint64_t word = 0;
    if (byte + sizeof(word) <= bytes_.size()) {
      std::memcpy(&word, bytes_.data() + byte, sizeof(word));
      if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    } else {
      for (std::size_t i = byte; i < bytes_.size(); ++i) {
        word |= std::uint64_t{static_cast<unsigned char>(bytes_[i])} << (8 * (i - byte));
      }
    }
    word >>= at_ % 8;
    at_ += static_cast<std::size_t>(width);
    return static_cast<unsigned>(word & ((std::uint64_t{1} << width) - 1));
  }

  // True once more was read than there is.
  bool Overrun() const { return at_ > 8 * bytes_.size(); }

  // True when everything was read but for zeros that fill the last byte.
  bool AtEnd() const {
    if (Overrun() || (at_ + 7) / 8 != bytes_.size()) return false;
    return at_ % 8 == 0 || static_cast<unsigned char>(bytes_.back()) >> (at_ % 8) == 0;
  }

 private:
  absl::string_view bytes_;
  std::size_t at_ = 0;  // In bits.
};

}  // namespace tarot::notation
