// Says how likely the bids of an auction are in one world. So bids tell about the hidden hands.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "libs/ai/fast_deal.h"
#include "libs/ai/hand_strength.h"
#include "libs/ai/knowledge.h"

namespace tarot::ai {

// Logarithms of chances are whole numbers: the natural logarithm times kLogUnit.
inline constexpr int kLogUnit = 256;

// The facts about a seat's turn to bid that the model of bids uses.
struct BidTurn {
  int playing = 4;                                   // The number of seats that have cards.
  rules::Contract highest = rules::Contract::kPass;  // The highest bid before this turn.
  bool last = false;                                 // True if no seat bids after this one.
};

// The model has a chance for each bid at kBeliefMargins margins of the hand, and interpolates
// between them. The lowest margin and the step to the next are in hundredths of half points.
inline constexpr int kBeliefMargins = 17;
inline constexpr int kBeliefMarginMin = -6400;
inline constexpr int kBeliefMarginStep = 800;
inline constexpr int kContracts = 5;  // Pass counts as a contract.
// The logarithm of the chance of each bid (first index: the bid as a number) at each margin.
using BidOdds = std::array<std::array<std::int16_t, kBeliefMargins>, kContracts>;

// The odds by the number of players (minus 3), by the highest bid before the turn (pass, Prise,
// Garde, Garde sans), and by BidTurn::last. tools/lab/fit makes them (docs/bots.md, "To fit
// again").
extern const std::array<std::array<std::array<BidOdds, 2>, 4>, 3> kBidOdds;

// Returns the logarithm of the chance that a player bids `bid` with a hand of this margin
// (HandStrength::Margin), times kLogUnit.
int LogChanceOfBid(const BidTurn& turn, rules::Contract bid, int margin);

// Reads the bids of the other seats from a view, and judges worlds by these bids. The class assumes
// that these seats bid by the strength of their hands, as the players of the fit do.
class BidBelief {
 public:
  // Both arguments must outlive the object. `knowledge` must be Know(view).
  BidBelief(const rules::View& view, const Knowledge& knowledge);

  // Returns false if the bids say nothing about a hidden hand, for example because the deal had no
  // auction.
  bool Informs() const { return !turns_.empty(); }

  // Returns the logarithm of the chance of the bids of all other seats if they hold the cards of
  // `world`, times kLogUnit.
  int LogChance(const World& world) const;

 private:
  struct Turn {
    rules::Seat seat = rules::kNoSeat;
    int place = 0;
    BidTurn turn;
    rules::Contract bid = rules::Contract::kPass;
    rules::CardSet shown;    // Known cards that were dealt to the seat and have left its hand.
    bool discarded = false;  // True if cards of the hand as dealt may lie in the écart.
  };

  const HandStrength& strength_;
  const rules::CardSet dog_;
  std::vector<Turn> turns_;
};

}  // namespace tarot::ai
