// Defines the decisions of a seat, and the reasons why a decision is refused.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/rules/cards.h"

namespace tarot::rules {

inline constexpr int kPlayersMin = 3;
inline constexpr int kPlayersMax = 5;

using Seat = int;  // Seats are numbered from 0 in the order of play.
inline constexpr Seat kNoSeat = -1;

enum class Contract : std::uint8_t { kPass, kPrise, kGarde, kGardeSans, kGardeContre };

// Returns "pass", "prise", "garde", "garde_sans" or "garde_contre".
absl::string_view ContractText(Contract contract);

// Reads the texts of ContractText(); returns nullopt for any other text.
std::optional<Contract> ParseContract(absl::string_view text);

struct Action {
  enum class Kind : std::uint8_t { kBid, kCall, kDiscard, kSlam, kHandful, kPlay };

  Kind kind = Kind::kPlay;
  Contract contract = Contract::kPass;  // Set for kBid.
  // The card of kPlay and kCall. For kCall, kNoCard means that the taker plays alone.
  Card card = kNoCard;
  CardSet cards;          // Set for kDiscard and kHandful.
  bool announce = false;  // Set for kSlam.

  static Action Bid(Contract contract) { return {.kind = Kind::kBid, .contract = contract}; }
  static Action Call(Card card) { return {.kind = Kind::kCall, .card = card}; }
  static Action Discard(CardSet cards) { return {.kind = Kind::kDiscard, .cards = cards}; }
  static Action Slam(bool announce) { return {.kind = Kind::kSlam, .announce = announce}; }
  static Action Handful(CardSet cards) { return {.kind = Kind::kHandful, .cards = cards}; }
  static Action Play(Card card) { return {.kind = Kind::kPlay, .card = card}; }

  friend bool operator==(const Action&, const Action&) = default;
};

// The reasons why an action is refused. Clients see the names that ReasonName() returns; these
// names never change.
enum class Reason : std::uint8_t {
  kOk,
  kDealIsOver,
  kNotYourTurn,
  kWrongPhase,      // The action belongs to another phase of the deal.
  kBidTooLow,       // The seat must pass or bid above `contract`, the highest bid.
  kBidNotAllowed,   // The rule set has no bid `contract`.
  kMustBid,         // The board names this seat as the taker, and the rule set forbids a pass.
  kCardNotHeld,     // `card` is not in the hand.
  kMustFollowSuit,  // The seat must follow `suit`.
  kMustTrump,
  kMustOvertrump,  // The seat must play a trump above trump `number`.
  // With five players, the seat may not play the called suit `suit` to the first trick. If `card`
  // is set, the seat leads this trick, and `card` is the called card. It is the only card of the
  // suit that the seat may lead.
  kCalledSuitBarred,
  kCallNotAllowed,     // The taker may not call `card` with this hand.
  kDiscardCount,       // The taker must discard `number` cards.
  kDiscardKing,        // `card` is a King.
  kDiscardBout,        // `card` is a bout.
  kDiscardCalledCard,  // `card` is the called card.
  kDiscardTrump,       // `card` is a trump. The hand has enough other cards to discard.
  kDiscardTrumpCount,  // The taker must discard exactly `number` trumps.
  // The seat has shown a handful or played a card, or the rule set has no handfuls.
  kHandfulTooLate,
  kHandfulSize,       // No handful has `number` cards.
  kHandfulNotTrumps,  // The rule set allows no handful with `card`.
  // A handful with the Excuse must show all trumps in hand; `number` of them are missing.
  kHandfulExcuse,
};

// Says whether an action is allowed. If the action is refused, `reason` says why. The comments of
// Reason say which of the other fields are set.
struct Verdict {
  Reason reason = Reason::kOk;
  Card card = kNoCard;
  Suit suit = Suit::kNone;
  int number = 0;
  Contract contract = Contract::kPass;

  bool ok() const { return reason == Reason::kOk; }
};

// Returns the name of a reason, for example "MUST_FOLLOW_SUIT".
absl::string_view ReasonName(Reason reason);

// Returns the error that a client gets for a refused action. The code is FAILED_PRECONDITION. If
// the seat is not in turn, the error reason is NOT_YOUR_TURN. If the seat is in turn, the error
// reason is ILLEGAL_CARD for a played card, and ILLEGAL_ACTION for any other action. The metadata
// `why` is the ReasonName() of the verdict. The metadata also has those of the fields `card`,
// `suit`, `contract` and `number` that the verdict sets.
absl::Status RefusalStatus(const Action& action, const Verdict& verdict);

}  // namespace tarot::rules
