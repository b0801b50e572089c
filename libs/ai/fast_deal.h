// Plays one deal with all hands open. It is fast because it allocates no memory, keeps no history
// and checks nothing. fast_deal_test.cc compares it with rules::Deal, card by card and point by
// point.
#pragma once

#include <array>

#include "libs/rules/scoring.h"
#include "libs/rules/view.h"

namespace tarot::ai {

// One possible layout of the hidden cards: the cards that a view does not show.
struct World {
  std::array<rules::CardSet, rules::kPlayersMax> hands;
  // The cards that are in no hand: a dog that the taker did not take, or the hidden part of the
  // écart.
  rules::CardSet aside;
};

struct FastDeal {
  // The tricks of one seat: their number, and the half points, bouts and court cards in these
  // tricks. The Excuse does not count here.
  struct Gathered {
    int half_points = 0;
    int bouts = 0;
    int courts = 0;
    int tricks = 0;
  };

  int players = 4;
  int playing = 4;                        // Number of seats with cards.
  rules::Seat sits_out = rules::kNoSeat;  // The seat without cards, if there is one.
  rules::Seat turn = rules::kNoSeat;
  rules::Seat taker = rules::kNoSeat;
  // Has a bit for each seat of the attack: the taker and the partner. In a deal without a taker, it
  // has only the viewer's bit.
  unsigned attack = 0;
  std::array<rules::CardSet, rules::kPlayersMax> hands;
  rules::CardSet held;  // The cards in all hands.
  // The cards that the leader of the first trick may not lead: the called suit without the called
  // card.
  rules::CardSet barred;
  // In a slam, the Excuse may win the last trick. excuse_may_win[c] is true if this holds for the
  // camp c when the seat with the Excuse leads the last trick. Index 0 is the defence, index 1 the
  // attack.
  std::array<bool, 2> excuse_may_win{true, true};
  // True if the Excuse also wins the last trick of a slam when another seat of the same camp leads
  // that trick.
  bool excuse_wins_when_partner_leads = true;

  // The next fields describe the trick in play.
  int size = 0;
  unsigned waiting = 0;  // A bit for each seat that has not yet played a card to the trick.
  rules::CardSet trick;
  // The suit to follow; kNone until a player plays a card other than the Excuse.
  rules::Suit led = rules::Suit::kNone;
  rules::Card winning = rules::kNoCard;
  rules::Seat winner = rules::kNoSeat;

  // The next fields hold facts that all players have seen. In both fields, the first index is the
  // suit, and index 4 is for trumps.
  std::array<std::uint8_t, 5> voids{};  // A bit for each seat that is known to be void in the suit.
  // The number of times that the defence (index 0) and the attack (index 1) led the suit.
  std::array<std::array<std::uint8_t, 2>, 5> led_by{};

  // The next fields describe the earlier tricks.
  int tricks_played = 0;
  unsigned winners = 0;  // A bit for each seat that has won a trick.
  std::array<Gathered, rules::kPlayersMax> gathered;
  int petit_trick = -1;
  rules::Seat petit_owner = rules::kNoSeat;
  rules::Seat petit_winner = rules::kNoSeat;
  int excuse_trick = -1;
  rules::Seat excuse_owner = rules::kNoSeat;
  rules::Seat excuse_winner = rules::kNoSeat;  // The winner of the trick that contains the Excuse.
  // True if the Excuse won the last trick of a slam.
  bool excuse_takes_last = false;
  // True if the camp that held the Excuse won all tricks and played the Excuse to the last trick.
  bool excuse_ends_slam = false;

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

  // Returns the cards that the seat in turn may play. Its hand must not be empty.
  rules::CardSet Legal() const;
  // Plays `card`, which must be in Legal().
  void Play(rules::Card card);

 private:
  void EndTrick();
};

// Returns the deal in play that `view` shows, with the hidden cards of `world`.
FastDeal MakeFastDeal(const rules::View& view, const World& world);

// Returns the input of the scoring formula. It is final only after the last card of the deal.
rules::ScoreInput Count(const rules::View& view, const World& world, const FastDeal& deal);

// Returns the viewer's score for `input`. The deal must have a taker.
int PointsOfViewer(const rules::View& view, const FastDeal& deal, const rules::ScoreInput& input);

// Returns the points of the viewer at the end of the deal. In a deal without a taker, returns the
// half points of the viewer's tricks, without the Excuse.
int Points(const rules::View& view, const World& world, const FastDeal& deal);

}  // namespace tarot::ai
