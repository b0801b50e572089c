// Every limit of the ratings service.
#pragma once

#include <cstddef>

#include "absl/time/time.h"

namespace tarot::ratings_service {

// Number of players in one BatchGetRatings call.
inline constexpr std::size_t kBatchSizeMax = 200;

// Number of rows of one page.
inline constexpr int kPageSizeDefault = 20;
inline constexpr int kPageSizeMax = 100;

// The ladder for requests that do not name one: tables of four.
inline constexpr int kPlayerCountDefault = 4;

// These limits are for results that another service sends.
inline constexpr int kDealCountMax = 1000;
inline constexpr std::size_t kDisplayNameBytesMax = 256;
inline constexpr absl::Duration kClockSkewMax = absl::Minutes(5);

// If another match of the same players commits first, the match is read, rated and stored again, at
// most this often.
inline constexpr int kRecordAttemptsMax = 10;

// Number of matches that Recompute reads by one statement.
inline constexpr int kMatchesPerRead = 1000;

}  // namespace tarot::ratings_service
