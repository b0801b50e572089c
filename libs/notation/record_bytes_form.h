// The layout of a record's bytes, for their writer and their reader (docs/notation.md).
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "libs/notation/record.h"

namespace tarot::notation {

inline constexpr absl::string_view kMagic = "TR\x01";  // The last byte is the version.
inline constexpr std::size_t kChecksumBytes = 4;
inline constexpr int kPackBytes = 26;  // Three cards a byte, each 0..5: whose it is.

// The places in this list are stored: they never change, and new rule sets are added at the end.
// When the values of a named rule set change, its place gets the old values, spelled out as
// rules::RuleSetText() does. Place 0 stands for a text that follows.
inline constexpr absl::string_view kRuleSets[] = {"",
                                                  "fft",
                                                  "club",
                                                  "webguide",
                                                  "booklet",
                                                  "booklet_customs",
                                                  "booklet_practice1",
                                                  "booklet_practice2",
                                                  "booklet_practice3",
                                                  "preneur",
                                                  "shogix",
                                                  "shogix_free5",
                                                  "pagat",
                                                  "fft_duplicate",
                                                  "fft_teams",
                                                  "fft_dead5"};

// What a record may leave out.
enum Flag : unsigned {
  kTexts = 1u << 0,  // Event, site, date, round: one of them is not "?".
  kNames = 1u << 1,
  kTags = 1u << 2,
  kBoardTaker = 1u << 3,
  kSeed = 1u << 4,
  kCommitment = 1u << 5,
  kProvenance = 1u << 6,  // Procedure 2: first chair, first deal, nonces.
  kGathered = 1u << 7,
  kAbandonedBy = 1u << 8,
  kCardPoints = 1u << 9,
  kScores = 1u << 10,
  kAllFlags = (1u << 11) - 1,
};

// The parts that `document` has.
unsigned FlagsOf(const Document& document);

// FNV-1a: every damage to one byte shows, others all but one in four billion.
std::uint32_t Checksum(absl::string_view bytes);

// Seven bits a byte, the low ones first; the top bit says that more follow.
void PutNumber(std::string& out, std::uint32_t value);

// Its length, then the bytes.
void PutText(std::string& out, absl::string_view text);

}  // namespace tarot::notation
