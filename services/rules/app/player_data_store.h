// Declares the interface to the rows of the schema rules about one player. Operators use it to
// export or delete a player.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "libs/base/ids.h"

namespace tarot::rules_service {

// The name that replaces the name of each player whom an operator has deleted.
inline constexpr char kDeletedName[] = "Deleted player";

struct DeletedSeats {
  // Set if the player still plays at this table. In this case Delete has changed nothing.
  TableId busy;
  int seats = 0;  // The number of seats whose name has been replaced.
};

// Thread-safe. Every method waits for the store and may return UNAVAILABLE STORAGE_AWAY.
class PlayerDataStore {
 public:
  virtual ~PlayerDataStore() = default;

  // Returns the player's seats and the keys of the player's finished deals, as a JSON object. It
  // contains no card; RecordService returns the cards.
  virtual absl::StatusOr<std::string> Export(PlayerId player) = 0;

  // Replaces the player's name at all tables by kDeletedName.
  virtual absl::StatusOr<DeletedSeats> Delete(PlayerId player) = 0;
};

}  // namespace tarot::rules_service
