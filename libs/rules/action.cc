#include "libs/rules/action.h"

namespace tarot::rules {

absl::string_view ReasonName(Reason reason) {
  switch (reason) {
    case Reason::kOk:
      return "OK";
    case Reason::kDealIsOver:
      return "DEAL_IS_OVER";
    case Reason::kNotYourTurn:
      return "NOT_YOUR_TURN";
    case Reason::kWrongPhase:
      return "WRONG_PHASE";
    case Reason::kBidTooLow:
      return "BID_TOO_LOW";
    case Reason::kBidNotAllowed:
      return "BID_NOT_ALLOWED";
    case Reason::kMustBid:
      return "MUST_BID";
    case Reason::kCardNotHeld:
      return "CARD_NOT_HELD";
    case Reason::kMustFollowSuit:
      return "MUST_FOLLOW_SUIT";
    case Reason::kMustTrump:
      return "MUST_TRUMP";
    case Reason::kMustOvertrump:
      return "MUST_OVERTRUMP";
    case Reason::kCalledSuitBarred:
      return "CALLED_SUIT_BARRED";
    case Reason::kCallNotAllowed:
      return "CALL_NOT_ALLOWED";
    case Reason::kDiscardCount:
      return "DISCARD_COUNT";
    case Reason::kDiscardKing:
      return "DISCARD_KING";
    case Reason::kDiscardBout:
      return "DISCARD_BOUT";
    case Reason::kDiscardCalledCard:
      return "DISCARD_CALLED_CARD";
    case Reason::kDiscardTrump:
      return "DISCARD_TRUMP";
    case Reason::kDiscardTrumpCount:
      return "DISCARD_TRUMP_COUNT";
    case Reason::kHandfulTooLate:
      return "HANDFUL_TOO_LATE";
    case Reason::kHandfulSize:
      return "HANDFUL_SIZE";
    case Reason::kHandfulNotTrumps:
      return "HANDFUL_NOT_TRUMPS";
    case Reason::kHandfulExcuse:
      return "HANDFUL_EXCUSE";
  }
  return "UNKNOWN";
}

}  // namespace tarot::rules
