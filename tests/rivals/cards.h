// The cards of the rival program. This code shares nothing with the platform, so that no code is
// tested against itself.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

namespace rival {

// Suits have the names of TDN: S H D C. Ranks are 1..14 (J N Q K from 11), trumps 1..21, and the
// Excuse is 0.
inline constexpr int kTrump = 4;
inline constexpr char kSuits[] = "SHDC";
inline constexpr char kRanks[] = "?123456789TJNQK";

struct Card {
  int suit = kTrump;
  int rank = 0;

  bool IsTrump() const { return suit == kTrump && rank > 0; }
  bool IsExcuse() const { return suit == kTrump && rank == 0; }
  bool IsBout() const { return suit == kTrump && (rank <= 1 || rank == 21); }
  // Returns the value of the card in half points.
  int Points() const {
    if (suit == kTrump) return IsBout() ? 9 : 1;
    return rank > 10 ? 2 * (rank - 10) + 1 : 1;
  }
  friend bool operator==(const Card&, const Card&) = default;
};

// A set of cards, with one bit per rank in each suit.
struct Hand {
  std::array<std::uint32_t, 5> suits{};

  bool Has(Card card) const { return (suits[Slot(card.suit)] >> card.rank & 1u) != 0; }
  void Add(Card card) { suits[Slot(card.suit)] |= 1u << card.rank; }
  void Drop(Card card) { suits[Slot(card.suit)] &= ~(1u << card.rank); }
  int Count(int suit) const { return std::popcount(suits[Slot(suit)]); }
  // Returns the trumps without the Excuse, one bit per trump.
  std::uint32_t Trumps() const { return suits[kTrump] & ~1u; }
  bool Excuse() const { return (suits[kTrump] & 1u) != 0; }
  int Size() const {
    int size = 0;
    for (int suit = 0; suit < 5; ++suit) size += Count(suit);
    return size;
  }
  std::vector<Card> Cards() const;

  static std::size_t Slot(int suit) { return static_cast<std::size_t>(suit); }
};

inline int Lowest(std::uint32_t ranks) { return std::countr_zero(ranks); }
inline int Highest(std::uint32_t ranks) { return 31 - std::countl_zero(ranks); }

// Returns every card of the pack.
Hand Pack();

// These functions parse and print hands such as "21,16/KQ/-/T9/-" (trumps with X for the Excuse,
// then the suits) and cards such as "H4", "T21", "X".
Hand ParseHand(const std::string& text);
Card ParseCard(const std::string& text);
std::string Name(Card card);
std::string Name(const Hand& hand);

}  // namespace rival
