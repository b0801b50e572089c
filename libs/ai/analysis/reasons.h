// Finds facts that explain why a decision cost points. A fact is given only if this code has
// checked it: with the cards that the seat has seen, with sampled layouts of the hidden cards, or
// with the true cards. The comment of each kind says which cards it needs.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "libs/ai/analysis/events.h"
#include "libs/rules/deal.h"
#include "libs/rules/view.h"

namespace tarot::ai {

// In the comments, the played card is the card of the seat, the better card is the card that the
// level would play, and both names also mean écarts, calls and bids. A card loses the trick if the
// other camp wins the trick. Shares are thousandths of the sampled layouts; `number` is the share
// after the played card, and `better_number` the share after the better card.
enum class ReasonKind {
  // Facts that the seat knew. In the first six kinds, a result of the trick is certain if no
  // possible hand of a seat that plays later changes it.

  // Both cards are certain to lose the trick, and the played card has more points. `number` and
  // `better_number` are the half points of the cards.
  kPointsGiven,
  // The played card is the Petit, and it is certain to lose the trick.
  kPetitGiven,
  // The played card is certain to lose the trick. It is a trump or has at least 2.5 points. The
  // better card is the Excuse, which stays with its camp.
  kExcuseSaves,
  // Both cards are certain to win the trick for the seat's camp, and the better card has more
  // points. It is not the 21, which brings its points in any trick. The numbers are as in
  // kPointsGiven.
  kPointsMissed,
  // As kPointsMissed, and the better card is the Petit.
  kPetitMissed,
  // Both cards are trumps with the same certain result, and the played trump is higher.
  kTrumpTooHigh,
  // `seat`, of the same camp, is winning the trick with `other_card`. After the better card, this
  // camp is certain to win the trick. The played card takes the trick from `seat`.
  kPartnerTaken,
  // No other hand can have a trump that beats the played trump, which is at least the 19. The trick
  // has few points, and at least half of the tricks are still to come. `number` is the half points
  // in the trick before the played card; it is absent if the seat leads.
  kTopTrumpEarly,
  // The played card is a court card of the suit that is led, and after it the seat's camp is
  // winning the trick. `seat`, of the other camp, plays later, has shown in trick `trick` that it
  // has no card of `suit`, and may have a trump.
  kSuitRuffed,
  // The better card is led, is a small card of `suit`, and makes `seat` of the other camp play a
  // trump if this seat has one: it has shown in trick `trick` that it has no card of `suit`.
  kForcesTrump,
  // After the played card, the seat's last card is the Excuse. In the last trick, the Excuse goes
  // to the other camp.
  kExcuseLost,
  // The played card is the Excuse. The better card has half a point. The seat can play the Excuse
  // to `number` later tricks without losing it.
  kExcuseEarly,
  // The hand wins every trick, whatever the other hands are.
  kSlamCertain,
  // The better écart has no card of `suit` left in the hand; the played écart leaves such a card.
  kDiscardVoid,
  // The better écart has at least 2 points more. The numbers are half points.
  kDiscardPoints,
  // The played écart leaves `card`, a Queen or a Knight, as the only card of its suit.
  kDiscardBare,
  // The played call is a card of the taker's own hand.
  kCallOwn,
  // The hand has `other_card`, the Queen of the suit of the better call, and not the Queen of the
  // suit of the played call.
  kCallQueen,

  // Facts from the sampled layouts.

  // `other_card` beats the played card and may be in the hand of a later seat of the other camp.
  // `number` is the share of the layouts in which the played card loses the trick.
  kHigherOut,
  // The played card is the highest card of its suit that can come. `trumps` trumps may be in hands
  // of the other camp. `number` is as in kHigherOut.
  kTrumpsOut,
  // The numbers are the shares in which the other camp wins the Petit of the seat's camp.
  kPetitDanger,
  // The numbers are the shares in which the seat's camp wins the Petit of the other camp.
  kPetitCatch,
  // The numbers are the shares in which the seat's camp wins the last trick with the Petit in it.
  kPetitLast,
  // The numbers are the shares in which the seat's camp wins the trick.
  kTrickChance,
  // The numbers are the shares in which the attack makes its contract. For bids, they are chances
  // from the bid model, and the number of a pass is absent. This fact is given only if the search
  // had enough worlds to be sure of it.
  kContractChance,
  // One of the two actions is to show a handful. `trumps` is its number of cards, `points` its
  // worth in points for each defender. `number` is the share in which the seat's camp wins the
  // deal.
  kHandful,

  // As a mean over the layouts, the better card brings more card points to the seat's camp.
  // `number` is the difference in tenths of a point. This fact is given only if there is no other
  // reason.
  kCardPoints,

  // Facts that need the true cards. The seat could not know them.

  // The played card is a court card of the suit that is led. `seat`, of the other camp, plays
  // later, has no card of `suit` and has a trump.
  kRuffedOpen,
  // With all hands open and best play of both camps, the decision costs nothing. This fact is given
  // only beside another reason.
  kFreeOpen,
  // The attack won every trick of the deal.
  kSlamOpen,
};

struct Reason {
  ReasonKind kind = ReasonKind::kFreeOpen;
  rules::Card card = rules::kNoCard;        // The played card, or the card that the kind names.
  rules::Card other_card = rules::kNoCard;  // The better card, or the card that the kind names.
  rules::Suit suit = rules::Suit::kNone;
  rules::Seat seat = rules::kNoSeat;
  int trick = 0;  // Tricks count from 1.
  int trumps = 0;
  int points = 0;
  std::optional<int> number;
  std::optional<int> better_number;

  friend bool operator==(const Reason&, const Reason&) = default;
};

// The facts of a hand that count in the auction.
struct HandFacts {
  int trumps = 0;  // Without the Excuse.
  rules::CardSet bouts;
  int kings = 0;
  std::array<int, 4> lengths{};  // The number of cards of spades, hearts, diamonds and clubs.
};
HandFacts FactsOf(rules::CardSet hand);

// The chance that the attack makes its contract after an action. Each field is absent if the search
// does not know it.
struct ContractChance {
  std::optional<int> made;              // Candidate::made
  std::optional<int> error;             // Candidate::made_error
  std::optional<int> difference_error;  // Candidate::made_difference_error
};

struct ReasonInput {
  const rules::View& view;  // RememberedView() of the seat that decides, before the decision.
  rules::Action played;
  rules::Action better;
  ContractChance played_chance;
  ContractChance better_chance;
  // Set only if both actions are cards.
  std::optional<SampledEvents> events;
  // The true hands, before the decision.
  const std::array<rules::CardSet, rules::kPlayersMax>& hands;
  std::optional<int> open_cost;  // DecisionReport::open_cost
  bool slam_made = false;        // True if the attack won every trick of the deal.
};

// Returns at most three reasons, the most instructive one first. Returns no reason for a deal
// without two camps, and none if no fact explains the difference.
std::vector<Reason> FindReasons(const ReasonInput& input);

}  // namespace tarot::ai
