// The table of proofs: for classes of positions, how many half points a camp is sure to get. The
// search (search.h) fills it and reads it.
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

// Pairs of trumps whose order a proof depends on. For each trump (0 is the Petit, 20 is the 21),
// the set of lower trumps in other hands that it must beat. A proof holds in every position where
// all these pairs have the same order. Row x has x bits and shares a word with row 21 - x.
class TrumpPairs {
 public:
  std::uint32_t Below(int trump) const {
    return words_[Word(trump)] >> Shift(trump) & ((1u << trump) - 1);
  }
  // `lower`: trumps below `trump`.
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

// The same pairs by hand instead of by rank: the trumps of the first hand are numbered from 0,
// lowest first; those of the second hand follow, and so on. Each word holds three rows of 21 bits.
using TrumpRows = std::array<std::uint64_t, 7>;

// Cards that a proof depends on, by their bits in CardSet.
struct Marks {
  std::uint64_t suits = 0;   // Ranks that matter, and all ranks above them in the suit.
  std::uint64_t courts = 0;  // Court cards of which only the points matter.
  TrumpPairs trumps;
  void operator|=(const Marks& o) {
    suits |= o.suits;
    courts |= o.courts;
    trumps |= o.trumps;
  }
};

// A position between two tricks as the table stores it, without the order of its trumps. Ranks are
// relative: cards that are out of play leave no gap. Two positions are in the same class when their
// `a` and `b` are equal.
struct PositionKey {
  std::uint64_t a = 0;  // How many cards of each suit each hand has.
  std::uint64_t b = 0;  // The leader, the holders of Petit and Excuse, and the state of the slam.
  std::array<std::uint64_t, 3> owners{};  // Bits 0, 1 and 2 of the owner of each suit card.
  std::uint64_t levels = 0;               // Court cards by place: LevelsOf() in search.h.
};

// A proof about all positions of one class whose owners agree where the mask says, whose levels are
// no lower, and whose trumps have the order that `trumps` asks for.
struct alignas(64) Proof {
  PositionKey key;         // Its levels: the court cards that count; flags: only for their points.
  std::uint64_t mask = 0;  // Suit cards whose owner matters, relative.
  TrumpRows trumps{};
};
static_assert(sizeof(Proof) == 128);

// The table learns good leads separately for the last eight tricks and for each four tricks before
// them, because the best lead changes as the deal goes on.
constexpr int SpanOf(int tricks) { return std::max(0, (tricks - 5) / 4); }

// An allocator that takes memory from 2 MiB on in pages of that size, where the system has them.
// The table is read at random; with small pages the solver is up to a tenth slower.
template <typename T>
class HugePages {
 public:
  using value_type = T;

  T* allocate(std::size_t count) {
    void* const memory = ::operator new(count * sizeof(T), Alignment(count));
    // Only advice: when the system refuses, the memory works all the same.
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

// A set-associative cache of proofs; each set overwrites its oldest proof. Not thread-safe.
struct ProofTable {
  static constexpr std::size_t kWays = 31;

  // The head of a set: for each of its proofs, the class as a short hash, and the claim. A lookup
  // reads it first: the tags fill one cache line.
  struct alignas(64) Head {
    std::array<std::uint16_t, kWays + 1> tags{};  // The last tag belongs to no proof.
    std::array<std::uint16_t, kWays> claims{};    // Amount * 2, + 1 when the attack gets it.
    std::uint16_t next = 0;                       // The oldest proof, to be overwritten next.
  };
  static_assert(sizeof(Head) == 128);

  // `bytes` is the memory for heads and proofs, at least 64 KiB.
  explicit ProofTable(std::size_t bytes) {
    constexpr std::size_t kBytesMin = std::size_t{1} << 16;
    heads.resize(std::max(bytes, kBytesMin) / (sizeof(Head) + kWays * sizeof(Proof)));
    proofs.resize(heads.size() * kWays);
  }

  // Forgets all proofs and leads if they were found with another setup.
  void Prepare(const Setup& now) {
    Setup same = now;
    same.base = setup.base;  // Proofs are about points from the position on, whatever came before.
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
  // Returns where the proofs of the class of `key` are stored.
  Place PlaceOf(const PositionKey& key) const {
    std::uint64_t hash = key.a * 0x9E3779B97F4A7C15u ^ key.b * 0xC2B2AE3D27D4EB4Fu;
    hash = (hash ^ hash >> 32) * 0xD6E8FEB86659FD93u;
    return {.set = (hash >> 32) * heads.size() >> 32, .tag = static_cast<std::uint16_t>(hash >> 8)};
  }

  // How well each lead has done, by seat and card: from -kLeadMax, a lead that has only failed of
  // late, to kLeadMax.
  static constexpr int kLeadMax = 2048;
  using Leads = std::array<std::array<std::int16_t, rules::kCardCount>, rules::kPlayersMax>;

  std::vector<Head, HugePages<Head>> heads;
  std::vector<Proof, HugePages<Proof>> proofs;  // kWays for each head.
  std::uint64_t generation = 0;  // 24 bits. A part of every key: old proofs are not found again.
  std::array<Leads, SpanOf(24) + 1> leads{};  // Three players have 24 tricks.
  Setup setup;
};

}  // namespace tarot::ai
