// Declares the options of the gateway and the function that starts it. The gateway is the only
// service that players reach. Each row of TAROT_GATEWAY_OPTIONS becomes a field of Options and a
// flag of tarot-gateway.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "libs/rpc/cells.h"
#include "libs/rpc/options.h"
#include "libs/rpc/process.h"
#include "services/gateway/app/limiters.h"

#define TAROT_GATEWAY_OPTIONS(OPTION)                                                            \
  OPTION(std::string, listen_address, "127.0.0.1:7100", Address(),                               \
         "Address of the gRPC server: unix:PATH for the door, in a folder that is closed to "    \
         "other users.")                                                                         \
  OPTION(bool, loopback_players, false, Switch(),                                                \
         "Allows a listen_address on loopback, where players connect without the door. For "     \
         "development and tests only: nothing limits the number of connections.")                \
  OPTION(std::string, http_address, "", AddressOrEmpty(),                                        \
         "Address of the HTTP door, where browsers get the page and call in gRPC-Web. The same " \
         "rules hold as for listen_address. Empty: there is no such door.")                      \
  OPTION(std::string, page_dir, "", Path(),                                                      \
         "Folder with the built files of the page. Empty: the HTTP door serves calls only.")     \
  OPTION(                                                                                        \
      std::string, region, "", NameOrEmpty(),                                                    \
      "Region of this gateway. Matchmaking keeps the players of distant regions apart for some " \
      "time. Empty: the region is unknown.")                                                     \
  OPTION(std::string, metrics_address, "127.0.0.1:8100", Address(), "Address of /metrics.")      \
  OPTION(absl::Duration, lame_duck, absl::Seconds(5),                                            \
         Range(absl::ZeroDuration(), absl::Minutes(10)),                                         \
         "After SIGTERM, time for which everything is still accepted while readiness fails.")    \
  OPTION(std::string, rules_address, "127.0.0.1:7101", CellAddresses(),                          \
         "Replicas of the rules service. Each of them names the other replicas.")                \
  OPTION(std::string, matchmaking_address, "127.0.0.1:7102", Addresses(),                        \
         "Replicas of the matchmaking service.")                                                 \
  OPTION(std::string, ratings_address, "127.0.0.1:7104", Addresses(),                            \
         "Replicas of the ratings service.")                                                     \
  OPTION(std::string, bot_address, "127.0.0.1:7103", Addresses(),                                \
         "Replicas of the bot service, which analyzes deals.")                                   \
  OPTION(std::string, gateway_key_file, "", Path(),                                              \
         "Key ring of the players' tokens, in the same form as internal_key_file. The gateway "  \
         "reads it again when it changes.")                                                      \
  TAROT_IDENTITY_OPTIONS(OPTION)                                                                 \
  OPTION(absl::Duration, token_life, absl::Hours(7 * 24),                                        \
         Range(absl::Minutes(1), absl::Hours(366 * 24)),                                         \
         "Time for which a player's token is valid.")                                            \
  OPTION(double, calls_per_second, 100, Range(0.001, 1e9, "calls per second"),                   \
         "Calls that one player may make per second in the long run.")                           \
  OPTION(double, call_burst, 200, Range(1.0, 1e9, "calls"),                                      \
         "Calls that one player may make at once after a pause.")                                \
  OPTION(double, address_calls_per_second, 1000, Range(1.0, 1e9, "calls per second"),            \
         "Calls that all players of one address (IPv6: one /64) may make per second before "     \
         "each of them is limited to the calls of one busy person.")                             \
  OPTION(double, sign_ins_per_second, 5, Range(0.001, 1e9, "sign-ins per second"),               \
         "Sign-ins that one address (IPv6: one /64) may make per second in the long run.")       \
  OPTION(double, sign_in_burst, 100, Range(1.0, 1e9, "sign-ins"),                                \
         "Sign-ins that one address may make at once after a pause.")                            \
  OPTION(double, secrets_per_second, 0.33, Range(0.001, 1e9, "calls per second"),                \
         "Calls with a passphrase or a recovery code that one address (IPv6: one /64) may make " \
         "per second in the long run. Each of them costs a slow hash.")                          \
  OPTION(double, secret_burst, 50, Range(1.0, 1e9, "calls"),                                     \
         "Calls with a passphrase or a recovery code that one address may make at once after a " \
         "pause.")                                                                               \
  OPTION(int, streams_per_player_max, 16, Range(1, 10'000, "streams"),                           \
         "Streams that one player may hold open.")                                               \
  OPTION(int, streams_per_address_max, 2'000, Range(1, 10'000'000, "streams"),                   \
         "Streams that all players of one address (IPv6: of one /64) may hold open.")            \
  OPTION(int, streams_max, 50'000, Range(1, 10'000'000, "streams"),                              \
         "Streams that all players together may hold open.")                                     \
  OPTION(int, trace_one_in, 1'000, Range(1, 1'000'000'000, "calls"),                             \
         "One of this number of calls writes a line in every process that works for it.")

namespace tarot::gateway_service {

struct Options {
  TAROT_GATEWAY_OPTIONS(TAROT_OPTION_FIELD)

  // Maximum number of unary calls in flight. It has no flag; only tests change it.
  SlotLimit calls = {.per_player = 32, .per_address = 2'000, .all = 10'000};
};

// Starts the gateway. The other services may start later.
absl::StatusOr<std::unique_ptr<rpc::Service>> StartService(const Options& options,
                                                           const rpc::Environment& environment);

}  // namespace tarot::gateway_service
