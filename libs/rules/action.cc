#include "libs/rules/action.h"

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"

namespace tarot::rules {
namespace {

constexpr absl::string_view kContracts[] = {"pass", "prise", "garde", "garde_sans", "garde_contre"};

absl::string_view SuitName(Suit suit) {
  constexpr absl::string_view kNames[] = {"spades", "hearts", "diamonds", "clubs", "trumps", ""};
  return kNames[static_cast<std::size_t>(suit)];
}

std::string Message(const Verdict& v) {
  const std::string card = v.card == kNoCard ? "" : CardName(v.card);
  switch (v.reason) {
    case Reason::kOk:
      return "Allowed.";
    case Reason::kDealIsOver:
      return "No deal is running.";
    case Reason::kNotYourTurn:
      return "It is not your turn.";
    case Reason::kWrongPhase:
      return "This action is not possible in this phase of the deal.";
    case Reason::kBidTooLow:
      return absl::StrCat("Pass, or bid above ", ContractText(v.contract), ".");
    case Reason::kBidNotAllowed:
      return absl::StrCat("There is no ", ContractText(v.contract), " under these rules.");
    case Reason::kMustBid:
      return "You are the taker of this board, so you may not pass.";
    case Reason::kCardNotHeld:
      return absl::StrCat("You do not hold ", card, ".");
    case Reason::kMustFollowSuit:
      return absl::StrCat("You must follow ", SuitName(v.suit), ".");
    case Reason::kMustTrump:
      return "You must play a trump.";
    case Reason::kMustOvertrump:
      return absl::StrCat("You must overtrump ", v.number, ".");
    case Reason::kCalledSuitBarred:
      if (v.card == kNoCard) {
        return absl::StrCat("The called suit, ", SuitName(v.suit),
                            ", may not be played to the first trick.");
      }
      return absl::StrCat("The called suit, ", SuitName(v.suit),
                          ", may not be led to the first trick, except by ", card, ".");
    case Reason::kCallNotAllowed:
      if (v.card == kNoCard) return "You must call a card.";
      return "That card may not be called with this hand.";
    case Reason::kDiscardCount:
      return absl::StrCat("Discard exactly ", v.number, " cards.");
    case Reason::kDiscardKing:
      return absl::StrCat("A King may not be discarded: ", card, ".");
    case Reason::kDiscardBout:
      return absl::StrCat("A bout may not be discarded: ", card, ".");
    case Reason::kDiscardCalledCard:
      return absl::StrCat("The called card may not be discarded: ", card, ".");
    case Reason::kDiscardTrump:
      return absl::StrCat("A trump may be discarded only if there are too few other cards: ", card,
                          ".");
    case Reason::kDiscardTrumpCount:
      return absl::StrCat("Discard exactly ", v.number,
                          " trumps and all other cards that you may discard.");
    case Reason::kHandfulTooLate:
      return "You may show a handful only once, just before your first card.";
    case Reason::kHandfulSize:
      return absl::StrCat("No handful has ", v.number, " cards.");
    case Reason::kHandfulNotTrumps:
      return absl::StrCat("A handful has only trumps, not ", card, ".");
    case Reason::kHandfulExcuse:
      return "A handful with the Excuse must show all your trumps.";
  }
  return "Refused.";
}

}  // namespace

absl::string_view ContractText(Contract contract) {
  return kContracts[static_cast<std::size_t>(contract)];
}

std::optional<Contract> ParseContract(absl::string_view text) {
  for (std::size_t i = 0; i < std::size(kContracts); ++i) {
    if (kContracts[i] == text) return static_cast<Contract>(i);
  }
  return std::nullopt;
}

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

absl::Status RefusalStatus(const Action& action, const Verdict& verdict) {
  absl::string_view reason = action.kind == Action::Kind::kPlay ? "ILLEGAL_CARD" : "ILLEGAL_ACTION";
  if (verdict.reason == Reason::kNotYourTurn) reason = "NOT_YOUR_TURN";
  ErrorMetadata metadata{{"why", std::string(ReasonName(verdict.reason))}};
  if (verdict.card != kNoCard) metadata.emplace_back("card", CardName(verdict.card));
  if (verdict.suit != Suit::kNone)
    metadata.emplace_back("suit", std::string(SuitName(verdict.suit)));
  if (verdict.contract != Contract::kPass) {
    metadata.emplace_back("contract", std::string(ContractText(verdict.contract)));
  }
  if (verdict.number != 0) metadata.emplace_back("number", absl::StrCat(verdict.number));
  return Error(absl::StatusCode::kFailedPrecondition, reason, Message(verdict), metadata);
}

}  // namespace tarot::rules
