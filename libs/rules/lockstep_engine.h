// The play of many deals at once, one in each 16-bit lane of a processor's vectors; included by one
// file for each instruction set. No function here may be shared between those files by the linker,
// so nothing with functions of its own is included, and everything is a template on the lanes.
#pragma once

#include <cstdint>

#include "libs/rules/lockstep_pair.h"

namespace tarot::rules {

// A hand in six words: four suits (bit 0 the 1, bit 13 the King), trumps 1..14, and the rest.
inline constexpr int kLockstepWords = 6;
inline constexpr int kLowTrumps = 14;
inline constexpr std::uint16_t kLowTrumpBits = 0x3FFF;
// The last word: trumps 15..21, the Excuse, and who holds the hand.
inline constexpr std::uint16_t kHighTrumpBits = 0x7F;
inline constexpr std::uint16_t kLockstepExcuse = 0x80;
inline constexpr int kSeatShift = 8;
inline constexpr std::uint16_t kSeatBits = 0x0700;
inline constexpr std::uint16_t kAttackerBit = 0x4000;
inline constexpr std::uint16_t kExcuseMayWinBit = 0x8000;  // See Playout::excuse_may_win.

inline constexpr int kLockstepWorlds = 64;
inline constexpr int kLockstepStreams = kLockstepWorlds / 4;  // Four draws from each 64-bit number.
inline constexpr std::uint16_t kNever = 0xFFFF;

// One number of every world, by lane.
struct alignas(64) LockstepLanes {
  std::uint16_t lane[kLockstepWorlds];
};

// 64 worlds between two tricks, all with the same number of tricks to come.
struct LockstepState {
  LockstepLanes hands[5][kLockstepWords];  // By position, from the seat that leads.
  LockstepLanes attack_cards[kLockstepWords];
  LockstepLanes attack_tricks, defence_tricks;
  // As in Playout; kNever where that has -1. The seat is in the bits of a hand's last word.
  LockstepLanes petit_left, petit_winner, excuse_left, excuse_winner;
  LockstepLanes excuse_led_slam;  // 1 or 0.
  alignas(64) std::uint64_t random[2][kLockstepStreams];
  int tricks_left;
};

// The cards that were played, for tests: of trick t, position p and world w, the word (0..5) and
// the bit.
struct LockstepRecord {
  LockstepLanes word[24][5], bit[24][5];
};

// `L` is a set of operations on vectors V of L::kLanes worlds, and masks M of them.
template <typename L, int kPlayers, bool kRecord>
class LockstepEngine {
 public:
  using V = typename L::V;
  using M = typename L::M;

  // Plays the worlds from lane `first` on to the end.
  static void Run(LockstepState& state, int first, LockstepRecord* record) {
    LockstepEngine engine(state, first, record);
    while (engine.left_ > 1) engine.template PlayTrick<false>();
    if (engine.left_ == 1) engine.template PlayTrick<true>();
    engine.Store();
  }

 private:
  // What the cards on the table ask.
  struct Table {
    V led[4];               // All bits of the suit asked for; in no suit: trumps, or nothing yet.
    V excuse_led;           // All bits, or none.
    V past_low, past_high;  // The bit above the highest trump on the table, in each word.
    V best;                 // Strength of the card that wins,
    V winner;               // and its position.
  };
  // Strengths: a suit card is its bit, below all trumps.
  static constexpr std::uint16_t kLowTrump = 0x4000;
  static constexpr std::uint16_t kHighTrump = 0x8000;

  LockstepEngine(LockstepState& state, int first, LockstepRecord* record)
      : state_(state), first_(first), record_(record), left_(state.tricks_left) {
#pragma GCC unroll 8
    for (int p = 0; p < kPlayers; ++p) {
#pragma GCC unroll 8
      for (int w = 0; w < kLockstepWords; ++w) hand_[p][w] = Load(state.hands[p][w]);
    }
#pragma GCC unroll 8
    for (int w = 0; w < kLockstepWords; ++w) {
      attack_cards_[w] = Load(state.attack_cards[w]);
      held_[w] = Held(w);
    }
    attack_tricks_ = Load(state.attack_tricks);
    defence_tricks_ = Load(state.defence_tricks);
    petit_left_ = Load(state.petit_left);
    petit_winner_ = Load(state.petit_winner);
    excuse_left_ = Load(state.excuse_left);
    excuse_winner_ = Load(state.excuse_winner);
    excuse_led_slam_ = L::Zero();
    random_[0] = L::Load(reinterpret_cast<const std::uint16_t*>(state.random[0]) + first);
    random_[1] = L::Load(reinterpret_cast<const std::uint16_t*>(state.random[1]) + first);
  }

  void Store() {
#pragma GCC unroll 8
    for (int w = 0; w < kLockstepWords; ++w) Save(attack_cards_[w], state_.attack_cards[w]);
    Save(attack_tricks_, state_.attack_tricks);
    Save(defence_tricks_, state_.defence_tricks);
    Save(petit_left_, state_.petit_left);
    Save(petit_winner_, state_.petit_winner);
    Save(excuse_left_, state_.excuse_left);
    Save(excuse_winner_, state_.excuse_winner);
    Save(excuse_led_slam_, state_.excuse_led_slam);
  }

  V Load(const LockstepLanes& lanes) const { return L::Load(lanes.lane + first_); }
  void Save(V v, LockstepLanes& lanes) const { L::Store(lanes.lane + first_, v); }

  V Held(int w) const {
    V all = hand_[0][w];
#pragma GCC unroll 8
    for (int p = 1; p < kPlayers; ++p) all = L::Or(all, hand_[p][w]);
    return all;
  }

  // The cards of position `kAt` of the suit asked for.
  template <int kAt>
  V Follow(const Table& table) const {
    if constexpr (kAt == 0) return L::Zero();
    V follow = L::And(table.led[0], hand_[kAt][0]);
#pragma GCC unroll 8
    for (int s = 1; s < 4; ++s) follow = L::OrAnd(follow, table.led[s], hand_[kAt][s]);
    return follow;
  }

  // What position `kAt` may play: its six words in `legal`.
  template <int kAt>
  [[gnu::always_inline]] void Legal(const Table& table, V follow, V* legal) const {
    const V* hand = hand_[kAt];
    if constexpr (kAt == 0) {
      All(hand, legal);
    } else {
      const M cannot = L::NoneOf(follow);
      const V high_held = L::And(hand[5], L::Set(kHighTrumpBits));
      // Minus a bit is that bit and all above it.
      const V over_low = L::And(hand[4], L::Sub(L::Zero(), table.past_low));
      const V over_high = L::And(high_held, L::Sub(L::Zero(), table.past_high));
      const M over = L::Some(L::Or(over_low, over_high));
      const V low = L::Blend(over, hand[4], over_low);
      const V high = L::Blend(over, high_held, over_high);
      V any = L::Full(L::NoneOf(L::Or3(follow, low, high)));
      if constexpr (kAt == 1) any = L::Or(any, table.excuse_led);
#pragma GCC unroll 8
      for (int s = 0; s < 4; ++s) legal[s] = L::AndOr(hand[s], table.led[s], any);
      legal[4] = L::Keep(cannot, low);
      legal[5] = L::OrAnd(L::Keep(cannot, high), hand[5], L::Set(kLockstepExcuse));
    }
  }

  // Position `kAt` plays one of its legal cards; its only card to the last trick.
  template <int kAt, bool kLast>
  [[gnu::always_inline]] void PlayCard(Table& table) {
    V* hand = hand_[kAt];
    const V follow = Follow<kAt>(table);
    V chosen[kLockstepWords];  // The word in which the card lies; the other words are empty.
    V card;
    if constexpr (kLast) {
      All(hand, chosen);
      card = Joined(chosen);
    } else {
      V legal[kLockstepWords];
      Legal<kAt>(table, follow, legal);
      card = Draw(legal, chosen);
    }
#pragma GCC unroll 8
    for (int w = 0; w < kLockstepWords; ++w) hand[w] = L::XorAnd(hand[w], chosen[w], card);
    if constexpr (kRecord) Record(kAt, chosen, card);
    Place<kAt>(table, chosen, follow, card);
  }

  // One of the `legal` cards: the n-th, counting word by word.
  [[gnu::always_inline]] V Draw(const V* legal, V* chosen) {
    V up_to[kLockstepWords];
    up_to[0] = L::Count(legal[0]);
#pragma GCC unroll 8
    for (int w = 1; w < kLockstepWords; ++w) up_to[w] = L::Add(up_to[w - 1], L::Count(legal[w]));
    const V n = L::MulHigh(Random(), up_to[5]);
    M beyond = L::NotLess(n, up_to[0]);
    chosen[0] = L::Drop(beyond, legal[0]);
    V before = L::Keep(beyond, up_to[0]);
#pragma GCC unroll 8
    for (int w = 1; w < 5; ++w) {
      const M reached = beyond;
      beyond = L::NotLess(n, up_to[w]);
      chosen[w] = L::Keep(L::AndNot(reached, beyond), legal[w]);
      before = L::Blend(beyond, before, up_to[w]);
    }
    chosen[5] = L::Keep(beyond, legal[5]);
    return L::Select(Joined(chosen), L::Sub(n, before));
  }

  static V Joined(const V* words) {
    return L::Or(L::Or3(words[0], words[1], words[2]), L::Or3(words[3], words[4], words[5]));
  }

  // The words of a hand without the marks.
  static void All(const V* hand, V* cards) {
#pragma GCC unroll 8
    for (int w = 0; w < 5; ++w) cards[w] = hand[w];
    cards[5] = L::And(hand[5], L::Set(kHighTrumpBits | kLockstepExcuse));
  }

  // The card, of word `chosen`, on the table; `follow` are those of the suit asked for before.
  template <int kAt>
  [[gnu::always_inline]] void Place(Table& table, const V* chosen, V follow, V card) {
    const V low = L::And(chosen[4], card);
    const V high_or_excuse = L::And(chosen[5], card);
    const V high = L::And(high_or_excuse, L::Set(kHighTrumpBits));
    if constexpr (kAt < 2) {
      // The first card decides the suit; after an Excuse the second does.
      const V suit_card = L::Except(card, L::Or(low, high_or_excuse));
#pragma GCC unroll 8
      for (int s = 0; s < 4; ++s) {
        const V of_suit = L::Full(L::Some(L::And(chosen[s], card)));
        table.led[s] = kAt == 0 ? of_suit : L::OrAnd(table.led[s], table.excuse_led, of_suit);
      }
      if constexpr (kAt == 0) {
        table.excuse_led = L::Full(L::Some(L::Xor(high, high_or_excuse)));
        follow = suit_card;
      } else {
        follow = L::OrAnd(L::Except(follow, high_or_excuse), table.excuse_led, suit_card);
      }
    } else {
      follow = L::Except(follow, high_or_excuse);  // There an Excuse is no card of the suit.
    }
    V strength = L::And(card, follow);
    const M is_high = L::Some(high);
    strength = L::Blend(L::Some(low), strength, L::Or(card, L::Set(kLowTrump)));
    strength = L::Blend(is_high, strength, L::Or(card, L::Set(kHighTrump)));
    if constexpr (kAt == 0) {
      table.best = strength;
      table.winner = L::Zero();  // Of the Excuse too, which wins only over nothing.
    } else {
      const V best = L::Max(table.best, strength);
      table.winner = L::Blend(L::Differ(best, table.best), table.winner, L::Set(kAt));
      table.best = best;
    }
    if constexpr (kAt + 1 < kPlayers) {
      const V past_low = kAt == 0 ? L::Set(1) : table.past_low;
      const V past_high = kAt == 0 ? L::Set(1) : table.past_high;
      table.past_low = L::Blend(is_high, L::Max(past_low, L::Add(low, low)), L::Set(0x8000));
      table.past_high = L::Max(past_high, L::Add(high, high));
    }
  }

  template <bool kLast, int kAt = 0>
  [[gnu::always_inline]] void PlayCards(Table& table) {
    PlayCard<kAt, kLast>(table);
    if constexpr (kAt + 1 < kPlayers) PlayCards<kLast, kAt + 1>(table);
  }

  template <bool kLast>
  [[gnu::always_inline]] void PlayTrick() {
    Table table;
    PlayCards<kLast>(table);
    --left_;
    if constexpr (kLast) LedSlam(table);
    Turn(table.winner);
    // Now position 0 has won it.
    const M attacks = Attacks(hand_[0][5]);
    const V one = L::Set(1);
    attack_tricks_ = L::AddIf(attacks, attack_tricks_, one);
    defence_tricks_ = L::Add(defence_tricks_, L::Drop(attacks, one));
    V trick[kLockstepWords];
#pragma GCC unroll 8
    for (int w = 0; w < kLockstepWords; ++w) {
      const V held = Held(w);
      trick[w] = L::Xor(held_[w], held);
      attack_cards_[w] = L::OrIf(attacks, attack_cards_[w], trick[w]);
      held_[w] = held;
    }
    const V left = L::Set(static_cast<std::uint16_t>(left_));
    const M petit = L::Some(L::And(trick[4], one));
    petit_left_ = L::Blend(petit, petit_left_, left);
    petit_winner_ = L::Blend(petit, petit_winner_, hand_[0][5]);
    const M excuse = L::Some(L::And(trick[5], L::Set(kLockstepExcuse)));
    excuse_left_ = L::Blend(excuse, excuse_left_, left);
    excuse_winner_ = L::Blend(excuse, excuse_winner_, hand_[0][5]);
  }

  static M Attacks(V last_word) { return L::Some(L::And(last_word, L::Set(kAttackerBit))); }

  // The Excuse led to the last trick by a camp that has won all the others wins.
  void LedSlam(Table& table) {
    const V leader = hand_[0][5];
    const V lost = L::Blend(Attacks(leader), attack_tricks_, defence_tricks_);
    const V may_win = L::And(leader, L::Set(kExcuseMayWinBit));
    const M slam = L::AndNot(L::Some(L::And(table.excuse_led, may_win)), L::Some(lost));
    table.winner = L::Drop(slam, table.winner);
    excuse_led_slam_ = L::Keep(slam, L::Set(1));
  }

  // Moves the hands until the winner's is at position 0.
  void Turn(V winner) {
#pragma GCC unroll 8
    for (int step = 1; step < kPlayers; step *= 2) {
      const M turns = L::Some(L::And(winner, L::Set(static_cast<std::uint16_t>(step))));
#pragma GCC unroll 8
      for (int w = 0; w < kLockstepWords; ++w) {
        V turned[kPlayers];
#pragma GCC unroll 8
        for (int p = 0; p < kPlayers; ++p) {
          turned[p] = L::Blend(turns, hand_[p][w], hand_[(p + step) % kPlayers][w]);
        }
#pragma GCC unroll 8
        for (int p = 0; p < kPlayers; ++p) hand_[p][w] = turned[p];
      }
    }
  }

  // 16 bits for each world: xoroshiro128+, one generator for each four worlds.
  V Random() {
    const V first = random_[0];
    const V sum = L::Add64(first, random_[1]);
    const V both = L::Xor(random_[1], first);
    random_[0] =
        L::Xor(L::Xor(L::template Rotate64<24>(first), both), L::template Shift64<16>(both));
    random_[1] = L::template Rotate64<37>(both);
    return sum;
  }

  void Record(int at, const V* chosen, V card) const {
    const int trick = state_.tricks_left - left_;
    V word = L::Zero();
#pragma GCC unroll 8
    for (int w = 1; w < kLockstepWords; ++w) {
      word = L::Blend(L::Some(chosen[w]), word, L::Set(static_cast<std::uint16_t>(w)));
    }
    Save(word, record_->word[trick][at]);
    Save(card, record_->bit[trick][at]);
  }

  LockstepState& state_;
  const int first_;
  LockstepRecord* const record_;
  int left_;
  V hand_[kPlayers][kLockstepWords];
  V held_[kLockstepWords];  // By anybody.
  V attack_cards_[kLockstepWords];
  V attack_tricks_, defence_tricks_;
  V petit_left_, petit_winner_, excuse_left_, excuse_winner_, excuse_led_slam_;
  V random_[2];
};

template <typename L, bool kRecord>
void RunLockstep(LockstepState& state, int players, LockstepRecord* record) {
  for (int first = 0; first < kLockstepWorlds; first += L::kLanes) {
    if (players == 3) LockstepEngine<L, 3, kRecord>::Run(state, first, record);
    if (players == 4) LockstepEngine<L, 4, kRecord>::Run(state, first, record);
    if (players == 5) LockstepEngine<L, 5, kRecord>::Run(state, first, record);
  }
}

// Plays all worlds of `state` to the end; `record` may be nullptr.
void LockstepPortable(LockstepState& state, int players, LockstepRecord* record);
void LockstepAvx2(LockstepState& state, int players, LockstepRecord* record);
void LockstepAvx512(LockstepState& state, int players, LockstepRecord* record);

}  // namespace tarot::rules
