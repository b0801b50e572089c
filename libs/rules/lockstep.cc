#include "libs/rules/lockstep.h"

#include <algorithm>
#include <bit>

#include "libs/base/check.h"
#include "libs/rules/lockstep_engine.h"

namespace tarot::rules {
namespace {

constexpr std::uint64_t kSuitMask = (1ull << kSuitSize) - 1;

// A set of cards as six words, one lane of each; `marks` are set in the last. The high trumps and
// the Excuse lie there as in CardSet.
void PutWords(const Playout::Words& cards, unsigned marks, std::size_t lane,
              LockstepLanes (&lanes)[kLockstepWords]) {
  const auto put = [&](int w, std::uint64_t word) {
    lanes[w].lane[lane] = static_cast<std::uint16_t>(word);
  };
  put(0, cards[0] & kSuitMask);
  put(1, cards[0] >> kSuitSize & kSuitMask);
  put(2, cards[0] >> 2 * kSuitSize & kSuitMask);
  put(3, cards[0] >> 3 * kSuitSize);
  put(4, cards[1] & kLowTrumpBits);
  put(5, cards[1] >> kLowTrumps | marks);
}

Playout::Words WordsFrom(const LockstepLanes (&lanes)[kLockstepWords], std::size_t lane) {
  const auto word = [&](int w) -> std::uint64_t { return lanes[w].lane[lane]; };
  return {word(0) | word(1) << kSuitSize | word(2) << 2 * kSuitSize | word(3) << 3 * kSuitSize,
          word(4) | word(5) << kLowTrumps};
}

std::uint16_t Mark(int tricks_left, std::uint16_t value) {
  return tricks_left < 0 ? kNever : value;
}

void Put(const Playout& p, std::size_t lane, LockstepState& state) {
  Seat seat = p.turn;
  for (int at = 0; at < p.players; ++at) {
    const unsigned attacks = p.attack >> seat & 1u;
    const unsigned marks = static_cast<unsigned>(seat) << kSeatShift | attacks * kAttackerBit |
                           p.excuse_may_win[attacks] * kExcuseMayWinBit;
    PutWords(p.hands[static_cast<std::size_t>(seat)], marks, lane, state.hands[at]);
    seat = seat + 1 == p.players ? 0 : seat + 1;
  }
  PutWords(p.attack_cards, 0, lane, state.attack_cards);
  state.attack_tricks.lane[lane] = static_cast<std::uint16_t>(p.attack_tricks);
  state.defence_tricks.lane[lane] = static_cast<std::uint16_t>(p.defence_tricks);
  const auto seat_bits = [](Seat s) { return static_cast<std::uint16_t>(s << kSeatShift); };
  state.petit_left.lane[lane] = static_cast<std::uint16_t>(p.petit_left);
  state.petit_winner.lane[lane] = Mark(p.petit_left, seat_bits(p.petit_winner));
  state.excuse_left.lane[lane] = static_cast<std::uint16_t>(p.excuse_left);
  state.excuse_winner.lane[lane] = Mark(p.excuse_left, seat_bits(p.excuse_winner));
}

int NumberFrom(std::uint16_t x) { return static_cast<std::int16_t>(x); }
Seat SeatFrom(std::uint16_t last_word) { return (last_word & kSeatBits) >> kSeatShift; }

void Take(const LockstepState& state, std::size_t lane, Playout& p) {
  p.tricks_left = 0;
  p.attack_cards = WordsFrom(state.attack_cards, lane);
  p.attack_tricks = state.attack_tricks.lane[lane];
  p.defence_tricks = state.defence_tricks.lane[lane];
  p.petit_left = NumberFrom(state.petit_left.lane[lane]);
  if (p.petit_left >= 0) p.petit_winner = SeatFrom(state.petit_winner.lane[lane]);
  p.excuse_left = NumberFrom(state.excuse_left.lane[lane]);
  if (p.excuse_left >= 0) p.excuse_winner = SeatFrom(state.excuse_winner.lane[lane]);
  p.excuse_led_slam = state.excuse_led_slam.lane[lane] != 0;
}

void Append(const LockstepRecord& record, int tricks, int players, std::size_t lane,
            std::vector<Card>& played) {
  for (int t = 0; t < tricks; ++t) {
    for (int at = 0; at < players; ++at) {
      const int bit = std::countr_zero(record.bit[t][at].lane[lane]);
      const int word = record.word[t][at].lane[lane];
      const int base = word < 5 ? word * kSuitSize : 4 * kSuitSize + kLowTrumps;
      played.push_back(CardAt(base + bit));
    }
  }
}

using Run = void (*)(LockstepState& state, int players, LockstepRecord* record);

Run RunOf(LockstepCode code) {
#if defined(__x86_64__)
  if (code == LockstepCode::kAvx512) return &LockstepAvx512;
  if (code == LockstepCode::kAvx2) return &LockstepAvx2;
#endif
  TAROT_CHECK(code == LockstepCode::kPortable);
  return &LockstepPortable;
}

// Up to 32 worlds that stand between two tricks.
void PlayBlock(absl::Span<Playout> worlds, Rng& rng, Run run, std::vector<Card>* played) {
  const int players = worlds[0].players;
  LockstepState state;
  state.tricks_left = worlds[0].tricks_left;
  for (std::size_t lane = 0; lane < kLockstepWorlds; ++lane) {
    Put(worlds[std::min(lane, worlds.size() - 1)], lane, state);
  }
  for (auto& half : state.random) {
    for (std::uint64_t& word : half) word = rng.Next();
  }
  LockstepRecord record;
  run(state, players, played == nullptr ? nullptr : &record);
  for (std::size_t lane = 0; lane < worlds.size(); ++lane) {
    Take(state, lane, worlds[lane]);
    if (played != nullptr) Append(record, state.tricks_left, players, lane, played[lane]);
  }
}

void PlayOne(Playout& p, Rng& rng, std::vector<Card>* played) {
  const CardSet legal = p.Legal();
  auto n = (rng.Next() >> 32) * static_cast<std::uint64_t>(legal.Size()) >> 32;
  auto card = legal.begin();
  while (n-- > 0) ++card;
  p.Play(*card);
  if (played != nullptr) played->push_back(*card);
}

// Plays each world to where all stand between two tricks, with the same number to come and no suit
// barred.
void Align(absl::Span<Playout> worlds, Rng& rng, PlayedCards* played) {
  int least = worlds[0].tricks_left;
  for (const Playout& p : worlds) {
    TAROT_CHECK(p.players == worlds[0].players);
    least = std::min(least, p.tricks_left - (p.size > 0 || p.FirstTrickBarred() ? 1 : 0));
  }
  for (std::size_t i = 0; i < worlds.size(); ++i) {
    while (worlds[i].tricks_left > least) {
      PlayOne(worlds[i], rng, played == nullptr ? nullptr : &(*played)[i]);
    }
  }
}

}  // namespace

bool CanRun(LockstepCode code) {
#if defined(__x86_64__)
  switch (code) {
    case LockstepCode::kAvx512:
      return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi") &&
             __builtin_cpu_supports("avx512bitalg");
    case LockstepCode::kAvx2:
      return __builtin_cpu_supports("avx2");
    case LockstepCode::kPortable:
      break;
  }
#endif
  return code == LockstepCode::kPortable;
}

void PlayAllAtRandom(absl::Span<Playout> worlds, Rng& rng, LockstepCode code, PlayedCards* played) {
  if (played != nullptr) played->assign(worlds.size(), {});
  if (worlds.empty()) return;
  Align(worlds, rng, played);
  for (std::size_t i = 0; i < worlds.size(); i += kLockstepWorlds) {
    PlayBlock(worlds.subspan(i, kLockstepWorlds), rng, RunOf(code),
              played == nullptr ? nullptr : played->data() + i);
  }
}

void PlayAllAtRandom(absl::Span<Playout> worlds, Rng& rng, PlayedCards* played) {
  static const LockstepCode best = CanRun(LockstepCode::kAvx512) ? LockstepCode::kAvx512
                                   : CanRun(LockstepCode::kAvx2) ? LockstepCode::kAvx2
                                                                 : LockstepCode::kPortable;
  PlayAllAtRandom(worlds, rng, best, played);
}

}  // namespace tarot::rules
