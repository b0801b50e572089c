// The play of one deal with every hand known, at full speed: no allocation, no history, no checks,
// hardly a branch. Its test compares it card by card and score by score with rules::Deal.
#pragma once

#include <array>
#include <cstdint>

#include "libs/base/rng.h"
#include "libs/rules/deal.h"

namespace tarot::rules {

struct Playout {
  // A set of cards in the two words of CardSet, which an index can choose between.
  using Words = std::array<std::uint64_t, 2>;

  // What changes with a card.
  std::array<Words, kPlayersMax> hands{};
  Words trick{};            // The cards on the table.
  std::uint64_t suit = 0;   // Suit asked for, as bits of the first word; 0 for trumps or nothing.
  std::uint64_t above = 0;  // Trumps above the highest on the table, as bits of the second.
  bool asked = false;       // Whether a card that is not the Excuse has been played.
  int best = 0;             // Strength of the winning card.
  Seat winner = kNoSeat;
  Seat turn = kNoSeat;
  int size = 0;

  // What changes with a trick.
  Words attack_cards{};  // All that the attack has won.
  int tricks_left = 0;
  int attack_tricks = 0;
  int defence_tricks = 0;
  int petit_left = -1;  // `tricks_left` after the trick with the Petit; -1 when none.
  Seat petit_winner = kNoSeat;
  int excuse_left = -1;  // The same for the Excuse.
  Seat excuse_winner = kNoSeat;
  bool excuse_led_slam = false;  // It was led to the last trick of a slam, and won it.

  // What stays.
  int players = 4;
  unsigned attack = 0;  // Bit by seat: taker and partner.
  Seat petit_holder = kNoSeat;
  Seat excuse_holder = kNoSeat;
  Words barred{};              // First trick: the called suit,
  Words called{};              // the called card,
  bool barred_to_all = false;  // and whether followers may not play it either.
  bool first_trick = true;
  // Whether an Excuse led to the last trick may win it, by the camp that leads it: 0 defence,
  // 1 attack.
  std::array<bool, 2> excuse_may_win{true, true};

  bool Over() const { return tricks_left == 0; }
  // True while a suit is barred.
  bool FirstTrickBarred() const { return first_trick && (barred[0] | barred[1]) != 0; }
  // What the seat in turn may play; not when the deal is over.
  CardSet Legal() const;
  // Plays `card`, which is in Legal().
  void Play(Card card);
};

// The seat's number in a play-out of `deal`: its own, or, where a seat sits out, counted from the
// seat after that.
Seat PlayoutSeat(const Deal& deal, Seat seat);

// The play of `deal`, which stands at its first card and has a taker.
Playout StartPlayout(const Deal& deal);

// Plays to the end, every legal card equally likely (to one part in 2^27). The fastest code that
// this processor can run; the same cards whichever that is.
void PlayAtRandom(Playout& playout, Rng& rng);

// Which instructions PlayAtRandom may use; kPortable runs everywhere, kBmi2 where HasBmi2().
enum class PlayoutCode : std::uint8_t { kPortable, kBmi2 };
bool HasBmi2();
void PlayAtRandom(Playout& playout, Rng& rng, PlayoutCode code);

// What the formula asks of a play-out that is over: the same as of `deal`, had it been played so.
ScoreInput CountPlayout(const Deal& deal, const Playout& playout);

}  // namespace tarot::rules
