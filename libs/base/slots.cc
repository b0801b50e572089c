#include "libs/base/slots.h"

namespace tarot {
namespace {

template <typename Key>
bool IsFull(const absl::flat_hash_map<Key, int>& open, const Key& key, int limit) {
  const auto found = open.find(key);
  return found != open.end() && found->second >= limit;
}

template <typename Key>
void Count(absl::flat_hash_map<Key, int>& open, const Key& key) {
  if (!key.empty()) ++open[key];
}

template <typename Key>
void Uncount(absl::flat_hash_map<Key, int>& open, const Key& key) {
  if (key.empty()) return;
  const auto found = open.find(key);
  if (--found->second == 0) open.erase(found);
}

}  // namespace

SlotAnswer Slots::Acquire(const SlotHolder& holder) {
  const std::lock_guard lock(mutex_);
  if (IsFull(of_players_, holder.player, limit_.per_player)) return SlotAnswer::kPlayerFull;
  if (IsFull(of_addresses_, holder.address, limit_.per_address) ||
      IsFull(of_networks_, holder.network, limit_.per_network)) {
    return SlotAnswer::kAddressFull;
  }
  if (all_ >= limit_.all) return SlotAnswer::kAllFull;
  ++all_;
  Count(of_players_, holder.player);
  Count(of_addresses_, holder.address);
  Count(of_networks_, holder.network);
  return SlotAnswer::kTaken;
}

void Slots::SetLimit(SlotLimit limit) {
  const std::lock_guard lock(mutex_);
  limit_ = limit;
}

void Slots::Release(const SlotHolder& holder) {
  const std::lock_guard lock(mutex_);
  --all_;
  Uncount(of_players_, holder.player);
  Uncount(of_addresses_, holder.address);
  Uncount(of_networks_, holder.network);
}

}  // namespace tarot
