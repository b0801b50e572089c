// Reads bytes as a stored record. The bytes must be refused, or the record must encode to exactly
// the same bytes.
#include "libs/base/check.h"
#include "libs/notation/prove.h"
#include "libs/notation/record_bytes.h"
#include "tests/fuzz/fuzz.h"

using namespace tarot;

// Corrects the checksum, because the fuzzer cannot guess it.
std::string Sealed(std::string bytes) {
  if (bytes.size() < 4) return bytes;
  std::uint32_t hash = 2166136261u;
  for (std::size_t i = 0; i + 4 < bytes.size(); ++i) {
    hash = (hash ^ static_cast<unsigned char>(bytes[i])) * 16777619u;
  }
  for (std::size_t i = 0; i < 4; ++i) {
    bytes[bytes.size() - 4 + i] = static_cast<char>(hash >> (8 * i) & 0xFF);
  }
  return bytes;
}

void FuzzOne(absl::string_view input) {
  const std::string bytes = Sealed(std::string(input));
  const auto document = notation::DecodeRecord(bytes);
  if (document.ok()) {
    const auto again = notation::EncodeDocument(*document);
    TAROT_CHECK(again.ok() && *again == bytes);
    notation::Untruth(*document);
  }
  if (const auto parts = notation::SplitArchive(input); parts.ok()) {
    for (const absl::string_view part : *parts) notation::DecodeRecord(part).IgnoreError();
  }
}
