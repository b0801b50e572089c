#include "libs/base/cell.h"

#include "libs/base/check.h"

namespace tarot {
namespace {

// The version of a UUID is in the high bits of byte 6 (RFC 9562).
constexpr std::uint8_t kVersionMask = 0xF0;
constexpr std::uint8_t kVersionEight = 0x80;
constexpr std::size_t kCellByte = 7;

}  // namespace

int CellOf(const Uuid& table) {
  return (table.bytes()[6] & kVersionMask) == kVersionEight ? table.bytes()[kCellByte] : 0;
}

Uuid NewTableUuid(Entropy& entropy, absl::Time now, int cell) {
  TAROT_CHECK(cell >= 0 && cell <= kCellMax);
  const Uuid random = entropy.NewTimeOrderedUuid(now);
  if (cell == 0) return random;
  std::array<std::uint8_t, 16> bytes = random.bytes();
  bytes[6] = static_cast<std::uint8_t>((bytes[6] & ~kVersionMask) | kVersionEight);
  bytes[kCellByte] = static_cast<std::uint8_t>(cell);
  return Uuid(bytes);
}

}  // namespace tarot
