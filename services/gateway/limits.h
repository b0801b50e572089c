// The limits of the gateway, with units and reasons. Operators set none of them: what an operator
// may set is in options.h.
#pragma once

#include <cstddef>

#include "absl/time/time.h"

namespace tarot::gateway_service {

// Bytes of a request. A move has some hundred bytes, and no other request of a player is much
// larger.
inline constexpr int kRequestBytesMax = 64 << 10;

// Callers that each rate limiter remembers: about 20 MB, more callers than one gateway serves.
inline constexpr std::size_t kCallersMax = 200'000;

// Characters of a display name.
inline constexpr int kDisplayNameCharactersMax = 32;

// Interval at which the file of the players' keys is read again if it has changed.
inline constexpr absl::Duration kKeyReloadInterval = absl::Seconds(30);

// A unary call of a player without a deadline, or with a later one, ends after this time.
inline constexpr absl::Duration kUnaryTimeoutMax = absl::Seconds(30);
// The inner call ends before the player's call by this margin, so that its answer can travel.
inline constexpr absl::Duration kDeadlineMargin = absl::Milliseconds(10);

// Pause before a stream to rules is opened again.
inline constexpr absl::Duration kReopenDelay = absl::Milliseconds(200);
// Ticks (TableHub::kTick) without a message after which a stream to rules counts as lost: three
// seconds. A replica sends a message each second.
inline constexpr int kSilentTicksMax = 6;
// Ticks without a message after which calls go to another replica: two seconds.
inline constexpr int kDoubtfulTicks = 4;
// Time that a replica which has left the list gets to answer the calls that it has.
inline constexpr absl::Duration kLastAnswersTimeout = absl::Seconds(1);

// Tables that one WatchTablesRequest adds; the proto's limit.
inline constexpr int kAddsPerRequest = 1'024;
// Moves in one message to rules, and their bytes before the last move.
inline constexpr int kMovesPerMessage = 64;
inline constexpr std::size_t kMoveMessageBytes = 256 << 10;

}  // namespace tarot::gateway_service
