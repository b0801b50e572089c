// The players' tokens that the gateway refuses, although they are signed and have not expired.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <shared_mutex>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "libs/base/ids.h"

namespace tarot::gateway_service {

// The data by which a token can be revoked.
struct TokenInfo {
  Uuid id;  // Random, and of this token only. Empty in tokens of older releases.
  // The time when the player signed in. A new token for the same player keeps this time, so that a
  // thief cannot keep a stolen account by new tokens. UnixEpoch in tokens of older releases.
  absl::Time sign_in_time = absl::UnixEpoch();
  absl::Time expire_time;
};

struct Revocation {
  // The id of one token; or the id of a player if `latest_sign_in_time` is set.
  Uuid subject;
  // All tokens of the player who signed in at this time or before are revoked.
  std::optional<absl::Time> latest_sign_in_time;
  absl::Time expire_time;  // The time when the last of these tokens expires.
};

// All revocations, in memory. One takes about 50 bytes. Thread-safe.
class Revocations {
 public:
  void Add(const Revocation& revocation);
  bool Covers(PlayerId player, const TokenInfo& token) const;
  // Removes the revocations whose tokens have all expired at `now`.
  void RemoveExpired(absl::Time now);

  std::size_t size() const;
  // The number of calls of Add so far.
  std::uint64_t add_count() const;

 private:
  struct Entry {
    absl::Time latest_sign_in_time;  // InfinitePast for one token.
    absl::Time expire_time;
  };

  mutable std::shared_mutex mutex_;
  std::uint64_t add_count_ = 0;
  absl::flat_hash_map<Uuid, Entry> entries_;
};

// The port to the store that all gateways share. Thread-safe.
class RevocationStore {
 public:
  virtual ~RevocationStore() = default;
  // Stores a revocation. Calls `done` once, on any thread. If the status is OK, the store has the
  // revocation for good.
  virtual void Store(const Revocation& revocation,
                     std::function<void(const absl::Status&)> done) = 0;
};

}  // namespace tarot::gateway_service
