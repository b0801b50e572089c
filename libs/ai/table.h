// The play of one deal with every hand known, made for speed: no allocation, no history, no checks.
// Its test compares it card by card and point by point with rules::Deal.
#pragma once

#include <array>

#include "libs/rules/scoring.h"
#include "libs/rules/view.h"

namespace tarot::ai {

// A guess at everything that a view does not show.
struct World {
  std::array<rules::CardSet, rules::kPlayersMax> hands;
  rules::CardSet aside;  // In no hand: the dog that nobody took, or the hidden part of the écart.
};

struct Table {
  // Tricks won by a seat; the Excuse is counted apart.
  struct Gathered {
    int half_points = 0;
    int bouts = 0;
    int courts = 0;
    int tricks = 0;
  };

  int players = 4;
  int playing = 4;  // Seats with cards, and the one without.
  rules::Seat sits_out = rules::kNoSeat;
  rules::Seat turn = rules::kNoSeat;
  rules::Seat taker = rules::kNoSeat;
  unsigned attack =
      0;  // Bit by seat: the taker and the partner, or the viewer where all play alone.
  std::array<rules::CardSet, rules::kPlayersMax> hands;
  rules::CardSet held;    // In any hand: what is still to come.
  rules::CardSet barred;  // May not be led to the first trick: the called suit.
  std::array<bool, 2> excuse_may_win{true, true};  // Led to a slam's last trick; defence, attack.

  // The trick in play.
  int size = 0;
  unsigned waiting = 0;  // Bit by seat: has not played to it yet.
  rules::CardSet trick;
  rules::Suit led = rules::Suit::kNone;  // kNone until a card that is not the Excuse.
  rules::Card winning = rules::kNoCard;
  rules::Seat winner = rules::kNoSeat;

  // What everybody has seen, for the judgement of the players; by suit, trumps last.
  std::array<std::uint8_t, 5> voids{};  // Bit by seat: did not follow when it was due.
  std::array<std::array<std::uint8_t, 2>, 5> led_by{};  // How often defence and attack led it.

  // The tricks before it.
  int tricks_played = 0;
  unsigned winners = 0;  // Bit by seat: has won a trick.
  std::array<Gathered, rules::kPlayersMax> gathered;
  int petit_trick = -1;
  rules::Seat petit_owner = rules::kNoSeat;
  rules::Seat petit_winner = rules::kNoSeat;
  int excuse_trick = -1;
  rules::Seat excuse_owner = rules::kNoSeat;
  rules::Seat excuse_winner = rules::kNoSeat;  // Of the trick that it lay in.
  bool excuse_led_slam = false;   // It was led to the last trick of a slam, and won it,
  bool excuse_ends_slam = false;  // or at least stayed with its camp.

  rules::CardSet& Hand(rules::Seat s) { return hands[static_cast<std::size_t>(s)]; }
  const rules::CardSet& Hand(rules::Seat s) const { return hands[static_cast<std::size_t>(s)]; }
  bool InAttack(rules::Seat s) const { return (attack >> s & 1u) != 0; }
  bool SameCamp(rules::Seat a, rules::Seat b) const { return InAttack(a) == InAttack(b); }
  unsigned Everybody() const {
    const unsigned all = (1u << players) - 1;
    return sits_out == rules::kNoSeat ? all : all & ~(1u << sits_out);
  }
  unsigned OpponentsOf(rules::Seat s) const { return InAttack(s) ? ~attack & Everybody() : attack; }
  bool CampHasAllTricks(rules::Seat s) const { return (winners & OpponentsOf(s)) == 0; }
  bool Over() const { return held.Empty(); }

  // What the seat in turn may play; its hand is not empty.
  rules::CardSet Legal() const;
  // Plays `card`, which is in Legal().
  void Play(rules::Card card);

 private:
  void EndTrick();
};

// The table that `view`, of a deal in play, shows, with the hidden cards of `world`.
Table MakeTable(const rules::View& view, const World& world);

// What a deal that was played to its end asks of the formula.
rules::ScoreInput Count(const rules::View& view, const World& world, const Table& table);

// The points of seat `view.viewer` for `input`; there is a taker.
int PointsOfViewer(const rules::View& view, const Table& table, const rules::ScoreInput& input);

// The points of seat `view.viewer` at the end.
int Points(const rules::View& view, const World& world, const Table& table);

}  // namespace tarot::ai
