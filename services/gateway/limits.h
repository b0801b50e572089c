// The limits of the gateway, with units and reasons. No flag changes them; service.h has the limits
// with flags.
#pragma once

#include <cstddef>

#include "absl/time/time.h"

namespace tarot::gateway_service {

// Maximum size of a request in bytes. A move has some hundred bytes. The largest request of a
// player, a record for AnalyzeDeal, has some kilobytes.
inline constexpr int kRequestBytesMax = 64 << 10;

// Maximum number of bytes of a method's name in an error. The longest real name has about 60.
inline constexpr std::size_t kMethodBytesMax = 100;

// Maximum number of players, or of addresses, that one rate limiter remembers. One gateway serves
// fewer of them. A full limiter takes about 20 MB.
inline constexpr std::size_t kCallersMax = 200'000;

// All addresses of an IPv6 /48 together may have this many times the limit of one address (a /64).
// One customer of a provider may get a whole /48, but many customers of a mobile network may share
// one.
inline constexpr int kNetworkFactor = 4;

// While the players of one address together exceed --address_calls_per_second, each of them has a
// lower limit: this many calls per second in the long run, and kCrowdedBurst calls at once. A
// person makes at most three calls per second.
inline constexpr double kCrowdedCallsPerSecond = 5;
inline constexpr double kCrowdedBurst = 20;

// Maximum number of characters of a display name in its composed form, and of bytes before it is
// composed. A character with two marks may have twelve bytes.
inline constexpr int kDisplayNameCharactersMax = 32;
inline constexpr std::size_t kDisplayNameBytesMax = kDisplayNameCharactersMax * 12;
// Maximum number of nonspacing marks on one letter of a decomposed name (UTS 39, section 5.4).
inline constexpr int kMarksPerLetterMax = 4;
// The gateway asks the matchmaking service for the names of the house's bots. The pause between two
// calls is kBotNamesRetry until the first answer has come, and kBotNamesInterval afterwards. Each
// call has the time limit kBotNamesTimeout.
inline constexpr absl::Duration kBotNamesInterval = absl::Seconds(30);
inline constexpr absl::Duration kBotNamesRetry = absl::Seconds(1);
inline constexpr absl::Duration kBotNamesTimeout = absl::Seconds(5);

// The gateway asks the ratings service for the names of ranked players: kBotNamesRetry after a
// failure, and kRankedNamesInterval after a complete list, because a list costs about 10 us of CPU
// per name. The gateway reads no further page after kRankedNamesMax names.
inline constexpr absl::Duration kRankedNamesInterval = absl::Minutes(5);
inline constexpr std::size_t kRankedNamesMax = 100'000;

// The gateway asks the ratings service for new revocations of tokens. The pause between two calls
// is kRevocationsInterval, and kRevocationsRetry after a failure. Each call, also one that stores a
// revocation, has the time limit kRevocationsTimeout. At its start, the gateway waits until it
// knows all revocations, but at most kFirstRevocationsWait. Then it serves players in any case,
// because matches must go on even if the ratings service is away.
inline constexpr absl::Duration kRevocationsInterval = absl::Seconds(2);
inline constexpr absl::Duration kRevocationsRetry = absl::Seconds(1);
inline constexpr absl::Duration kRevocationsTimeout = absl::Seconds(3);
inline constexpr absl::Duration kFirstRevocationsWait = absl::Seconds(5);
// Interval at which the gateway forgets the revocations of expired tokens.
inline constexpr absl::Duration kRevocationsRemovalInterval = absl::Minutes(10);
// The revocation of all tokens of a player lasts this much longer than a token that was made at the
// same moment.
inline constexpr absl::Duration kRevocationMargin = absl::Minutes(5);
// Limits of sign-outs, for one address and for one player: the calls per second in the long run,
// and the calls at once after a pause. For most sign-outs, the database keeps a row until the token
// would have expired. It has at most a million such rows. With tokens of seven days, one address
// can fill about 1 % of them through one gateway.
inline constexpr double kSignOutsPerSecond = 1.0 / 60;
inline constexpr double kSignOutBurst = 50;
inline constexpr double kPlayerSignOutsPerSecond = 1.0 / 600;
inline constexpr double kPlayerSignOutBurst = 10;

// A new passphrase has kPassphraseCharactersMin to kPassphraseCharactersMax characters, and at
// least kPassphraseDifferentMin different ones. With the allowed rate of guesses, a thief has no
// chance to find such a passphrase (NIST SP 800-63B asks for at least 8 characters).
// kPassphraseBytesMax is the limit of the text before it is composed.
inline constexpr int kPassphraseCharactersMin = 10;
inline constexpr int kPassphraseCharactersMax = 128;
inline constexpr int kPassphraseDifferentMin = 4;
inline constexpr std::size_t kPassphraseBytesMax = kPassphraseCharactersMax * 4;
// Limits of the calls with a passphrase or a recovery code: of those from one address, and of those
// with one name. Each call costs a hash. For one name, a thief gets about 1,440 guesses a day at
// one gateway. A call with the right passphrase does not count for its name. Calls with a recovery
// code have no limit by name, because a thief cannot guess a code. So a person can still use the
// code while a thief guesses passphrases for the same name.
inline constexpr double kSecretsPerSecond = 1.0 / 3;
inline constexpr double kSecretBurst = 50;
inline constexpr double kNameGuessesPerSecond = 1.0 / 60;
inline constexpr double kNameGuessBurst = 10;
// Time limit of a call of ratings about an account. The call waits at most about a second for a
// thread that computes hashes.
inline constexpr absl::Duration kAccountTimeout = absl::Seconds(5);

// A gateway that stops says NOT_SERVING, and still serves for this time before it refuses calls.
// The door (HAProxy) checks each gateway every second, and sends it no more calls after two failed
// checks. So this time is enough.
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
// bot service runs at most 32 analyses at a time, at most one for each player, and at most four for
// each address.
inline constexpr int kAnalysesPerPlayerMax = 2;
inline constexpr int kAnalysesPerAddressMax = 4;

// An expensive call counts as this number of calls in the player's rate limit. Expensive calls list
// pages, or get a score sheet, a record or the statistics of a player (Route::list). A page of 100
// rows takes about ten times the work of a move.
inline constexpr int kListCost = 10;
// Maximum number of expensive calls in flight, of one player, and of all players of one address
// together. A client reads the pages of one list one after another.
inline constexpr int kListsPerPlayerMax = 2;
inline constexpr int kListsPerAddressMax = 16;

// Maximum time of a player's unary call. The gateway uses it if the call has no deadline or a later
// one.
inline constexpr absl::Duration kUnaryTimeoutMax = absl::Seconds(30);
// The inner call (to a service) has a deadline that is this much earlier than the deadline of the
// player's call. So the answer still reaches the player.
inline constexpr absl::Duration kDeadlineMargin = absl::Milliseconds(10);

// Pause before the gateway opens a stream to the rules service again.
inline constexpr absl::Duration kReopenDelay = absl::Milliseconds(200);
// The length of a tick. At each tick the hub subscribes again to tables that a replica refused, and
// the gateway counts how long each replica is silent. Half a second is precise enough, because the
// limits of silence are some seconds.
inline constexpr absl::Duration kTableTick = absl::Milliseconds(500);
// After this many ticks (three seconds) without a message, a stream to the rules service counts as
// lost. A replica sends a message each second.
inline constexpr int kSilentTicksMax = 6;
// After this many ticks (two seconds) without a message from a replica, calls go to another
// replica.
inline constexpr int kDoubtfulTicks = 4;
// If a table's host does not show the table for this time, the table's streams end. The other
// replicas notice a dead host within four seconds. Then the table gets another host, and the
// gateway measures this time from zero again. So a takeover does not end the streams.
inline constexpr absl::Duration kTableAwayMax = absl::Seconds(7);
// A replica of rules that has left the list of replicas has this time to answer the calls that it
// already has.
inline constexpr absl::Duration kLastAnswersTimeout = absl::Seconds(1);

// Maximum number of subscriptions in one WatchTablesRequest. The proto states this limit.
inline constexpr int kAddsPerRequest = 1'024;
// One message to the rules service has at most kMovesPerMessage moves. If the message has
// kMoveMessageBytes bytes or more, no further move is added.
inline constexpr int kMovesPerMessage = 64;
inline constexpr std::size_t kMoveMessageBytes = 256 << 10;

// Limits of the HTTP door. The head of a request, with all its headers, has at most
// kHttpHeadBytesMax bytes; the body of a call has at most kRequestBytesMax. Each must come whole
// within kRequestTimeout. HAProxy has lower limits for both.
inline constexpr std::size_t kHttpHeadBytesMax = 8 << 10;
// Maximum number of open connections. Each stream and each waiting call has its own.
inline constexpr std::size_t kHttpConnectionsMax = 50'000;
// Maximum number of connections that the kernel holds until the door accepts them.
inline constexpr int kHttpBacklog = 1'024;
// A connection without a request is closed after this time. HAProxy closes it earlier, so that it
// sends no request to a connection that is being closed.
inline constexpr absl::Duration kHttpIdleTimeout = absl::Seconds(75);
// A client must read a part of n bytes of an answer within this time in seconds:
// kHttpWriteTimeout + n / kHttpSlowestBytes.
inline constexpr absl::Duration kHttpWriteTimeout = absl::Seconds(10);
inline constexpr std::size_t kHttpSlowestBytes = 8 << 10;
// After the last answer of a connection, the client has this time to close it.
inline constexpr absl::Duration kHttpLinger = absl::Seconds(2);
// When a gateway stops, the open requests have this time to end.
inline constexpr absl::Duration kHttpDrainTimeout = absl::Seconds(5);
// Interval at which the door looks for connections whose time is over.
inline constexpr absl::Duration kHttpSweepInterval = absl::Seconds(1);
// Interval at which the gateway checks the files of the page, and the maximum size of all files
// together. The page has about a megabyte.
inline constexpr absl::Duration kPageCheckInterval = absl::Seconds(2);
inline constexpr std::size_t kPageBytesMax = 64 << 20;

}  // namespace tarot::gateway_service
