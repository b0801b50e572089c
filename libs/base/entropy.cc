#include "libs/base/entropy.h"

#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "libs/base/check.h"

namespace tarot {
namespace {

// Writes the milliseconds since 1970 into the first six bytes. A time before 1970 counts as 1970.
void PutMilliseconds(absl::Time time, std::array<std::uint8_t, 16>& bytes) {
  const auto millis =
      static_cast<std::uint64_t>(std::max<std::int64_t>(0, absl::ToUnixMillis(time)));
  for (std::size_t i = 0; i < 6; ++i) bytes[i] = static_cast<std::uint8_t>(millis >> (40 - 8 * i));
}

}  // namespace

Uuid Entropy::NewUuid() {
  std::array<std::uint8_t, 16> bytes;
  Fill(absl::MakeSpan(bytes));
  bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0F) | 0x40);
  bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3F) | 0x80);
  return Uuid(bytes);
}

Uuid Entropy::NewTimeOrderedUuid(absl::Time now) {
  std::array<std::uint8_t, 16> bytes;
  Fill(absl::MakeSpan(bytes));
  PutMilliseconds(now, bytes);
  bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0F) | 0x70);
  bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3F) | 0x80);
  return Uuid(bytes);
}

Uuid FirstTimeOrderedUuid(absl::Time time) {
  std::array<std::uint8_t, 16> bytes{};
  PutMilliseconds(time, bytes);
  return Uuid(bytes);
}

absl::Time TimeOfUuid(const Uuid& id) {
  std::int64_t millis = 0;
  for (std::size_t i = 0; i < 6; ++i) millis = millis << 8 | id.bytes()[i];
  return absl::FromUnixMillis(millis);
}

std::uint64_t Entropy::NewSeed() {
  std::array<std::uint8_t, 8> bytes;
  Fill(absl::MakeSpan(bytes));
  std::uint64_t seed;
  std::memcpy(&seed, bytes.data(), sizeof seed);
  return seed;
}

void OsEntropy::Fill(absl::Span<std::uint8_t> out) {
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t got = getrandom(out.data() + done, out.size() - done, 0);
    TAROT_CHECK(got >= 0 || errno == EINTR);
    if (got > 0) done += static_cast<std::size_t>(got);
  }
}

void SeededEntropy::Fill(absl::Span<std::uint8_t> out) {
  for (std::uint8_t& byte : out) byte = static_cast<std::uint8_t>(rng_.Next() >> 56);
}

}  // namespace tarot
