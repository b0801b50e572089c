#include "libs/rules/playout.h"

#include <bit>

#include "libs/base/check.h"
#include "libs/rules/playout_bits.h"

namespace tarot::rules {
namespace {

// Everything below is inlined into the loop of each instruction set, so that the loop's own set is
// used throughout.
#define TAROT_INLINE [[gnu::always_inline]] inline

using Words = Playout::Words;

constexpr int kTrumpStrength = 64;  // Above every bit of a suit.

// Position of the set bit number n of a byte.
constexpr auto kSelectInByte = [] {
  std::array<std::array<std::uint8_t, 8>, 256> table{};
  for (std::size_t byte = 0; byte < 256; ++byte) {
    std::size_t n = 0;
    for (std::uint8_t bit = 0; bit < 8; ++bit) {
      if ((byte >> bit & 1) != 0) table[byte][n++] = bit;
    }
  }
  return table;
}();

constexpr std::size_t At(Seat seat) { return static_cast<std::size_t>(seat); }
constexpr Words WordsOf(CardSet set) { return {set.suits(), set.trumps()}; }

// The called suit is barred from the first trick, where the hand has anything else.
Words WithoutCalledSuit(const Playout& p, Words legal) {
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

// For whole tricks the Excuse is bit 0 of both words of a hand, and suits and trumps start at bit
// 1: so a follower's legal cards all lie in one word.
constexpr std::uint64_t kExcuseLow = 1;
// The bits after each suit.
constexpr std::uint64_t kSuitEnds =
    (1ull << kSuitSize | 1ull << 2 * kSuitSize | 1ull << 3 * kSuitSize | 1ull << 4 * kSuitSize)
    << 1;

TAROT_INLINE Words Pack(Words cards) {
  const std::uint64_t excuse = cards[1] >> 21;
  return {cards[0] << 1 | excuse, (cards[1] & kTrumpBits) << 1 | excuse};
}

// The Excuse is in either word, or in both.
TAROT_INLINE Words Unpack(Words packed) {
  const std::uint64_t excuse = (packed[0] | packed[1]) & kExcuseLow;
  return {packed[0] >> 1, packed[1] >> 1 | excuse << 21};
}

// How the set bit number `n` (from 0) of a word is found. OrNone: 0 where there is none, for n of
// -24 to 63. OfTrumps: of a hand's second word. OfSuit: of the Excuse, if `excuse` is 1, and
// `cards`, which are of `suit`.
struct PortableSelect {
  TAROT_INLINE static std::uint64_t Bit(std::uint64_t word, int n) { return Find<32>(word, n); }
  TAROT_INLINE static std::uint64_t OrNone(std::uint64_t word, int n) {
    return n < 0 || n >= std::popcount(word) ? 0 : Bit(word, n);
  }
  TAROT_INLINE static std::uint64_t OfTrumps(std::uint64_t word, int n) {
    return Find<16>(word, n);
  }
  TAROT_INLINE static std::uint64_t OfSuit(std::uint64_t cards, std::uint64_t suit,
                                           std::uint64_t excuse, int n) {
    const int shift = std::countr_zero(suit);
    const int rest = n - static_cast<int>(excuse);
    const std::uint64_t bit = Find<8>(cards >> shift, rest < 0 ? 0 : rest) << shift;
    return rest < 0 ? kExcuseLow : bit;
  }

 private:
  // Of a word of at most 2 * kHalf bits, by halves, then a table: a loop over the bits would
  // mispredict its end at nearly every card.
  template <int kHalf>
  TAROT_INLINE static std::uint64_t Find(std::uint64_t word, int n) {
    int base = 0;
    for (int width = kHalf; width >= 8; width /= 2) {
      const int low = std::popcount(word & ((1ull << width) - 1));
      const int up = n >= low ? -1 : 0;
      n -= low & up;
      base += width & up;
      word >>= width & up;
    }
    return 1ull << (base + kSelectInByte[word & 0xFF][static_cast<std::size_t>(n)]);
  }
};

struct Bmi2Select {
  TAROT_INLINE static std::uint64_t Bit(std::uint64_t word, int n) {
    // As text, for the compiler offers the intrinsic only to functions that name the instruction
    // set, and those cannot share the code above.
    std::uint64_t bit = 1ull << n;
    __asm__("pdepq %1, %0, %0" : "+r"(bit) : "r"(word));
    return bit;
  }
  TAROT_INLINE static std::uint64_t OrNone(std::uint64_t word, int n) { return Bit(word, n & 63); }
  TAROT_INLINE static std::uint64_t OfTrumps(std::uint64_t word, int n) { return Bit(word, n); }
  TAROT_INLINE static std::uint64_t OfSuit(std::uint64_t cards, std::uint64_t, std::uint64_t excuse,
                                           int n) {
    return Bit(cards | excuse, n);
  }
};

// A number below `count`, which is at most 32, from the upper half of `random`.
TAROT_INLINE int Lot(std::uint64_t random, int count) {
  return static_cast<int>((random >> 32) * static_cast<std::uint64_t>(count) >> 32);
}

// Card number `n` of a packed hand, in this order: the Excuse, suits, trumps.
template <typename Select>
TAROT_INLINE Words CardOf(Words hand, int n) {
  return {Select::OrNone(hand[0], n),
          Select::OrNone(hand[1] & ~kExcuseLow, n - std::popcount(hand[0]))};
}

// A trick while it is played, its cards packed.
struct Table {
  Words cards{};
  std::uint64_t suit = 0;            // Asked for; 0 for trumps.
  std::uint64_t below = kExcuseLow;  // Trumps up to the highest on the table.
  std::uint64_t best = 0;            // The winning card of a suit; all bits when a trump wins.
  Seat winner = kNoSeat;
  bool asked = false;
};

// Any card of `hand`, of which there are `count`.
template <typename Select>
TAROT_INLINE Words Lead(Table& table, Words hand, int count, Seat seat, std::uint64_t random) {
  const Words card = CardOf<Select>(hand, Lot(random, count));
  table.asked = card[0] != kExcuseLow;
  const std::uint64_t ends = kSuitEnds & ~(2 * card[0] - 1);
  const std::uint64_t end = ends & -ends;  // After the suit of the card, 0 for a trump.
  table.suit = end - (end >> kSuitSize);
  table.below |= (card[1] << 1) - (card[1] != 0 ? 1 : 0);
  table.best = card[1] != 0 ? ~0ull : card[0];
  table.winner = seat;  // The Excuse wins only over nothing.
  return card;
}

// With branches on what may be played: guessed right, as mostly, this card need not wait for the
// one before it.
template <typename Select>
TAROT_INLINE Words Follow(Table& table, Words hand, Seat seat, std::uint64_t random) {
  const std::uint64_t excuse = hand[0] & kExcuseLow;
  const std::uint64_t follow = hand[0] & table.suit;
  if (follow != 0) {
    const int n = Lot(random, std::popcount(follow | excuse));
    const std::uint64_t card = Select::OfSuit(follow, table.suit, excuse, n);
    const std::uint64_t strength = card & table.suit;
    table.winner = strength > table.best ? seat : table.winner;
    table.best = strength > table.best ? strength : table.best;
    return {card, 0};
  }
  if ((hand[1] & ~kExcuseLow) != 0) {
    const std::uint64_t over = hand[1] & ~table.below;
    const std::uint64_t legal = over != 0 ? over | excuse : hand[1];
    const std::uint64_t card = Select::OfTrumps(legal, Lot(random, std::popcount(legal)));
    table.winner = card > table.below ? seat : table.winner;
    table.best = card > table.below ? ~0ull : table.best;
    table.below |= 2 * card - 1;
    return {0, card};
  }
  return {Select::Bit(hand[0], Lot(random, std::popcount(hand[0]))), 0};
}

template <int kPlayers>
TAROT_INLINE Seat NextSeat(Seat seat) {
  if (kPlayers == 4) return (seat + 1) & 3;  // Shorter than the comparison; a card waits for it.
  return seat + 1 == kPlayers ? 0 : seat + 1;
}

template <typename Select, int kPlayers>
TAROT_INLINE void PlayTricks(Playout& playout, Rng& rng) {
  Playout p = playout;
  while (p.size > 0 || p.FirstTrickBarred()) {  // A trick begun, or one with a bar.
    const Words legal = LegalWords(p);
    const int n = Lot(rng.Next(), std::popcount(legal[0]) + std::popcount(legal[1]));
    const Words card = Unpack(CardOf<Select>(Pack(legal), n));
    const unsigned word = card[0] != 0 ? 0 : 1;
    PlayBit(p, word, std::countr_zero(card[word]));
  }
  std::array<std::uint64_t, kPlayers> suits;
  std::array<std::uint64_t, kPlayers> trumps;
  for (std::size_t seat = 0; seat < kPlayers; ++seat) {
    const Words hand = Pack(p.hands[seat]);
    suits[seat] = hand[0];
    trumps[seat] = hand[1];
  }
  while (p.tricks_left > 0) {
    Table table;
    Seat seat = p.turn;
    // Before the branches of the trick, so that a card after a wrong guess does not wait for its
    // own.
    std::array<std::uint64_t, kPlayers> random;
    for (std::uint64_t& x : random) x = rng.Next();
#pragma GCC unroll 5
    for (std::size_t k = 0; k < kPlayers; ++k) {
      const Words hand = {suits[At(seat)], trumps[At(seat)]};
      // Who has not played to this trick has a card for each that is left.
      const Words card = !table.asked ? Lead<Select>(table, hand, p.tricks_left, seat, random[k])
                                      : Follow<Select>(table, hand, seat, random[k]);
      suits[At(seat)] = hand[0] ^ (card[0] | (card[1] & kExcuseLow));
      trumps[At(seat)] = hand[1] ^ (card[1] | (card[0] & kExcuseLow));
      table.cards[0] |= card[0];
      table.cards[1] |= card[1];
      seat = NextSeat<kPlayers>(seat);
    }
    p.winner = table.winner;
    EndTrick(p, Unpack(table.cards), seat);  // It has come round to the leader.
  }
  p.hands = {};
  playout = p;
}

template <typename Select>
TAROT_INLINE void PlayToEnd(Playout& playout, Rng& rng) {
  if (playout.players == 3) return PlayTricks<Select, 3>(playout, rng);
  if (playout.players == 4) return PlayTricks<Select, 4>(playout, rng);
  PlayTricks<Select, 5>(playout, rng);
}

#if defined(__x86_64__)
[[gnu::target("bmi,bmi2")]] void PlayToEndBmi2(Playout& playout, Rng& rng) {
  PlayToEnd<Bmi2Select>(playout, rng);
}
#endif

void PlayToEndPortable(Playout& playout, Rng& rng) { PlayToEnd<PortableSelect>(playout, rng); }

// Without a branch: any seat may hold it, so that one would be guessed wrong most of the time.
Seat HolderOf(const Playout& p, std::uint64_t trump_bit) {
  Seat holder = kNoSeat;
  for (Seat seat = 0; seat < kPlayersMax; ++seat) {
    holder = (p.hands[At(seat)][1] & trump_bit) != 0 ? seat : holder;
  }
  return holder;
}

}  // namespace

CardSet Playout::Legal() const {
  const Words legal = LegalWords(*this);
  return CardSet::FromWords(legal[0], legal[1]);
}

void Playout::Play(Card card) {
  const bool suit_card = Index(card) < 56;
  PlayBit(*this, suit_card ? 0 : 1, Index(card) - (suit_card ? 0 : 56));
}

Seat PlayoutSeat(const Deal& deal, Seat seat) {
  if (deal.sits_out == kNoSeat || seat == kNoSeat) return seat;
  return (seat - deal.sits_out - 1 + deal.players) % deal.players;
}

Playout StartPlayout(const Deal& deal) {
  TAROT_CHECK(deal.taker != kNoSeat);
  Playout p;
  if (deal.sits_out == kNoSeat) {
    for (std::size_t seat = 0; seat < p.hands.size(); ++seat) {
      p.hands[seat] = WordsOf(deal.hands[seat]);
    }
  } else {
    for (Seat seat = 0; seat < deal.players; ++seat) {
      if (seat == deal.sits_out) continue;
      p.hands[At(PlayoutSeat(deal, seat))] = WordsOf(deal.hands[At(seat)]);
    }
  }
  p.above = kTrumpBits;
  p.turn = PlayoutSeat(deal, deal.turn);
  p.tricks_left = deal.rules.HandSize(deal.players);
  p.players = deal.playing;
  p.attack = 1u << PlayoutSeat(deal, deal.taker);
  if (deal.partner != kNoSeat) p.attack |= 1u << PlayoutSeat(deal, deal.partner);
  p.petit_holder = HolderOf(p, kPetitBit);
  p.excuse_holder = HolderOf(p, kExcuseBit);
  const bool may_win = deal.rules.excuse_slam_wins_when_led;
  p.excuse_may_win = {may_win && deal.rules.excuse_slam_applies_to_defence, may_win};
  if (deal.called_card != kNoCard && deal.rules.call_lead != CallLead::kFree) {
    p.barred = WordsOf(CardSet::OfSuit(SuitOf(deal.called_card)));
    p.called = WordsOf(CardSet{deal.called_card});
    p.barred_to_all = deal.rules.call_lead == CallLead::kSuitBarredWholeTrick;
  }
  return p;
}

bool HasBmi2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("bmi2") != 0;
#else
  return false;
#endif
}

void PlayAtRandom(Playout& playout, Rng& rng, PlayoutCode code) {
#if defined(__x86_64__)
  if (code == PlayoutCode::kBmi2) return PlayToEndBmi2(playout, rng);
#endif
  PlayToEndPortable(playout, rng);
}

void PlayAtRandom(Playout& playout, Rng& rng) {
  static const PlayoutCode code = HasBmi2() ? PlayoutCode::kBmi2 : PlayoutCode::kPortable;
  PlayAtRandom(playout, rng, code);
}

}  // namespace tarot::rules
