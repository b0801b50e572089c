// Declares PlayerAdmin, which does the work of PlayerAdminService. It stores the revocations of
// players' tokens, the bans of players and the limits of gateways. It lists the names of ranked
// players, and exports and deletes players.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/base/clock.h"
#include "services/ratings/app/rating_service.h"

namespace tarot::ratings_service {

struct NamePage {
  std::vector<std::string> names;
  std::string next_page_token;  // Empty on the last page.
};

struct BanPage {
  std::vector<Ban> bans;
  std::string next_page_token;  // Empty on the last page.
};

// Thread-safe. Every method may return UNAVAILABLE STORAGE_AWAY or STORAGE_SLOW.
class PlayerAdmin {
 public:
  PlayerAdmin(RatingStore& store, Clock& clock) : store_(store), clock_(clock) {}

  // Stores a revocation and ignores its `sequence`. If the tokens of the revocation have expired,
  // does nothing. If they expire more than kRevocationLifeMax from now, returns INVALID_ARGUMENT
  // BAD_REQUEST. If the new sequence number would be above the lowest stored number by
  // kRevocationsMax or more, returns UNAVAILABLE OVERLOADED.
  absl::Status Revoke(const Revocation& revocation);

  // Returns the revocations and bans with a sequence number above `after`. A `page_size` of 0 means
  // the maximum. For a negative argument, returns INVALID_ARGUMENT BAD_REQUEST.
  absl::StatusOr<RevocationPage> ListRevocations(std::int64_t after, int page_size);

  // Lists the names of the people whose last ranked match ended at most kRankedNameLife ago. A
  // `page_size` of 0 means the maximum. For a bad argument, returns INVALID_ARGUMENT BAD_REQUEST.
  absl::StatusOr<NamePage> ListRankedNames(int page_size, const std::string& page_token);

  // Bans the player from now until `ban.end_time`. If this time is in the past, ends the player's
  // ban. Returns INVALID_ARGUMENT BAD_REQUEST if the ban is longer than kBanLifeMax, and also if
  // the message is too long or has control characters.
  absl::Status SetBan(Ban ban);

  // Lists the bans that have not ended. A `page_size` of 0 means the maximum. For a bad argument,
  // returns INVALID_ARGUMENT BAD_REQUEST.
  absl::StatusOr<BanPage> ListBans(int page_size, const std::string& page_token);

  // Returns the limits of gateways that operators have set.
  absl::StatusOr<LimitValues> GatewayLimits() { return store_.GatewayLimits(); }

  // Sets the limits `set`, and takes the limits of the names `reset` back. Returns INVALID_ARGUMENT
  // BAD_REQUEST and changes nothing if there is no limit of a name, if a limit does not accept its
  // value, or if a name appears twice.
  absl::Status SetGatewayLimits(const std::vector<std::pair<std::string, double>>& set,
                                const std::vector<std::string>& reset);

  // Returns all data that ratings stores about the player, as a JSON object.
  absl::StatusOr<std::string> Export(PlayerId player) { return store_.ExportPlayer(player); }

  // Revokes all tokens of the player, replaces the player's name by kDeletedName, and removes the
  // player's country and account. If the store of revocations is full, returns UNAVAILABLE
  // OVERLOADED and changes nothing.
  absl::Status Delete(PlayerId player);

  // Removes the revocations whose tokens have all expired.
  absl::Status RemoveExpired();

 private:
  RatingStore& store_;
  Clock& clock_;
};

}  // namespace tarot::ratings_service
