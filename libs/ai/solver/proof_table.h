// The table of proofs. Each proof is about one class of positions. A proof says that a camp is sure
// to get a certain number of half points. This holds in every position of the class that meets the
// conditions of the proof. The search (search.h) fills and reads the table.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "libs/ai/solver/setup.h"

namespace tarot::ai {

// A set of pairs of trumps. The order of the two trumps of a pair matters to a proof: the proof
// holds only in positions where each pair has the same order. Trumps are numbered from 0 (the
// Petit) to 20 (the 21). Row x has one bit for each lower trump. The bit is set if this trump and x
// are a pair. Row x shares a word with row 21 - x.
class TrumpPairs {
 public:
  std::uint32_t Below(int trump) const {
    return words_[Word(trump)] >> Shift(trump) & ((1u << trump) - 1);
  }
  // Adds the pairs of `trump` with each of the trumps `lower`, which must be below `trump`.
  void Add(int trump, std::uint32_t lower) { words_[Word(trump)] |= lower << Shift(trump); }
  void operator|=(const TrumpPairs& o) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= o.words_[i];
  }

 private:
  static constexpr std::size_t Word(int trump) {
    return static_cast<std::size_t>(trump <= 10 ? trump : 21 - trump);
  }
  static constexpr int Shift(int trump) { return trump <= 10 ? 0 : 21 - trump; }

  // The size is a multiple of 16 bytes, so that the compiler joins two sets with vector code.
  alignas(16) std::array<std::uint32_t, 12> words_{};
};

// The same pairs as in TrumpPairs, but with other numbers for the trumps. The trumps of the first
// hand get the lowest numbers, from 0 on, the lowest trump first. The trumps of the second hand get
// the next numbers, and so on. Each word holds three rows of 21 bits.
using TrumpRows = std::array<std::uint64_t, 7>;

// The cards that a proof depends on. A card has the same bit here as in CardSet.
struct Marks {
  // The suit cards whose rank matters. If the rank of a card matters, all ranks above it in its
  // suit matter too.
  std::uint64_t suits = 0;
  std::uint64_t courts = 0;  // The court cards whose points matter.
  TrumpPairs trumps;
  void operator|=(const Marks& o) {
    suits |= o.suits;
    courts |= o.courts;
    trumps |= o.trumps;
  }
};

// A position between two tricks, as the table stores it. The order of the trumps is not part of the
// key. Ranks are relative: cards that are out of play leave no gap. Two positions are in the same
// class if their `a` and `b` are equal.
struct PositionKey {
  std::uint64_t a = 0;  // The number of cards of each suit in each hand.
  std::uint64_t b = 0;  // The leader, the holders of Petit and Excuse, and the state of the slam.
  // The number of the owner of each suit card. An owner has three bits. Element k holds bit k of
  // all owners.
  std::array<std::uint64_t, 3> owners{};
  // The levels of the court cards: four places of four bits for each suit; 0 means that the place
  // has no court card (see LevelsOf() in search.h).
  std::uint64_t levels = 0;
};

// A proof about the positions of one class. It holds for a position of this class if three
// conditions are met. First, the suit cards in `mask` have the same owners. Second, no level is
// lower than in the proof. Third, the trumps have the order that `trumps` requires.
struct alignas(64) Proof {
  // `key.levels` has the level of each court card whose points matter to the proof. All other
  // places are 0. The top bit of a place is a flag: it is set if the points of the card matter, but
  // not its rank.
  PositionKey key;
  // The suit cards whose owner matters. A card has the bit of its relative rank.
  std::uint64_t mask = 0;
  TrumpRows trumps{};
};
static_assert(sizeof(Proof) == 128);

// Returns the number of the part of the deal in which `tricks` tricks are left. The table learns
// good leads separately for each part, because the best lead changes during the deal. The last
// eight tricks are one part. Before the last eight, every four tricks are one part.
constexpr int SpanOf(int tricks) { return std::max(0, (tricks - 5) / 4); }

// An allocator for the table. If the system has pages of 2 MiB, memory of 2 MiB or more lies in
// such pages. The search reads the table at random, so the solver is slower with small pages.
template <typename T>
class HugePages {
 public:
  using value_type = T;

  T* allocate(std::size_t count) {
    void* const memory = ::operator new(count * sizeof(T), Alignment(count));
    // The call only advises the system. If the system refuses huge pages, the memory still works.
    if (Large(count)) madvise(memory, count * sizeof(T), MADV_HUGEPAGE);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) { ::operator delete(memory, Alignment(count)); }
  friend bool operator==(const HugePages&, const HugePages&) = default;

 private:
  static constexpr std::size_t kPage = std::size_t{2} << 20;
  static constexpr bool Large(std::size_t count) { return count * sizeof(T) >= kPage; }
  static constexpr std::align_val_t Alignment(std::size_t count) {
    return std::align_val_t{Large(count) ? kPage : alignof(T)};
  }
};

// A set-associative cache of proofs. A new proof overwrites the oldest proof of its set. Not
// thread-safe.
struct ProofTable {
  static constexpr std::size_t kWays = 31;

  // The head of a set. `tags` has a short hash of the class of each proof. `claims` has the amount
  // that each proof promises. A lookup reads the head before the proofs. The tags fill one cache
  // line.
  struct alignas(64) Head {
    // The array has one more element than the set has proofs, so that it fills one cache line. The
    // last element is not used.
    std::array<std::uint16_t, kWays + 1> tags{};
    // A claim is twice the amount if the defence gets this amount, and twice the amount plus 1 if
    // the attack gets it.
    std::array<std::uint16_t, kWays> claims{};
    // The index of the oldest proof. The next new proof overwrites it.
    std::uint16_t next = 0;
  };
  static_assert(sizeof(Head) == 128);

  // `bytes` is the memory for heads and proofs. The table takes at least 64 KiB.
  explicit ProofTable(std::size_t bytes) {
    constexpr std::size_t kBytesMin = std::size_t{1} << 16;
    heads.resize(std::max(bytes, kBytesMin) / (sizeof(Head) + kWays * sizeof(Proof)));
    proofs.resize(heads.size() * kWays);
  }

  // Prepares the table for searches with the setup `now`. If the table has been used with another
  // setup, forgets the stored proofs and the learned values of `leads`.
  void Prepare(const Setup& now) {
    Setup same = now;
    // The proofs also hold if only `base` differs, because a proof counts only the points from its
    // position on.
    same.base = setup.base;
    if (same == setup) return;
    setup = now;
    leads = {};
    ++generation;
    if (generation >> 24 == 0) return;
    generation = 0;
    std::fill(heads.begin(), heads.end(), Head{});
  }

  struct Place {
    std::size_t set = 0;
    std::uint16_t tag = 0;
  };
  // Returns the place for the proofs of the class of `key`: the index of their set, and their tag.
  Place PlaceOf(const PositionKey& key) const {
    std::uint64_t hash = key.a * 0x9E3779B97F4A7C15u ^ key.b * 0xC2B2AE3D27D4EB4Fu;
    hash = (hash ^ hash >> 32) * 0xD6E8FEB86659FD93u;
    return {.set = (hash >> 32) * heads.size() >> 32, .tag = static_cast<std::uint16_t>(hash >> 8)};
  }

  // How good each lead was in earlier positions, by seat and card, from -kLeadMax to kLeadMax. The
  // number rises if the camp of the seat wins with this lead, and falls if it does not. Recent
  // results count most.
  static constexpr int kLeadMax = 2048;
  using Leads = std::array<std::array<std::int16_t, rules::kCardCount>, rules::kPlayersMax>;

  std::vector<Head, HugePages<Head>> heads;
  std::vector<Proof, HugePages<Proof>> proofs;  // There are kWays proofs for each head.
  // A number of 24 bits that is a part of every key. If this number changes, the search no longer
  // finds the old proofs.
  std::uint64_t generation = 0;
  // The largest number of tricks is 24, in deals of three players.
  std::array<Leads, SpanOf(24) + 1> leads{};
  Setup setup;
};

}  // namespace tarot::ai
