// What court cards count, by their places: how a proof that counts some of them fits positions
// where others are left. Included by search_core.h only.
#pragma once

namespace tarot::ai::TAROT_SEARCH_NAMESPACE {

// Levels of the four highest cards in play of each suit: four bits each, the highest first. Jack 1
// to King 4; 0: no court card, or one that does not count. The fourth bit is free for a flag.
constexpr std::uint64_t kLevelFlags = 0x8888'8888'8888'8888;

// Of the court cards among `cards`, at their places among `all`.
constexpr std::uint64_t LevelsOf(std::uint64_t cards, std::uint64_t all) {
  std::uint64_t levels = 0;
  for (int suit = 0; suit < 4; ++suit) {
    int shift = 16 * suit;
    for (int level = 4; level > 0; --level) {
      const int card = 14 * suit + 9 + level;
      if ((all >> card & 1) == 0) continue;
      if ((cards >> card & 1) != 0) levels |= static_cast<std::uint64_t>(level) << shift;
      shift += 4;
    }
  }
  return levels;
}

// The court cards of `all` at the places that have a level or a flag.
inline std::uint64_t CourtsAt(std::uint64_t levels, std::uint64_t all) {
  std::uint64_t cards = 0;
  for (int suit = 0; suit < 4; ++suit, levels >>= 16) {
    std::uint64_t courts = all & SuitBits(suit) & kCourtBits;
    for (std::uint64_t rest = levels & 0xFFFF; rest != 0; rest >>= 4) {
      const std::uint64_t top = 1ull << (63 - std::countl_zero(courts));
      if ((rest & 0xF) != 0) cards |= top;
      courts &= ~top;
    }
  }
  return cards;
}

// Whether no place has less than it is asked for.
constexpr bool LevelsReach(std::uint64_t levels, std::uint64_t asked) {
  return (((levels | kLevelFlags) - asked) & kLevelFlags) == kLevelFlags;
}

// A flag for every place with a level.
constexpr std::uint64_t FlagsOf(std::uint64_t levels) {
  return (levels << 1 | levels << 2 | levels << 3) & kLevelFlags;
}

}  // namespace tarot::ai::TAROT_SEARCH_NAMESPACE
