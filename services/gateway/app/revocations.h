// Keeps the revocations of tokens and the bans of players. The gateway refuses a revoked token and
// each token of a banned player, although the signature is right and the token has not expired.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <shared_mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "libs/base/ids.h"

namespace tarot::gateway_service {

// The data of a token that decide whether a revocation covers it.
struct TokenInfo {
  Uuid id;  // A random id, different for each token. Empty in tokens of older releases.
  // The time when the player signed in. A refreshed token keeps this time. So a revocation of all
  // tokens also covers the tokens that a thief got with a stolen token. In tokens of older
  // releases, this time is UnixEpoch.
  absl::Time sign_in_time = absl::UnixEpoch();
  absl::Time expire_time;
};

struct Revocation {
  // The id of the revoked token. If `latest_sign_in_time` is set, the id of the player.
  Uuid subject;
  // If set, all tokens of the player from sign-ins at this time or earlier are revoked.
  std::optional<absl::Time> latest_sign_in_time;
  absl::Time expire_time;  // The time when the last of the revoked tokens expires.
};

// Until `end_time`, all tokens of the player are refused. If `end_time` is in the past, the player
// is not banned any more.
struct Ban {
  PlayerId player;
  absl::Time end_time;
  std::string message;  // A text for the player, or empty.
};

// All revocations and bans, in memory. Each takes about 50 bytes. Thread-safe.
class Revocations {
 public:
  void Add(const Revocation& revocation);
  // Replaces the ban of the player.
  void Add(const Ban& ban);
  bool Covers(PlayerId player, const TokenInfo& token) const;
  // Returns PERMISSION_DENIED BANNED if the player is banned at `now`, and UNAUTHENTICATED
  // BAD_TOKEN if the token is revoked.
  absl::Status Check(PlayerId player, const TokenInfo& token, absl::Time now) const;
  // Returns the time up to which the tokens from sign-ins of `player` are revoked; InfinitePast if
  // none are revoked. A new sign-in must have a later time. The returned time can be in the future,
  // if another gateway has a fast clock.
  absl::Time LatestSignIn(PlayerId player) const;
  // Removes the revocations whose tokens have all expired at `now`, and the bans that have ended.
  void RemoveExpired(absl::Time now);

  std::size_t size() const;
  std::size_t ban_count() const;
  // Returns how often Add() was called.
  std::uint64_t add_count() const;

 private:
  struct Entry {
    absl::Time latest_sign_in_time;  // InfinitePast if the entry is about one token.
    absl::Time expire_time;
  };

  mutable std::shared_mutex mutex_;
  std::uint64_t add_count_ = 0;
  absl::flat_hash_map<Uuid, Entry> entries_;
  absl::flat_hash_map<Uuid, Ban> bans_;
};

// The interface to the store that all gateways share. Thread-safe.
class RevocationStore {
 public:
  virtual ~RevocationStore() = default;
  // Stores a revocation. Calls `done` once, on any thread. After OK, the revocation is not lost.
  virtual void Store(const Revocation& revocation,
                     std::function<void(const absl::Status&)> done) = 0;
};

}  // namespace tarot::gateway_service
