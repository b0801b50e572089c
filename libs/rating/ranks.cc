#include "libs/rating/ranks.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>

#include "libs/base/check.h"

namespace tarot::rating {
namespace {

// Returns how many of the numbers 0 to `size` - 1 pass `test`. The test must be true for the first
// numbers up to some number, and false for all greater numbers.
template <typename Test>
std::size_t PartitionPoint(std::size_t size, Test test) {
  std::size_t low = 0;
  while (size > 0) {
    const std::size_t half = size / 2;
    const bool pass = test(low + half);
    low = pass ? low + half + 1 : low;
    size = pass ? size - half - 1 : half;
  }
  return low;
}

template <typename Array>
void Open(Array& values, std::size_t index, std::size_t size) {
  std::copy_backward(values.begin() + index, values.begin() + size, values.begin() + size + 1);
}

template <typename Array>
void Close(Array& values, std::size_t index, std::size_t size) {
  std::copy(values.begin() + index + 1, values.begin() + size, values.begin() + index);
}

// Moves the values from index `from` on into a new vector.
template <typename T>
std::vector<T> TakeTail(std::vector<T>& values, std::size_t from) {
  std::vector<T> tail(std::make_move_iterator(values.begin() + static_cast<std::ptrdiff_t>(from)),
                      std::make_move_iterator(values.end()));
  values.resize(from);
  return tail;
}

template <typename T>
void AppendAll(std::vector<T>& more, std::vector<T>& values) {
  values.insert(values.end(), std::make_move_iterator(more.begin()),
                std::make_move_iterator(more.end()));
}

template <typename T>
void EraseAt(std::vector<T>& values, std::size_t at) {
  values.erase(values.begin() + static_cast<std::ptrdiff_t>(at));
}

template <typename T>
void InsertAt(std::vector<T>& values, std::size_t at, T value) {
  values.insert(values.begin() + static_cast<std::ptrdiff_t>(at), std::move(value));
}

}  // namespace

Ranks::Ranks(std::size_t leaf_keys_max, std::size_t block_leaves_max)
    : leaf_keys_max_(leaf_keys_max),
      block_leaves_max_(block_leaves_max),
      by_id_(0, Hash{players_.get()}, Equal{players_.get()}) {
  TAROT_CHECK(leaf_keys_max >= 2 && leaf_keys_max <= kLeafKeysMax);
  TAROT_CHECK(block_leaves_max >= 2 && block_leaves_max <= kBlockLeavesMax);
}

void Ranks::Set(const PlaceKey& key, std::uint32_t end_second) {
  TAROT_CHECK(end_second > 0);
  Slot slot = 0;
  if (const auto found = by_id_.find(key.player); found != by_id_.end()) {
    slot = *found;
    Player& player = (*players_)[slot];
    player.end_second = end_second;
    if (player.mu != key.mu) {
      Remove(slot);
      player.mu = key.mu;
      Insert(slot);
    }
  } else {
    if (free_.empty()) {
      slot = static_cast<Slot>(players_->size());
      players_->emplace_back();
    } else {
      slot = free_.back();
      free_.pop_back();
    }
    Player& player = (*players_)[slot];
    player.id = key.player;
    player.mu = key.mu;
    player.end_second = end_second;
    by_id_.insert(slot);
    Insert(slot);
  }
  const std::uint32_t queued = (*players_)[slot].queued_second;
  if (queued == 0 || end_second < queued) Queue(slot, end_second);
}

void Ranks::Erase(PlayerId player) {
  const auto found = by_id_.find(player);
  if (found == by_id_.end()) return;
  const Slot slot = *found;
  Remove(slot);
  by_id_.erase(found);
  (*players_)[slot].id = PlayerId();
  free_.push_back(slot);
}

void Ranks::EraseEnded(std::uint32_t now_second) {
  while (!ends_.empty() && ends_.front().first <= now_second) {
    const auto [second, slot] = ends_.front();
    std::pop_heap(ends_.begin(), ends_.end(), std::greater<>());
    ends_.pop_back();
    Player& player = (*players_)[slot];
    // This entry no longer counts, because Queue() has replaced it by an entry with another time.
    if (second != player.queued_second) continue;
    player.queued_second = 0;
    if (player.id.empty()) continue;
    if (player.end_second <= now_second) {
      Erase(player.id);
    } else {
      Queue(slot, player.end_second);
    }
  }
}

void Ranks::Queue(Slot slot, std::uint32_t second) {
  (*players_)[slot].queued_second = second;
  ends_.emplace_back(second, slot);
  std::push_heap(ends_.begin(), ends_.end(), std::greater<>());
}

std::optional<PlaceKey> Ranks::Find(PlayerId player) const {
  const auto found = by_id_.find(player);
  if (found == by_id_.end()) return std::nullopt;
  return PlaceKey{.mu = (*players_)[*found].mu, .player = player};
}

std::int64_t Ranks::CountAbove(const PlaceKey& key) const {
  if (blocks_.empty()) return 0;
  const Position at = Locate(key);
  const std::vector<std::uint32_t>& sizes = blocks_[at.block].sizes;
  const auto block_end = block_sizes_.begin() + static_cast<std::ptrdiff_t>(at.block);
  const auto leaf_end = sizes.begin() + static_cast<std::ptrdiff_t>(at.leaf);
  return std::accumulate(block_sizes_.begin(), block_end, std::int64_t{0}) +
         std::accumulate(sizes.begin(), leaf_end, std::uint32_t{0}) +
         static_cast<std::int64_t>(at.index);
}

std::vector<Ranks::Ranked> Ranks::Range(std::int64_t first, std::int64_t last) const {
  first = std::max<std::int64_t>(first, 1);
  last = std::min(last, size_);
  std::vector<Ranked> places;
  if (first > last) return places;
  places.reserve(static_cast<std::size_t>(last - first + 1));
  std::int64_t skip = first - 1;
  Position at;
  while (skip >= block_sizes_[at.block]) skip -= block_sizes_[at.block++];
  while (skip >= blocks_[at.block].sizes[at.leaf]) skip -= blocks_[at.block].sizes[at.leaf++];
  at.index = static_cast<std::size_t>(skip);
  for (std::int64_t rank = first; rank <= last; ++rank, ++at.index) {
    if (at.index == blocks_[at.block].sizes[at.leaf]) {
      at.index = 0;
      if (++at.leaf == blocks_[at.block].leaves.size()) {
        at.leaf = 0;
        ++at.block;
      }
    }
    const Leaf& leaf = *blocks_[at.block].leaves[at.leaf];
    const PlayerId player = (*players_)[leaf.slots[at.index]].id;
    places.push_back({.key = {.mu = leaf.mus[at.index], .player = player}, .rank = rank});
  }
  return places;
}

bool Ranks::IsAbove(double mu, Slot slot, const PlaceKey& key) const {
  return mu != key.mu ? mu > key.mu : (*players_)[slot].id > key.player;
}

bool Ranks::IsBelow(double mu, Slot slot, const PlaceKey& key) const {
  return mu != key.mu ? mu < key.mu : (*players_)[slot].id < key.player;
}

Ranks::Position Ranks::Locate(const PlaceKey& key) const {
  Position at;
  // Finds first the block of `key`, then its leaf. The block is the last block whose first key is
  // at or above `key`. The leaf is the last leaf of this block whose first key is at or above
  // `key`.
  at.block = PartitionPoint(blocks_.size(), [&](std::size_t i) {
    return !IsBelow(blocks_[i].firsts[0], blocks_[i].leaves[0]->slots[0], key);
  });
  at.block -= at.block > 0 ? 1 : 0;
  const Block& block = blocks_[at.block];
  at.leaf = PartitionPoint(block.leaves.size(), [&](std::size_t i) {
    // Most comparisons need only `firsts`, so they do not read a leaf.
    const double mu = block.firsts[i];
    return mu != key.mu ? mu > key.mu : !IsBelow(mu, block.leaves[i]->slots[0], key);
  });
  at.leaf -= at.leaf > 0 ? 1 : 0;
  const Leaf& leaf = *block.leaves[at.leaf];
  at.index = PartitionPoint(block.sizes[at.leaf], [&](std::size_t i) {
    return IsAbove(leaf.mus[i], leaf.slots[i], key);
  });
  return at;
}

void Ranks::Insert(Slot slot) {
  const Player& player = (*players_)[slot];
  const PlaceKey key{.mu = player.mu, .player = player.id};
  if (blocks_.empty()) {
    Block block{.firsts = {0}, .sizes = {0}};
    block.leaves.push_back(std::make_unique<Leaf>());
    blocks_.push_back(std::move(block));
    block_sizes_.push_back(0);
  }
  Position at = size_ == 0 ? Position() : Locate(key);
  if (blocks_[at.block].sizes[at.leaf] == leaf_keys_max_) {
    SplitLeaf(at);
    at = Locate(key);
  }
  Block& block = blocks_[at.block];
  Leaf& leaf = *block.leaves[at.leaf];
  Open(leaf.mus, at.index, block.sizes[at.leaf]);
  Open(leaf.slots, at.index, block.sizes[at.leaf]);
  leaf.mus[at.index] = key.mu;
  leaf.slots[at.index] = slot;
  block.firsts[at.leaf] = leaf.mus[0];
  ++block.sizes[at.leaf];
  ++block_sizes_[at.block];
  ++size_;
}

void Ranks::Remove(Slot slot) {
  const Player& player = (*players_)[slot];
  const Position at = Locate({.mu = player.mu, .player = player.id});
  Block& block = blocks_[at.block];
  Leaf& leaf = *block.leaves[at.leaf];
  TAROT_CHECK(at.index < block.sizes[at.leaf] && leaf.slots[at.index] == slot);
  Close(leaf.mus, at.index, block.sizes[at.leaf]);
  Close(leaf.slots, at.index, block.sizes[at.leaf]);
  block.firsts[at.leaf] = leaf.mus[0];
  --block.sizes[at.leaf];
  --block_sizes_[at.block];
  --size_;
  if (block.sizes[at.leaf] == 0) {
    EraseAt(block.firsts, at.leaf);
    EraseAt(block.sizes, at.leaf);
    EraseAt(block.leaves, at.leaf);
  } else {
    MergeLeaves(at.block, at.leaf);
  }
  if (block.leaves.empty()) {
    EraseAt(blocks_, at.block);
    EraseAt(block_sizes_, at.block);
  } else {
    MergeBlocks(at.block);
  }
}

void Ranks::SplitLeaf(const Position& at) {
  Block& block = blocks_[at.block];
  Leaf& leaf = *block.leaves[at.leaf];
  const std::size_t size = block.sizes[at.leaf];
  const std::size_t kept = size / 2;
  auto tail = std::make_unique<Leaf>();
  std::copy(leaf.mus.begin() + kept, leaf.mus.begin() + size, tail->mus.begin());
  std::copy(leaf.slots.begin() + kept, leaf.slots.begin() + size, tail->slots.begin());
  block.sizes[at.leaf] = static_cast<std::uint32_t>(kept);
  InsertAt(block.firsts, at.leaf + 1, tail->mus[0]);
  InsertAt(block.sizes, at.leaf + 1, static_cast<std::uint32_t>(size - kept));
  InsertAt(block.leaves, at.leaf + 1, std::move(tail));
  if (block.leaves.size() > block_leaves_max_) SplitBlock(at.block);
}

void Ranks::SplitBlock(std::size_t at) {
  Block& block = blocks_[at];
  const std::size_t kept = block.leaves.size() / 2;
  Block tail{.firsts = TakeTail(block.firsts, kept),
             .sizes = TakeTail(block.sizes, kept),
             .leaves = TakeTail(block.leaves, kept)};
  const std::int64_t moved = std::accumulate(tail.sizes.begin(), tail.sizes.end(), std::int64_t{0});
  block_sizes_[at] -= moved;
  InsertAt(blocks_, at + 1, std::move(tail));
  InsertAt(block_sizes_, at + 1, moved);
}

void Ranks::MergeLeaves(std::size_t block_at, std::size_t at) {
  Block& block = blocks_[block_at];
  if (at + 1 == block.leaves.size()) return;
  const std::size_t size = block.sizes[at];
  const std::size_t more = block.sizes[at + 1];
  if (size + more > leaf_keys_max_ / 2) return;
  Leaf& leaf = *block.leaves[at];
  const Leaf& next = *block.leaves[at + 1];
  std::copy(next.mus.begin(), next.mus.begin() + more, leaf.mus.begin() + size);
  std::copy(next.slots.begin(), next.slots.begin() + more, leaf.slots.begin() + size);
  block.sizes[at] += static_cast<std::uint32_t>(more);
  EraseAt(block.firsts, at + 1);
  EraseAt(block.sizes, at + 1);
  EraseAt(block.leaves, at + 1);
}

void Ranks::MergeBlocks(std::size_t at) {
  if (at + 1 == blocks_.size()) return;
  Block& block = blocks_[at];
  Block& next = blocks_[at + 1];
  if (block.leaves.size() + next.leaves.size() > block_leaves_max_ / 2) return;
  AppendAll(next.firsts, block.firsts);
  AppendAll(next.sizes, block.sizes);
  AppendAll(next.leaves, block.leaves);
  block_sizes_[at] += block_sizes_[at + 1];
  EraseAt(blocks_, at + 1);
  EraseAt(block_sizes_, at + 1);
}

}  // namespace tarot::rating
