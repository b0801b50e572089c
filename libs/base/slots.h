// Counts open calls, so that no player and no client with many accounts takes the places of others.
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

// The player, the address and the wider network for which an open call counts. An empty value has
// no limit. Only IPv6 addresses have a wider network, a /48.
struct SlotHolder {
  PlayerId player;
  std::string address;
  std::string network;
};

enum class SlotAnswer {
  kTaken,        // The call has a slot.
  kPlayerFull,   // The player has as many slots as a player may.
  kAddressFull,  // The players of the address, or of the network, have as many slots as they may.
  kAllFull,      // All players together have as many slots as they may.
};

// The limit per player keeps one player from taking all slots. The limits per address and per
// network keep one client with many guest accounts from doing so. Thread-safe.
class Slots {
 public:
  explicit Slots(SlotLimit limit) : limit_(limit) {}

  // After kTaken, call Release once.
  SlotAnswer Acquire(const SlotHolder& holder);
  void Release(const SlotHolder& holder);

 private:
  const SlotLimit limit_;
  std::mutex mutex_;
  int all_ = 0;
  // Open calls of each player, address and network. Without open calls, there is no entry.
  absl::flat_hash_map<PlayerId, int> of_players_;
  absl::flat_hash_map<std::string, int> of_addresses_;
  absl::flat_hash_map<std::string, int> of_networks_;
};

}  // namespace tarot
