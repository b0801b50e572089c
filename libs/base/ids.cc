#include "libs/base/ids.h"

namespace tarot {
namespace {

constexpr char kDigits[] = "0123456789abcdef";
constexpr std::uint8_t kNoDigit = 0xF0;

// kValues[c] is the value of the hexadecimal digit c, or kNoDigit if c is no such digit.
constexpr std::array<std::uint8_t, 256> kValues = [] {
  std::array<std::uint8_t, 256> values{};
  for (std::uint8_t& value : values) value = kNoDigit;
  for (std::uint8_t i = 0; i < 10; ++i) values['0' + i] = i;
  for (std::uint8_t i = 0; i < 6; ++i) {
    values['a' + i] = values['A' + i] = static_cast<std::uint8_t>(10 + i);
  }
  return values;
}();

bool DashBefore(std::size_t byte) { return byte == 4 || byte == 6 || byte == 8 || byte == 10; }

}  // namespace

std::optional<Uuid> Uuid::Parse(absl::string_view text) {
  if (text.size() != 36) return std::nullopt;
  std::array<std::uint8_t, 16> bytes;
  bool good = true;
  const char* at = text.data();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (DashBefore(i)) good &= *at++ == '-';
    const unsigned high = kValues[static_cast<std::uint8_t>(*at++)];
    const unsigned low = kValues[static_cast<std::uint8_t>(*at++)];
    good &= (high | low) < 16;
    bytes[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  if (!good) return std::nullopt;
  return Uuid(bytes);
}

std::string Uuid::ToString() const {
  std::string text(36, '-');
  char* at = text.data();
  for (std::size_t i = 0; i < bytes_.size(); ++i) {
    if (DashBefore(i)) ++at;
    *at++ = kDigits[bytes_[i] >> 4];
    *at++ = kDigits[bytes_[i] & 15];
  }
  return text;
}

}  // namespace tarot
