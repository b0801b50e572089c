// Every limit of the ratings service.
#pragma once

#include <cstddef>

#include "absl/time/time.h"

namespace tarot::ratings_service {

// Players of one GetRatings call.
inline constexpr std::size_t kBatchSizeMax = 200;

// Rows of one page.
inline constexpr int kPageSizeDefault = 20;
inline constexpr int kPageSizeMax = 100;

// A request that does not name a ladder reads the one for tables of four.
inline constexpr int kPlayerCountDefault = 4;

// A result that another service sends.
inline constexpr int kDealCountMax = 1000;
inline constexpr std::size_t kDisplayNameBytesMax = 256;
inline constexpr absl::Duration kClockSkewMax = absl::Minutes(5);

// How often a match is read, rated and stored again when another match of the same players commits
// first.
inline constexpr int kRecordAttemptsMax = 10;

// Matches that Recompute reads by one statement.
inline constexpr int kMatchesPerRead = 1000;

}  // namespace tarot::ratings_service
