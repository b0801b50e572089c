// Counts open calls and limits them. The limit per player keeps one player from using all slots.
// The limits per address and per network do the same for a client with many guest accounts.
#pragma once

#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "libs/base/ids.h"

namespace tarot {

struct SlotLimit {
  int per_player = 0;
  int per_address = 0;
  int per_network = 0;
  int all = 0;
};

// The owner of a slot: the player, the address and the wider network of an open call. An empty
// field has no limit. Only IPv6 addresses have a wider network, a /48.
struct SlotHolder {
  PlayerId player;
  std::string address;
  std::string network;
};

enum class SlotAnswer {
  kTaken,        // The call has a slot.
  kPlayerFull,   // This player has no free slot.
  kAddressFull,  // This address or this network has no free slot.
  kAllFull,      // No slot is free for any player.
};

// Thread-safe.
class Slots {
 public:
  explicit Slots(SlotLimit limit) : limit_(limit) {}

  // After kTaken, call Release once.
  SlotAnswer Acquire(const SlotHolder& holder);
  void Release(const SlotHolder& holder);
  // Replaces the limits. Slots that are taken stay taken, also above a lower limit.
  void SetLimit(SlotLimit limit);

 private:
  std::mutex mutex_;
  SlotLimit limit_;
  int all_ = 0;
  // The number of open calls of each player, address and network. The maps have no zeros.
  absl::flat_hash_map<PlayerId, int> of_players_;
  absl::flat_hash_map<std::string, int> of_addresses_;
  absl::flat_hash_map<std::string, int> of_networks_;
};

}  // namespace tarot
