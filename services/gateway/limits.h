// The limits of the gateway, with units and reasons. No flag changes them; service.h has the limits
// with flags.
#pragma once

#include <cstddef>

#include "absl/time/time.h"

namespace tarot::gateway_service {

// Maximum size of a request in bytes. A move has some hundred bytes. The largest request of a
// player, a record for AnalyzeDeal, has some kilobytes.
inline constexpr int kRequestBytesMax = 64 << 10;

// Maximum number of players, or of addresses, that one rate limiter remembers. One gateway serves
// fewer of them. A full limiter takes about 20 MB.
inline constexpr std::size_t kCallersMax = 200'000;

// Maximum length of a display name: in characters after its composition, and in bytes before it. A
// character with two marks may have twelve bytes.
inline constexpr int kDisplayNameCharactersMax = 32;
inline constexpr std::size_t kDisplayNameBytesMax = kDisplayNameCharactersMax * 12;
// Maximum number of nonspacing marks on one letter of a decomposed name (UTS 39, section 5.4).
inline constexpr int kMarksPerLetterMax = 4;
// The gateway asks matchmaking for the names of the house's bots. The pause between two calls is
// kBotNamesRetry until the first answer has come, and kBotNamesInterval afterwards. Each call has
// the time limit kBotNamesTimeout.
inline constexpr absl::Duration kBotNamesInterval = absl::Seconds(30);
inline constexpr absl::Duration kBotNamesRetry = absl::Seconds(1);
inline constexpr absl::Duration kBotNamesTimeout = absl::Seconds(5);

// The gateway asks ratings for the names of ranked players: kBotNamesRetry after a failure, and
// kRankedNamesInterval after a whole list, because a list costs about 10 us of CPU per name. The
// gateway reads no further page after kRankedNamesMax names.
inline constexpr absl::Duration kRankedNamesInterval = absl::Minutes(5);
inline constexpr std::size_t kRankedNamesMax = 100'000;

// The gateway asks ratings for new revocations of tokens. The pause between two calls is
// kRevocationsInterval, and kRevocationsRetry after a failure. Each call, also one that stores a
// revocation, has the time limit kRevocationsTimeout. A gateway that starts serves players when it
// knows all revocations, or after kFirstRevocationsWait: matches go on even if ratings is away.
inline constexpr absl::Duration kRevocationsInterval = absl::Seconds(2);
inline constexpr absl::Duration kRevocationsRetry = absl::Seconds(1);
inline constexpr absl::Duration kRevocationsTimeout = absl::Seconds(3);
inline constexpr absl::Duration kFirstRevocationsWait = absl::Seconds(5);
// Interval at which the gateway forgets the revocations of expired tokens.
inline constexpr absl::Duration kRevocationsRemovalInterval = absl::Minutes(10);
// The revocation of all tokens of a player lasts this much longer than a token that is made now.
inline constexpr absl::Duration kRevocationMargin = absl::Minutes(5);
// Limits of the sign-outs from one address: per second in the long run, and at once after a pause.
// The database keeps a row for most sign-outs, so this limit is lower than that of sign-ins.
inline constexpr double kSignOutsPerSecond = 0.2;
inline constexpr double kSignOutBurst = 50;

// A gateway that stops says NOT_SERVING, and serves for this time before it refuses calls. The door
// checks the gateway each second and sends it no calls after the second failure, so this time is
// enough.
inline constexpr absl::Duration kDoorNoticesWithin = absl::Milliseconds(2'500);

// Interval at which the gateway checks the file of the players' keys. If the file has changed, the
// gateway reads it.
inline constexpr absl::Duration kKeyReloadInterval = absl::Seconds(30);

// A call must send its whole request within this time. Otherwise the gateway cancels the call.
inline constexpr absl::Duration kRequestTimeout = absl::Seconds(5);
// Maximum number of one player's calls whose request is not whole. It is more than the number of
// calls and streams that one player may have open with the default options.
inline constexpr int kIncompleteCallsPerPlayerMax = 64;

// Maximum number of calls whose request is not whole, of all players of one address together.
inline constexpr int kIncompleteCallsPerAddressMax = 1'024;

// Maximum number of open analyses: of one player, and of all players of one address together. The
// bot service runs at most 32 analyses at a time, and at most one for each player.
inline constexpr int kAnalysesPerPlayerMax = 2;
inline constexpr int kAnalysesPerAddressMax = 8;

// A call that lists pages counts as this number of calls in the player's rate limit. A page of 100
// rows takes about ten times the work of a move.
inline constexpr int kListCost = 10;
// Maximum number of calls in flight that list pages, of one player, and of all players of one
// address together. A client reads the pages of one list one after another.
inline constexpr int kListsPerPlayerMax = 2;
inline constexpr int kListsPerAddressMax = 16;

// Maximum time of a player's unary call. The gateway uses it if the call has no deadline or a later
// one.
inline constexpr absl::Duration kUnaryTimeoutMax = absl::Seconds(30);
// The inner call (to a service) has a deadline that is this much earlier than the deadline of the
// player's call. So the answer still reaches the player.
inline constexpr absl::Duration kDeadlineMargin = absl::Milliseconds(10);

// Pause before the gateway opens a stream to rules again.
inline constexpr absl::Duration kReopenDelay = absl::Milliseconds(200);
// The length of a tick. At each tick the hub subscribes again to tables that a replica refused, and
// the gateway counts how long each replica is silent. Half a second is precise enough, because the
// limits of silence are some seconds.
inline constexpr absl::Duration kTableTick = absl::Milliseconds(500);
// After this many ticks (three seconds) without a message, a stream to rules counts as lost. A
// replica sends a message each second.
inline constexpr int kSilentTicksMax = 6;
// After this many ticks (two seconds) without a message, calls go to another replica.
inline constexpr int kDoubtfulTicks = 4;
// If a table's host does not show the table for this time, the table's streams end. The other
// replicas notice a dead host within four seconds, and this time starts anew with the next host. So
// a takeover does not end the streams.
inline constexpr absl::Duration kTableAwayMax = absl::Seconds(7);
// A replica that has left the list has this time to answer the calls that it already has.
inline constexpr absl::Duration kLastAnswersTimeout = absl::Seconds(1);

// Maximum number of subscriptions in one WatchTablesRequest. The proto states this limit.
inline constexpr int kAddsPerRequest = 1'024;
// One message to rules has at most kMovesPerMessage moves. If the message has kMoveMessageBytes
// bytes or more, no further move is added.
inline constexpr int kMovesPerMessage = 64;
inline constexpr std::size_t kMoveMessageBytes = 256 << 10;

}  // namespace tarot::gateway_service
