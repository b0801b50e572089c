// The play of one deal with all hands open, made for speed: no allocation, no history, no checks.
// Its test compares it card by card and point by point with rules::Deal.
#pragma once

#include <array>

#include "libs/rules/scoring.h"
#include "libs/rules/view.h"

namespace tarot::ai {

// One guess at all cards that a view does not show.
struct World {
  std::array<rules::CardSet, rules::kPlayersMax> hands;
  rules::CardSet aside;  // In no hand: a dog that was not taken, or the hidden part of the écart.
};

struct FastDeal {
  // The tricks won by a seat, without the Excuse.
  struct Gathered {
    int half_points = 0;
    int bouts = 0;
    int courts = 0;
    int tricks = 0;
  };

  int players = 4;
  int playing = 4;                        // Seats with cards.
  rules::Seat sits_out = rules::kNoSeat;  // The seat without cards, if there is one.
  rules::Seat turn = rules::kNoSeat;
  rules::Seat taker = rules::kNoSeat;
  // A bit for the seat of the taker and of the partner. Where all play alone: of the viewer.
  unsigned attack = 0;
  std::array<rules::CardSet, rules::kPlayersMax> hands;
  rules::CardSet held;    // The cards in all hands.
  rules::CardSet barred;  // The called suit, which may not be led to the first trick.
  // Whether the Excuse can win the last trick of a slam when it leads it; for defence and attack.
  std::array<bool, 2> excuse_may_win{true, true};

  // The trick in play.
  int size = 0;
  unsigned waiting = 0;  // A bit for each seat that has not played to it yet.
  rules::CardSet trick;
  rules::Suit led = rules::Suit::kNone;  // kNone until a card other than the Excuse.
  rules::Card winning = rules::kNoCard;
  rules::Seat winner = rules::kNoSeat;

  // Facts that all players have seen, by suit, trumps last.
  std::array<std::uint8_t, 5> voids{};  // A bit for each seat that could not follow.
  std::array<std::array<std::uint8_t, 2>, 5>
      led_by{};  // How often defence and attack led the suit.

  // The tricks before it.
  int tricks_played = 0;
  unsigned winners = 0;  // A bit for each seat that has won a trick.
  std::array<Gathered, rules::kPlayersMax> gathered;
  int petit_trick = -1;
  rules::Seat petit_owner = rules::kNoSeat;
  rules::Seat petit_winner = rules::kNoSeat;
  int excuse_trick = -1;
  rules::Seat excuse_owner = rules::kNoSeat;
  rules::Seat excuse_winner = rules::kNoSeat;  // The winner of the trick with the Excuse.
  bool excuse_led_slam = false;   // The Excuse led the last trick of a slam and won it.
  bool excuse_ends_slam = false;  // Its camp won all tricks, the last one with the Excuse in it.

  rules::CardSet& Hand(rules::Seat s) { return hands[static_cast<std::size_t>(s)]; }
  const rules::CardSet& Hand(rules::Seat s) const { return hands[static_cast<std::size_t>(s)]; }
  bool InAttack(rules::Seat s) const { return (attack >> s & 1u) != 0; }
  bool SameCamp(rules::Seat a, rules::Seat b) const { return InAttack(a) == InAttack(b); }
  unsigned AllSeats() const {
    const unsigned all = (1u << players) - 1;
    return sits_out == rules::kNoSeat ? all : all & ~(1u << sits_out);
  }
  unsigned OpponentsOf(rules::Seat s) const { return InAttack(s) ? ~attack & AllSeats() : attack; }
  bool CampHasAllTricks(rules::Seat s) const { return (winners & OpponentsOf(s)) == 0; }
  bool Over() const { return held.Empty(); }

  // Returns the cards that the seat in turn may play; its hand is not empty.
  rules::CardSet Legal() const;
  // Plays `card`, which is in Legal().
  void Play(rules::Card card);

 private:
  void EndTrick();
};

// Returns the deal in play that `view` shows, with the hidden cards of `world`.
FastDeal MakeFastDeal(const rules::View& view, const World& world);

// Returns the input of the scoring formula for a deal that was played to its end.
rules::ScoreInput Count(const rules::View& view, const World& world, const FastDeal& deal);

// Returns the points of the viewer for `input`. The deal has a taker.
int PointsOfViewer(const rules::View& view, const FastDeal& deal, const rules::ScoreInput& input);

// Returns the points of the viewer at the end of the deal.
int Points(const rules::View& view, const World& world, const FastDeal& deal);

}  // namespace tarot::ai
