// What court cards count, by their places: how a proof that counts some of them fits positions
// where others are left. Included by search_core.h only.
#pragma once

namespace tarot::ai::TAROT_SEARCH_NAMESPACE {

// Levels of the four highest cards in play of each suit: four bits each, the highest first. Jack 1
// to King 4; 0: no court card, or one that does not count. The fourth bit is free for a flag.
constexpr std::uint64_t kLevelFlags = 0x8888'8888'8888'8888;

// By the four court cards of a suit in play (Jack first), and some of them, or some of their places
// (the highest first).
struct CourtTable {
  std::array<std::array<std::uint16_t, 16>, 16> levels{};  // Of some cards, at their places.
  std::array<std::array<std::uint8_t, 16>, 16> cards{};    // At some places.
};
constexpr CourtTable MakeCourtTable() {
  CourtTable table;
  for (unsigned all = 0; all < 16; ++all) {
    for (unsigned some = 0; some < 16; ++some) {
      int place = 0;
      for (int level = 4; level > 0; --level) {
        const unsigned card = 1u << (level - 1);
        if ((all & card) == 0) continue;
        if ((some & card) != 0) {
          table.levels[all][some] |= static_cast<std::uint16_t>(level << 4 * place);
        }
        if ((some >> place & 1) != 0) table.cards[all][some] |= static_cast<std::uint8_t>(card);
        ++place;
      }
    }
  }
  return table;
}
inline constexpr CourtTable kCourtTable = MakeCourtTable();

// Of the court cards among `cards`, at their places among `all`.
inline std::uint64_t LevelsOf(std::uint64_t cards, std::uint64_t all) {
  std::uint64_t levels = 0;
  for (int suit = 3; suit >= 0; --suit) {
    const int jack = 14 * suit + 10;
    levels = levels << 16 | kCourtTable.levels[all >> jack & 15][cards >> jack & 15];
  }
  return levels;
}

// The court cards of `all` at the places that have a level or a flag.
inline std::uint64_t CourtsAt(std::uint64_t levels, std::uint64_t all) {
  std::uint64_t cards = 0;
  for (int suit = 0; levels != 0; ++suit, levels >>= 16) {
    std::uint64_t places = (levels | levels >> 1 | levels >> 2 | levels >> 3) & 0x1111;
    places = (places | places >> 3 | places >> 6 | places >> 9) & 15;
    const int jack = 14 * suit + 10;
    cards |= std::uint64_t{kCourtTable.cards[all >> jack & 15][places]} << jack;
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
