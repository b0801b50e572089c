// Defines the 78 cards of French Tarot as plain values, sets of cards as bits, and the names of
// cards.
#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace tarot::rules {

// The number of a card. Numbers 0..55 are the four suits with 14 ranks each. In a suit, rank 11 is
// the Jack, 12 the Knight, 13 the Queen, and 14 the King. Numbers 56..76 are the trumps 1..21, and
// 77 is the Excuse. Stored records and the wire use these numbers, so the numbers never change.
enum class Card : std::uint8_t {};
enum class Suit : std::uint8_t { kSpades, kHearts, kDiamonds, kClubs, kTrumps, kNone };

inline constexpr int kCardCount = 78;
inline constexpr int kSuitSize = 14;
inline constexpr int kTrumpCount = 21;
inline constexpr int kTotalHalfPoints = 182;

constexpr int Index(Card c) { return static_cast<int>(c); }
constexpr Card CardAt(int index) { return static_cast<Card>(index); }
constexpr Card SuitCard(Suit suit, int rank) {
  return CardAt(static_cast<int>(suit) * kSuitSize + rank - 1);
}
constexpr Card Trump(int rank) { return CardAt(55 + rank); }

inline constexpr Card kExcuse = CardAt(77);
inline constexpr Card kPetit = Trump(1);
inline constexpr Card kTwentyOne = Trump(21);
inline constexpr Card kNoCard = CardAt(255);

constexpr bool IsCard(int index) { return index >= 0 && index < kCardCount; }
constexpr bool IsTrump(Card c) { return Index(c) >= 56 && Index(c) <= 76; }
constexpr Suit SuitOf(Card c) {
  if (c == kExcuse) return Suit::kNone;
  return Index(c) >= 56 ? Suit::kTrumps : static_cast<Suit>(Index(c) / kSuitSize);
}
// Returns 1..14 for a card of a suit, 1..21 for a trump, and 0 for the Excuse.
constexpr int RankOf(Card c) {
  if (c == kExcuse) return 0;
  return Index(c) >= 56 ? Index(c) - 55 : Index(c) % kSuitSize + 1;
}
constexpr bool IsBout(Card c) { return c == kPetit || c == kTwentyOne || c == kExcuse; }
constexpr bool IsKing(Card c) { return Index(c) < 56 && RankOf(c) == 14; }

// Returns the points of a card in half points: 9 for a bout or King, 7 for a Queen, 5 for a Knight,
// 3 for a Jack, 1 for any other card. The pack has 182 half points.
constexpr int HalfPoints(Card c) {
  if (IsBout(c)) return 9;
  if (Index(c) >= 56 || RankOf(c) <= 10) return 1;
  return 2 * (RankOf(c) - 10) + 1;
}

// A set of cards, stored in two words: one for suits, one for trumps and the Excuse. A loop over
// the set visits the cards in rising order of their numbers.
class CardSet {
 public:
  constexpr CardSet() = default;
  constexpr CardSet(std::initializer_list<Card> cards) {
    for (const Card c : cards) Insert(c);
  }
  // Makes a set from its two words. In `suits`, bits 0..55 are the suit cards. In `trumps`, bits
  // 0..20 are the trumps and bit 21 is the Excuse.
  static constexpr CardSet FromWords(std::uint64_t suits, std::uint64_t trumps) {
    CardSet set;
    set.suits_ = suits;
    set.trumps_ = trumps;
    return set;
  }
  static constexpr CardSet All() { return FromWords((1ull << 56) - 1, (1ull << 22) - 1); }
  static constexpr CardSet AllTrumps() { return FromWords(0, (1ull << 21) - 1); }
  static constexpr CardSet OfSuit(Suit s) {
    if (s == Suit::kTrumps) return AllTrumps();
    if (s == Suit::kNone) return CardSet{};
    return FromWords(((1ull << kSuitSize) - 1) << (kSuitSize * static_cast<int>(s)), 0);
  }
  static constexpr CardSet Kings() {
    constexpr std::uint64_t king = 1ull << 13;
    return FromWords(king | king << 14 | king << 28 | king << 42, 0);
  }
  static constexpr CardSet Bouts() { return FromWords(0, 1ull | 1ull << 20 | 1ull << 21); }
  // Returns the trumps above `rank` (0..21).
  static constexpr CardSet TrumpsAbove(int rank) {
    return FromWords(0, ((1ull << 21) - 1) & ~((1ull << rank) - 1));
  }

  constexpr std::uint64_t suits() const { return suits_; }
  constexpr std::uint64_t trumps() const { return trumps_; }

  constexpr void Insert(Card c) { *this |= Single(c); }
  constexpr void Erase(Card c) { *this -= Single(c); }
  constexpr bool Contains(Card c) const { return !(*this & Single(c)).Empty(); }
  constexpr bool ContainsAll(CardSet other) const { return (other - *this).Empty(); }
  constexpr bool Empty() const { return (suits_ | trumps_) == 0; }
  constexpr int Size() const { return std::popcount(suits_) + std::popcount(trumps_); }

  // First() and Last() return the cards with the lowest and the highest number. The set must not be
  // empty.
  constexpr Card First() const {
    return suits_ != 0 ? CardAt(std::countr_zero(suits_)) : CardAt(56 + std::countr_zero(trumps_));
  }
  constexpr Card Last() const {
    return trumps_ != 0 ? CardAt(119 - std::countl_zero(trumps_))
                        : CardAt(63 - std::countl_zero(suits_));
  }

  constexpr CardSet& operator|=(CardSet o) {
    suits_ |= o.suits_;
    trumps_ |= o.trumps_;
    return *this;
  }
  constexpr CardSet& operator&=(CardSet o) {
    suits_ &= o.suits_;
    trumps_ &= o.trumps_;
    return *this;
  }
  constexpr CardSet& operator-=(CardSet o) {
    suits_ &= ~o.suits_;
    trumps_ &= ~o.trumps_;
    return *this;
  }
  friend constexpr CardSet operator|(CardSet a, CardSet b) { return a |= b; }
  friend constexpr CardSet operator&(CardSet a, CardSet b) { return a &= b; }
  friend constexpr CardSet operator-(CardSet a, CardSet b) { return a -= b; }
  friend constexpr bool operator==(const CardSet&, const CardSet&) = default;

  class Iterator {
   public:
    constexpr Iterator(std::uint64_t suits, std::uint64_t trumps)
        : suits_(suits), trumps_(trumps) {}
    constexpr Card operator*() const { return FromWords(suits_, trumps_).First(); }
    constexpr Iterator& operator++() {
      std::uint64_t& word = suits_ != 0 ? suits_ : trumps_;
      word &= word - 1;
      return *this;
    }
    friend constexpr bool operator==(const Iterator&, const Iterator&) = default;

   private:
    std::uint64_t suits_, trumps_;
  };
  constexpr Iterator begin() const { return Iterator(suits_, trumps_); }
  constexpr Iterator end() const { return Iterator(0, 0); }

 private:
  static constexpr CardSet Single(Card c) {
    return Index(c) < 56 ? FromWords(1ull << Index(c), 0) : FromWords(0, 1ull << (Index(c) - 56));
  }

  std::uint64_t suits_ = 0;
  std::uint64_t trumps_ = 0;
};

// Returns the Jacks, Knights, Queens and Kings of the pack.
constexpr CardSet Courts() {
  constexpr std::uint64_t courts = 0b1111ull << 10;
  return CardSet::FromWords(courts | courts << 14 | courts << 28 | courts << 42, 0);
}

// Returns the half points of all cards of `set`.
constexpr int HalfPoints(CardSet set) {
  int sum = 0;
  for (const Card c : set) sum += HalfPoints(c);
  return sum;
}

static_assert(HalfPoints(CardSet::All()) == kTotalHalfPoints &&
              CardSet::All().Size() == kCardCount && Courts().Size() == 16);

// Returns the name of a card for people. TDN (docs/notation.md) and error messages use this name. A
// card of a suit has two characters: "HK" is the King of hearts, and "DT" is the ten of diamonds.
// The trumps are "T1".."T21", and the Excuse is "X".
std::string CardName(Card card);

// Returns the name of a card for programs. Tests and test vectors (tests/data/vectors) use this
// name. A card of a suit has the letter of the suit and the rank as a number: "H14" is the King of
// hearts. The trumps are "T1".."T21", and the Excuse is "EX".
std::string CardText(Card card);

// Reads the texts of CardText(); returns nullopt for any other text.
std::optional<Card> ParseCard(absl::string_view text);

}  // namespace tarot::rules
