// What has been proven: classes of positions, and how much a camp gets in each of them.
#pragma once

#include <vector>

#include "libs/ai/solver/setup.h"

namespace tarot::ai {

// Cards that a proof depends on, by their bits in CardSet.
struct Marks {
  std::uint64_t suits = 0;   // Ranks that matter, and all above them in the suit.
  std::uint64_t courts = 0;  // Court cards of which only the points matter.
  std::uint32_t trumps = 0;  // Ranks that matter, and all above them.
  void operator|=(const Marks& o) {
    suits |= o.suits;
    courts |= o.courts;
    trumps |= o.trumps;
  }
};

// A position between two tricks as the table knows it. Ranks are relative: the cards that are gone
// leave no gap.
struct PositionKey {
  std::uint64_t a = 0;  // How many cards of each suit each hand has, who leads, which court cards
  std::uint64_t b = 0;  // are still in play, who has the Petit and the Excuse: all exactly.
  std::array<std::uint64_t, 3> owners{};  // Bits 0, 1 and 2 of the owner of each suit card,
  std::uint64_t trump_owners = 0;         // and of each trump (bit 0 from bit 0, bit 1 from bit 21,
                                          // bit 2 from bit 42), in rising order.
};

// All positions whose keys agree in a, b and where the masks say: `attack` gets at least `amount`.
struct Proof {
  PositionKey key;
  std::uint64_t mask : 56 = 0;  // Suit cards, relative.
  std::uint64_t generation : 8 = 0;
  std::uint32_t trump_mask : 21 = 0;
  std::uint32_t attack : 1 = 0;
  std::uint16_t courts = 0;  // Of the mask, those for their points only: by suit, Jack first.
  std::uint16_t amount = 0;
};
static_assert(sizeof(Proof) == 64);

struct SearchTable {
  static constexpr std::size_t kWays = 8;

  explicit SearchTable(std::size_t bytes);
  // Forgets what was proven with another setup.
  void Prepare(const Setup& setup);
  // Where proofs of this class may stand: kWays in a row.
  Proof* Set(std::uint64_t a, std::uint64_t b) {
    std::uint64_t hash = a * 0x9E3779B97F4A7C15u ^ b * 0xC2B2AE3D27D4EB4Fu;
    hash = (hash ^ hash >> 32) * 0xD6E8FEB86659FD93u;
    return &proofs[(hash >> 32 & set_mask) * kWays];
  }
  // Where to put a new proof of the class of `key`.
  Proof& Room(const PositionKey& key);

  std::vector<Proof> proofs;
  std::uint64_t set_mask = 0;
  std::uint8_t generation = 1;
  unsigned next = 0;
  Setup setup;
};

}  // namespace tarot::ai
