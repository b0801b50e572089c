// The limits of the gateway, with units and reasons. Operators set none of them: what an operator
// may set is in service.h.
#pragma once

#include <cstddef>

#include "absl/time/time.h"

namespace tarot::gateway_service {

// Maximum size of a request in bytes. A move has some hundred bytes, and no other request of a
// player is much larger.
inline constexpr int kRequestBytesMax = 64 << 10;

// Number of callers that each rate limiter remembers. They take about 20 MB. One gateway serves
// fewer callers.
inline constexpr std::size_t kCallersMax = 200'000;

// Maximum number of characters of a display name in its composed form, and of bytes before it is
// composed: a character with two marks may have twelve bytes.
inline constexpr int kDisplayNameCharactersMax = 32;
inline constexpr std::size_t kDisplayNameBytesMax = kDisplayNameCharactersMax * 12;
// Maximum number of combining marks on one letter, decomposed. Vietnamese needs two.
inline constexpr int kMarksPerLetterMax = 2;
// The gateway asks matchmaking for the names of the house's bots. These are the interval after an
// answer, the interval before the first answer, and the time limit of one question.
inline constexpr absl::Duration kBotNamesInterval = absl::Seconds(30);
inline constexpr absl::Duration kBotNamesRetry = absl::Seconds(1);
inline constexpr absl::Duration kBotNamesTimeout = absl::Seconds(5);

// A gateway that stops says NOT_SERVING, and serves for this time before it refuses calls. The door
// notices within this time: it checks the gateway each second and believes the second failure.
inline constexpr absl::Duration kDoorNoticesWithin = absl::Milliseconds(2'500);

// Interval at which the file of the players' keys is read again if it has changed.
inline constexpr absl::Duration kKeyReloadInterval = absl::Seconds(30);

// Time in which a call must send its whole request, before the gateway cancels it.
inline constexpr absl::Duration kRequestTimeout = absl::Seconds(5);
// Maximum number of one player's calls whose request is not whole. It is larger than the number of
// calls and streams that a player may have open.
inline constexpr int kIncompleteCallsPerPlayerMax = 64;

// A call that lists pages counts as this number of calls in the player's rate limit. A page of 100
// rows takes about ten times the work of a move.
inline constexpr int kListCost = 10;
// Number of such calls that one player may have open. The pages of one list come one after another.
inline constexpr int kListsPerPlayerMax = 2;

// A player's unary call without a deadline, or with a later one, ends after this time.
inline constexpr absl::Duration kUnaryTimeoutMax = absl::Seconds(30);
// The inner call ends before the player's call by this margin. The answer needs this time for the
// way back.
inline constexpr absl::Duration kDeadlineMargin = absl::Milliseconds(10);

// Pause before the gateway opens a stream to rules again.
inline constexpr absl::Duration kReopenDelay = absl::Milliseconds(200);
// Interval at which the hub subscribes to refused tables again, and counts how long replicas are
// silent. The limits for silence are some seconds, so half a second is precise enough.
inline constexpr absl::Duration kTableTick = absl::Milliseconds(500);
// After this many ticks (three seconds) without a message, a stream to rules counts as lost. A
// replica sends a message each second.
inline constexpr int kSilentTicksMax = 6;
// After this many ticks (two seconds) without a message, calls go to another replica.
inline constexpr int kDoubtfulTicks = 4;
// If no replica shows a table for this time, the table's streams end. The other replicas notice a
// dead host within four seconds, so a takeover does not end the streams.
inline constexpr absl::Duration kTableAwayMax = absl::Seconds(7);
// A replica that has left the list has this time to answer the calls that it already has.
inline constexpr absl::Duration kLastAnswersTimeout = absl::Seconds(1);

// Number of tables that one WatchTablesRequest adds; the proto has this limit.
inline constexpr int kAddsPerRequest = 1'024;
// A message to rules has at most kMovesPerMessage moves. It gets no further move once it has
// kMoveMessageBytes bytes.
inline constexpr int kMovesPerMessage = 64;
inline constexpr std::size_t kMoveMessageBytes = 256 << 10;

}  // namespace tarot::gateway_service
