// The places of one ladder, in memory (docs/ladder.md). The code is pure: no clock, no I/O, no
// threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "libs/base/ids.h"

namespace tarot::rating {

// Leaderboards are sorted by this key, the greatest key first: by mu, and then by player id. No two
// players have the same key.
struct PlaceKey {
  double mu = 0;
  PlayerId player;

  friend auto operator<=>(const PlaceKey&, const PlaceKey&) = default;
};

// The players with a place on one ladder, sorted by PlaceKey, best first. Ranks count from 1. While
// a player is away, the player's rating becomes less certain. When the rating is too uncertain, the
// player loses the place. The caller computes the time of this loss, in seconds of Unix time.
//
// The sorted list has two levels: leaves of at most 128 keys, and blocks of at most 512 leaves. The
// rank of a key follows from the sizes of the blocks and leaves before it. With 10 million players,
// there are a few hundred blocks. So for a rank, the code adds at most a few hundred sizes of
// blocks, and at most 512 sizes of leaves. A player takes about 70 bytes.
class Ranks {
 public:
  static constexpr std::size_t kLeafKeysMax = 128;
  static constexpr std::size_t kBlockLeavesMax = 512;

  struct Ranked {
    PlaceKey key;
    std::int64_t rank = 0;
  };

  // The limits for a leaf and for a block. Each limit is at least 2 and at most its default. Tests
  // use small limits.
  explicit Ranks(std::size_t leaf_keys_max = kLeafKeysMax,
                 std::size_t block_leaves_max = kBlockLeavesMax);

  // Gives the player the place of `key` until `end_second`. If the player already has a place, the
  // new place replaces it. `mu` must not be NaN, and `end_second` must be above 0.
  void Set(const PlaceKey& key, std::uint32_t end_second);
  // Removes the player's place. Does nothing if the player has no place.
  void Erase(PlayerId player);
  // Erases all places that end at `now_second` or before.
  void EraseEnded(std::uint32_t now_second);

  std::int64_t size() const { return size_; }
  // Returns the key of the player's place, or nullopt if the player has no place.
  std::optional<PlaceKey> Find(PlayerId player) const;
  // Returns the number of places with a key above `key`. If `key` is in the list, its rank is the
  // result plus 1.
  std::int64_t CountAbove(const PlaceKey& key) const;
  // Returns the places with the ranks `first` to `last`, best first. Leaves out ranks that do not
  // exist.
  std::vector<Ranked> Range(std::int64_t first, std::int64_t last) const;

 private:
  using Slot = std::uint32_t;  // An index of players_.

  struct Player {
    PlayerId id;  // The player's id. Empty if the slot is free.
    double mu = 0;
    std::uint32_t end_second = 0;
    // The time of this slot's entry in ends_, in seconds of Unix time; 0 if there is no entry. If
    // ends_ has several entries of this slot, only the entry with this time counts. EraseEnded()
    // ignores the other entries. A freed slot keeps the value, because its entry stays in ends_.
    std::uint32_t queued_second = 0;
  };
  struct Leaf {
    std::array<double, kLeafKeysMax> mus;
    std::array<Slot, kLeafKeysMax> slots;
  };
  struct Block {
    std::vector<double> firsts;  // The first mu of each leaf, in the order of the leaves.
    std::vector<std::uint32_t> sizes;
    std::vector<std::unique_ptr<Leaf>> leaves;
  };
  struct Position {
    std::size_t block = 0;
    std::size_t leaf = 0;
    std::size_t index = 0;
  };

  // The set by_id_ finds the slot of a player by the player's id. It stores only slots, because a
  // slot is smaller than an id.
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(Slot slot) const { return (*this)((*players)[slot].id); }
    std::size_t operator()(PlayerId id) const { return absl::Hash<PlayerId>()(id); }
    const std::deque<Player>* players;
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(Slot a, Slot b) const { return a == b; }
    bool operator()(Slot a, PlayerId b) const { return (*players)[a].id == b; }
    bool operator()(PlayerId a, Slot b) const { return (*players)[b].id == a; }
    const std::deque<Player>* players;
  };

  bool IsAbove(double mu, Slot slot, const PlaceKey& key) const;
  bool IsBelow(double mu, Slot slot, const PlaceKey& key) const;
  // Returns the position of `key`, or the position where it must be inserted. There must be a leaf.
  Position Locate(const PlaceKey& key) const;
  void Insert(Slot slot);
  void Remove(Slot slot);
  void SplitLeaf(const Position& at);
  void SplitBlock(std::size_t at);
  // If `leaf` and the next leaf together are small enough, joins the two. So no leaf becomes almost
  // empty.
  void MergeLeaves(std::size_t block, std::size_t leaf);
  void MergeBlocks(std::size_t block);
  void Queue(Slot slot, std::uint32_t second);

  const std::size_t leaf_keys_max_;
  const std::size_t block_leaves_max_;
  std::int64_t size_ = 0;
  std::unique_ptr<std::deque<Player>> players_ = std::make_unique<std::deque<Player>>();
  std::vector<Slot> free_;
  absl::flat_hash_set<Slot, Hash, Equal> by_id_;
  std::vector<Block> blocks_;
  std::vector<std::int64_t> block_sizes_;  // The number of keys of each block.
  // A heap of entries (time, slot), the earliest time first. Each player has an entry whose time is
  // not after the end of the player's place. If the place has not ended when the time of the entry
  // comes, EraseEnded() replaces the entry by one with the end of the place.
  std::deque<std::pair<std::uint32_t, Slot>> ends_;
};

}  // namespace tarot::rating
