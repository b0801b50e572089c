// One card of a play-out at a time, as Playout::Play() plays it: for playout.cc alone.
#pragma once

#include "libs/rules/playout.h"
#include "libs/rules/playout_bits.h"

namespace tarot::rules::playout {

// Inlined into the loop of each instruction set, so that the loop's own set is used throughout.
#define TAROT_INLINE [[gnu::always_inline]] inline

using Words = Playout::Words;

inline constexpr int kTrumpStrength = 64;  // Above every bit of a suit.

constexpr std::size_t At(Seat seat) { return static_cast<std::size_t>(seat); }
constexpr Words WordsOf(CardSet set) { return {set.suits(), set.trumps()}; }

// The called suit is barred from the first trick, where the hand has anything else.
inline Words WithoutCalledSuit(const Playout& p, Words legal) {
  const bool leads = p.size == 0;
  const bool called_led = ((p.trick[0] & p.called[0]) | (p.trick[1] & p.called[1])) != 0;
  if (!leads && (!p.barred_to_all || called_led)) return legal;
  const Words freed = leads ? p.called : Words{};
  const Words rest = {legal[0] & ~(p.barred[0] & ~freed[0]), legal[1] & ~(p.barred[1] & ~freed[1])};
  return (rest[0] | rest[1]) == 0 ? legal : rest;
}

// What `hand` may play when something is asked for: `suit` (0: trumps), else trumps, those of
// `above` first.
TAROT_INLINE Words Following(Words hand, std::uint64_t suit, std::uint64_t above) {
  const std::uint64_t follow = hand[0] & suit;
  const std::uint64_t all_trumps = hand[1] & kTrumpBits;
  const std::uint64_t over = all_trumps & above;
  const std::uint64_t trumps = over != 0 ? over : all_trumps;
  const std::uint64_t other = trumps != 0 ? 0 : hand[0];
  return {follow != 0 ? follow : other, (hand[1] & kExcuseBit) | (follow != 0 ? 0 : trumps)};
}

TAROT_INLINE Words LegalWords(const Playout& p) {
  const Words hand = p.hands[At(p.turn)];
  const Words legal = p.asked ? Following(hand, p.suit, p.above) : hand;
  if (p.FirstTrickBarred()) [[unlikely]]
    return WithoutCalledSuit(p, legal);
  return legal;
}

// Counts a trick that p.winner has won; an Excuse led to the last one may yet take it.
TAROT_INLINE void EndTrick(Playout& p, Words trick, Seat leader_of_trick) {
  --p.tricks_left;
  p.first_trick = false;
  if ((trick[1] & (kExcuseBit | kPetitBit)) != 0) {
    if ((trick[1] & kExcuseBit) != 0) {
      // Led to the last trick by a camp that has won all the others, it wins.
      const bool attacks = (p.attack >> p.excuse_holder & 1u) != 0;
      const int lost = attacks ? p.defence_tricks : p.attack_tricks;
      p.excuse_led_slam = p.tricks_left == 0 && leader_of_trick == p.excuse_holder && lost == 0 &&
                          p.excuse_may_win[attacks ? 1 : 0];
      if (p.excuse_led_slam) p.winner = leader_of_trick;
      p.excuse_left = p.tricks_left;
      p.excuse_winner = p.winner;
    }
    if ((trick[1] & kPetitBit) != 0) {
      p.petit_left = p.tricks_left;
      p.petit_winner = p.winner;
    }
  }
  const std::uint64_t attacks = p.attack >> p.winner & 1u;
  p.attack_cards[0] |= trick[0] & -attacks;
  p.attack_cards[1] |= trick[1] & -attacks;
  p.attack_tricks += static_cast<int>(attacks);
  p.defence_tricks += static_cast<int>(attacks ^ 1);
  p.turn = p.winner;
}

// Plays the card of bit `at` in word `word`.
TAROT_INLINE void PlayBit(Playout& p, unsigned word, int at) {
  const std::uint64_t bit = 1ull << at;
  p.hands[At(p.turn)][word] ^= bit;
  p.trick[word] |= bit;
  const bool excuse = word == 1 && bit == kExcuseBit;
  if (!p.asked) {
    if (p.size == 0) p.winner = p.turn;  // The Excuse wins only over nothing.
    if (!excuse) {
      p.asked = true;
      p.suit = word == 0 ? ((1ull << kSuitSize) - 1) << (at / kSuitSize * kSuitSize) : 0;
    }
  }
  const int suit_strength = (bit & p.suit) != 0 ? at + 1 : 0;
  const int trump_strength = excuse ? 0 : kTrumpStrength + at;
  const int strength = word == 0 ? suit_strength : trump_strength;
  p.winner = strength > p.best ? p.turn : p.winner;
  p.best = strength > p.best ? strength : p.best;
  p.above &= word == 0 || excuse ? ~0ull : ~0ull << at << 1;
  const Seat next = p.turn + 1;
  p.turn = next == p.players ? 0 : next;
  if (++p.size < p.players) return;
  EndTrick(p, p.trick, p.turn);  // It has come round to the leader.
  p.trick = {};
  p.suit = 0;
  p.above = kTrumpBits;
  p.asked = false;
  p.best = 0;
  p.size = 0;
}

}  // namespace tarot::rules::playout
