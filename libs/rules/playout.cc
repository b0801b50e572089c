#include "libs/rules/playout.h"

#include "libs/base/check.h"
#include "libs/rules/playout_select.h"
#include "libs/rules/playout_step.h"

namespace tarot::rules {
namespace {

using namespace playout;

// The bits after each suit, packed.
constexpr std::uint64_t kSuitEnds =
    (1ull << kSuitSize | 1ull << 2 * kSuitSize | 1ull << 3 * kSuitSize | 1ull << 4 * kSuitSize)
    << 1;

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
