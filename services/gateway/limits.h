// The limits of the gateway, with units and reasons. service.h has the limits that flags change.
#pragma once

#include <cstddef>

#include "absl/time/time.h"

namespace tarot::gateway_service {

// Maximum size of a request in bytes. A move has some hundred bytes. The largest request of a
// player has some kilobytes: a record for AnalyzeDeal.
inline constexpr int kRequestBytesMax = 64 << 10;

// Maximum number of bytes of a method's name in an error. The longest real name has about 60.
inline constexpr std::size_t kMethodBytesMax = 100;

// Maximum number of players, or of addresses, that one rate limiter remembers. One gateway serves
// fewer. A full limiter takes about 20 MB.
inline constexpr std::size_t kCallersMax = 200'000;

// All addresses of an IPv6 /48 together may have this many times the limit of one address (a /64).
// The factor is small, because one customer may have a whole /48. It is above 1, because many
// customers of a mobile network may share a /48.
inline constexpr int kNetworkFactor = 4;

// If the players of one address together exceed --address_calls_per_second, each of these players
// has this lower limit. kCrowdedCallsPerSecond is the rate in the long run, and kCrowdedBurst is
// the number of calls at once after a pause. A person makes at most three calls per second.
inline constexpr double kCrowdedCallsPerSecond = 5;
inline constexpr double kCrowdedBurst = 20;

// Maximum number of characters of a display name in its composed form, and maximum number of bytes
// before it is composed. A character with two marks may have twelve bytes.
inline constexpr int kDisplayNameCharactersMax = 32;
inline constexpr std::size_t kDisplayNameBytesMax = kDisplayNameCharactersMax * 12;
// Maximum number of nonspacing marks on one letter of a decomposed name (UTS 39, section 5.4).
inline constexpr int kMarksPerLetterMax = 4;
// Every kPresenceInterval, the gateway tells the matchmaking service which players have an open
// stream, or have made a call since the previous report. Matchmaking shows a player as online for
// 90 s (kOnlineFor), so two reports may be lost. One call reports at most kPresenceBatch players,
// the limit of MarkOnline.
inline constexpr absl::Duration kPresenceInterval = absl::Seconds(30);
inline constexpr absl::Duration kPresenceTimeout = absl::Seconds(5);
inline constexpr std::size_t kPresenceBatch = 1'000;

// The gateway asks the matchmaking service for the names of the house's bots: every kBotNamesRetry
// until the first answer, and then every kBotNamesInterval. Each call has the time limit
// kBotNamesTimeout.
inline constexpr absl::Duration kBotNamesInterval = absl::Seconds(30);
inline constexpr absl::Duration kBotNamesRetry = absl::Seconds(1);
inline constexpr absl::Duration kBotNamesTimeout = absl::Seconds(5);

// The gateway asks the ratings service for the names of ranked players and of accounts:
// kBotNamesRetry after a failure, and kRankedNamesInterval after a complete list. The interval is
// long, because a list costs about 10 us of CPU per name. After kRankedNamesMax names, the gateway
// reads no further page.
inline constexpr absl::Duration kRankedNamesInterval = absl::Minutes(5);
inline constexpr std::size_t kRankedNamesMax = 100'000;

// The gateway asks the ratings service for new revocations every kRevocationsInterval, and
// kRevocationsRetry after a failure. Each call has the time limit kRevocationsTimeout, also a call
// that stores a revocation. At its start, the gateway waits at most kFirstRevocationsWait until it
// knows all revocations. Then it serves players in any case, because matches must go on even if the
// ratings service does not answer.
inline constexpr absl::Duration kRevocationsInterval = absl::Seconds(2);
inline constexpr absl::Duration kRevocationsRetry = absl::Seconds(1);
inline constexpr absl::Duration kRevocationsTimeout = absl::Seconds(3);
inline constexpr absl::Duration kFirstRevocationsWait = absl::Seconds(5);
// Interval at which the gateway forgets the revocations of expired tokens, and the bans that have
// ended.
inline constexpr absl::Duration kRevocationsRemovalInterval = absl::Minutes(10);
// The revocation of all tokens of a player lasts this much longer than a token that is made at the
// same moment.
inline constexpr absl::Duration kRevocationMargin = absl::Minutes(5);
// The limits of sign-outs, for each address and for each player. ...PerSecond is the rate in the
// long run, and ...Burst is the number at once after a pause. Most sign-outs store a row in the
// database until the token expires. The database takes at most a million of these rows. If tokens
// live seven days, the sign-outs of one address at one gateway fill about 1 % of these rows.
inline constexpr double kSignOutsPerSecond = 1.0 / 60;
inline constexpr double kSignOutBurst = 50;
inline constexpr double kPlayerSignOutsPerSecond = 1.0 / 600;
inline constexpr double kPlayerSignOutBurst = 10;

// A new passphrase has kPassphraseCharactersMin to kPassphraseCharactersMax characters, and at
// least kPassphraseDifferentMin different ones. A thief cannot find such a passphrase with the
// guesses that the limits allow (NIST SP 800-63B asks for at least 8 characters).
//
// The code first refuses a passphrase with more than kPassphraseBytesMax bytes. Then it normalizes
// the text (Unicode NFC) and counts the characters.
inline constexpr int kPassphraseCharactersMin = 10;
inline constexpr int kPassphraseCharactersMax = 128;
inline constexpr int kPassphraseDifferentMin = 4;
inline constexpr std::size_t kPassphraseBytesMax = kPassphraseCharactersMax * 4;
// Limits of the wrong passphrases for one name: about 1,440 a day at one gateway. The limits of one
// address are options (secrets_per_second, secret_burst). Calls with a recovery code have no limit
// by name, because a thief cannot guess a code. So a person can still use the code while a thief
// guesses passphrases for the same name.
inline constexpr double kNameGuessesPerSecond = 1.0 / 60;
inline constexpr double kNameGuessBurst = 10;
// Time limit of a call to ratings about an account. Such a call waits at most about a second for a
// thread that computes hashes.
inline constexpr absl::Duration kAccountTimeout = absl::Seconds(5);

// A gateway that stops does not end all its streams at once, so that the clients do not all open
// their streams again at the same moment. The gateway ends the streams over a time of
// kStreamsEndFactor times --lame_duck, which is 10 s by default. In each kStreamsEndInterval it
// ends at least kStreamsEndLeast streams.
inline constexpr int kStreamsEndFactor = 2;
inline constexpr absl::Duration kStreamsEndInterval = absl::Milliseconds(100);
inline constexpr std::size_t kStreamsEndLeast = 5;

// Interval at which the gateway checks whether the file of the players' keys has changed.
inline constexpr absl::Duration kKeyReloadInterval = absl::Seconds(30);

// A call must send its complete request within this time. If not, the gateway cancels the call.
inline constexpr absl::Duration kRequestTimeout = absl::Seconds(5);
// Maximum number of one player's calls whose request is not complete yet. This limit is higher than
// the number of calls and streams that a player may have open with the default options.
inline constexpr int kIncompleteCallsPerPlayerMax = 64;

// Maximum number of calls whose request is not complete yet, of all players of one address
// together.
inline constexpr int kIncompleteCallsPerAddressMax = 1'024;

// Maximum number of open analyses of one player, and of all players of one address together. The
// bot service runs at most 32 analyses at a time: at most one for each player, and at most four for
// each address.
inline constexpr int kAnalysesPerPlayerMax = 2;
inline constexpr int kAnalysesPerAddressMax = 4;

// An expensive call counts as this number of calls in the player's rate limit. Expensive calls list
// pages, or get a score sheet, a record or the statistics of a player (Route::list). A page of 100
// rows takes about ten times as much work as a move.
inline constexpr int kListCost = 10;
// Maximum number of expensive calls in flight of one player, and of all players of one address
// together. A client reads the pages of a list one after another.
inline constexpr int kListsPerPlayerMax = 2;
inline constexpr int kListsPerAddressMax = 16;

// Maximum time of a player's unary call. The gateway uses it if the call has a later deadline or
// none.
inline constexpr absl::Duration kUnaryTimeoutMax = absl::Seconds(30);
// The call to the service has a deadline that is this much earlier than the deadline of the
// player's call. So the answer still reaches the player.
inline constexpr absl::Duration kDeadlineMargin = absl::Milliseconds(10);

// Pause before the gateway opens a stream to the rules service again.
inline constexpr absl::Duration kReopenDelay = absl::Milliseconds(200);
// The length of a tick. At each tick the hub subscribes again to tables that a replica refused, and
// the gateway counts how long each replica is silent. The limits of this silence are some seconds,
// so half a second is precise enough.
inline constexpr absl::Duration kTableTick = absl::Milliseconds(500);
// After this many ticks (three seconds) without a message, a stream to the rules service counts as
// lost. A replica sends a message each second.
inline constexpr int kSilentTicksMax = 6;
// After this many ticks (two seconds) without a message from a replica, calls go to another
// replica.
inline constexpr int kDoubtfulTicks = 4;
// A person who has not watched the table for this number of ticks (five seconds) is shown as
// disconnected. A client opens a lost stream again sooner, so a short loss is not shown.
inline constexpr int kDisconnectedTicks = 10;
// If a table's host does not show the table for this time, the table's streams end. If the host is
// dead, the other replicas notice it within four seconds. Then the table gets another host, and the
// gateway measures this time from zero again. So a takeover does not end the streams.
inline constexpr absl::Duration kTableAwayMax = absl::Seconds(7);
// A player who watches a table without a seat is a spectator. While a table has more than
// kCrowdMin watchers at this gateway, each spectator gets at most one view in kSpectatorTicks ticks
// (one second). So thousands of spectators cost little, and the seats get their views first.
inline constexpr std::size_t kCrowdMin = 20;
inline constexpr int kSpectatorTicks = 2;
// Maximum number of one table's spectators from one address. A class may watch a match together.
inline constexpr int kSpectatorsPerAddressMax = 50;
// A replica of rules that has left the list has this time to answer the calls that it already has.
inline constexpr absl::Duration kLastAnswersTimeout = absl::Seconds(1);

// Maximum number of seats of a table.
inline constexpr std::size_t kSeatsMax = 5;

// Maximum number of subscriptions, and of reports of present persons, in one WatchTablesRequest.
// The proto states this limit.
inline constexpr int kAddsPerRequest = 1'024;
// A message with moves to the rules service has at most kMovesPerMessage moves. If it has
// kMoveMessageBytes bytes or more, no further move is added.
inline constexpr int kMovesPerMessage = 64;
inline constexpr std::size_t kMoveMessageBytes = 256 << 10;

// Limits of the HTTP door. The head of a request, with all its headers, has at most
// kHttpHeadBytesMax bytes, and the message of a call at most kRequestBytesMax. The head must arrive
// completely within kRequestTimeout, and so must the body. HAProxy has lower limits for both.
inline constexpr std::size_t kHttpHeadBytesMax = 8 << 10;
// Maximum number of open connections. Each stream and each waiting call has its own connection.
inline constexpr std::size_t kHttpConnectionsMax = 50'000;
// Maximum number of connections that the kernel holds until the door accepts them.
inline constexpr int kHttpBacklog = 1'024;
// A connection without a request is closed after this time. HAProxy closes such a connection
// earlier. So HAProxy never sends a request to a connection that the gateway is closing.
inline constexpr absl::Duration kHttpIdleTimeout = absl::Seconds(75);
// A client must read a part of an answer within kHttpWriteTimeout + n / kHttpSlowestBytes seconds,
// where n is the number of bytes of this part.
inline constexpr absl::Duration kHttpWriteTimeout = absl::Seconds(10);
inline constexpr std::size_t kHttpSlowestBytes = 8 << 10;
// After the last answer of a connection, the client has this time to close its side.
inline constexpr absl::Duration kHttpLinger = absl::Seconds(2);
// When a gateway stops, the open requests have this time to end.
inline constexpr absl::Duration kHttpDrainTimeout = absl::Seconds(5);
// Interval at which the door checks the time limits of its connections.
inline constexpr absl::Duration kHttpSweepInterval = absl::Seconds(1);
// Interval at which the gateway checks the files of the page, and the maximum size of all files
// together. The page has about a megabyte.
inline constexpr absl::Duration kPageCheckInterval = absl::Seconds(2);
inline constexpr std::size_t kPageBytesMax = 64 << 20;

}  // namespace tarot::gateway_service
