// The tags of TDN that mean something here; all others are kept as they stand.
#pragma once

#include <algorithm>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"

namespace tarot::notation {

inline constexpr absl::string_view kKnownTags[] = {
    "Event",    "Site",   "Date",        "Round",   "Players", "Rules",   "Dealer",  "SeatA",
    "SeatB",    "SeatC",  "SeatD",       "SeatE",   "Deal",    "Dog",     "Auction", "Taker",
    "Contract", "Call",   "Ecart",       "Poignee", "Chelem",  "Play",    "Result",  "Score",
    "Seed",     "Commit", "Termination", "Dealing", "Nonce",   "Gathered"};

inline bool IsKnownTag(absl::string_view name) {
  return std::find(std::begin(kKnownTags), std::end(kKnownTags), name) != std::end(kKnownTags);
}

inline bool IsTagName(absl::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
  });
}

}  // namespace tarot::notation
