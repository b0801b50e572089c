// What has been proven: classes of positions, and how much a camp gets in each of them.
#pragma once

#include <algorithm>
#include <vector>

#include "libs/ai/solver/huge_pages.h"
#include "libs/ai/solver/setup.h"
#include "libs/ai/solver/trump_pairs.h"

namespace tarot::ai {

// Cards that a proof depends on, by their bits in CardSet.
struct Marks {
  std::uint64_t suits = 0;   // Ranks that matter, and all above them in the suit.
  std::uint64_t courts = 0;  // Court cards of which only the points matter.
  TrumpPairs trumps;
  void operator|=(const Marks& o) {
    suits |= o.suits;
    courts |= o.courts;
    trumps |= o.trumps;
  }
};

// A position between two tricks as the table knows it, without the order of its trumps. Ranks are
// relative: the cards that are gone leave no gap.
struct PositionKey {
  std::uint64_t a = 0;  // How many cards of each suit each hand has, who leads, who has the Petit
  std::uint64_t b = 0;  // and the Excuse, what a slam still hangs on: all exactly.
  std::array<std::uint64_t, 3> owners{};  // Bits 0, 1 and 2 of the owner of each suit card.
  std::uint64_t levels = 0;               // search_courts.h
};

// All positions whose keys agree in a, b and where the mask says, whose levels are no lower, and
// whose trumps are in the order asked for: a camp gets at least so much.
struct alignas(64) Proof {
  PositionKey key;  // Levels: of the court cards that are counted; flags: of them for that only.
  std::uint64_t mask = 0;  // Suit cards, relative.
  TrumpRows trumps{};
};
static_assert(sizeof(Proof) == 128);

// With many tricks left other leads are right than near the end: the last eight tricks have their
// own, and each four before them.
constexpr int SpanOf(int tricks) { return std::max(0, (tricks - 5) / 4); }

struct SearchTable {
  static constexpr std::size_t kWays = 31;

  // Looked at first: which proofs may be about a class, in one cache line, and what they claim.
  struct alignas(64) Head {
    std::array<std::uint16_t, kWays + 1> tags{};  // The last is nobody's.
    std::array<std::uint16_t, kWays> claims{};    // Amount * 2, + 1 when it is the attack's.
    std::uint16_t next = 0;                       // To be overwritten next: the oldest.
  };
  static_assert(sizeof(Head) == 128);

  explicit SearchTable(std::size_t bytes);
  // Forgets what was proven with another setup.
  void Prepare(const Setup& setup);

  struct Place {
    std::size_t set = 0;
    std::uint16_t tag = 0;
  };
  // Where the proofs of this class stand.
  Place PlaceOf(const PositionKey& key) const {
    std::uint64_t hash = key.a * 0x9E3779B97F4A7C15u ^ key.b * 0xC2B2AE3D27D4EB4Fu;
    hash = (hash ^ hash >> 32) * 0xD6E8FEB86659FD93u;
    return {.set = (hash >> 32) * heads.size() >> 32, .tag = static_cast<std::uint16_t>(hash >> 8)};
  }

  // From -kLeadMax, a card that has only failed of late, to kLeadMax; by seat and card.
  static constexpr int kLeadMax = 2048;
  using Leads = std::array<std::array<std::int16_t, rules::kCardCount>, rules::kPlayersMax>;

  std::vector<Head, HugePages<Head>> heads;
  std::vector<Proof, HugePages<Proof>> proofs;  // kWays for each head.
  std::uint64_t generation = 0;  // Of 24 bits. In every key, so that old proofs are found no more.
  std::array<Leads, SpanOf(24) + 1> leads{};  // Three players have 24 tricks.
  Setup setup;
};

}  // namespace tarot::ai
