// What a seat can decide, and why a decision is refused.
#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"
#include "libs/rules/cards.h"
#include "libs/rules/rule_set.h"

namespace tarot::rules {

using Seat = int;  // 0..n-1 in the order of play.
inline constexpr Seat kNoSeat = -1;

struct Action {
  enum class Kind : std::uint8_t { kBid, kCall, kDiscard, kSlam, kHandful, kPlay };

  Kind kind = Kind::kPlay;
  Contract contract = Contract::kPass;  // kBid
  Card card = kNoCard;                  // kCall (kNoCard: plays alone, where allowed), kPlay
  CardSet cards;                        // kDiscard, kHandful
  bool announce = false;                // kSlam

  static Action Bid(Contract contract) { return {.kind = Kind::kBid, .contract = contract}; }
  static Action Call(Card card) { return {.kind = Kind::kCall, .card = card}; }
  static Action Discard(CardSet cards) { return {.kind = Kind::kDiscard, .cards = cards}; }
  static Action Slam(bool announce) { return {.kind = Kind::kSlam, .announce = announce}; }
  static Action Handful(CardSet cards) { return {.kind = Kind::kHandful, .cards = cards}; }
  static Action Play(Card card) { return {.kind = Kind::kPlay, .card = card}; }

  friend bool operator==(const Action&, const Action&) = default;
};

// Why not. The names on the wire are ReasonName()'s and never change.
enum class Reason : std::uint8_t {
  kOk,
  kDealIsOver,
  kNotYourTurn,
  kWrongPhase,      // The action belongs to another phase.
  kBidTooLow,       // Must pass or bid above `contract`, the highest bid.
  kBidNotAllowed,   // The rule set has no bid `contract`.
  kMustBid,         // The taker that a board gives may not pass.
  kCardNotHeld,     // `card` is not in the hand.
  kMustFollowSuit,  // `suit`
  kMustTrump,
  kMustOvertrump,      // Above trump `number`.
  kCalledSuitBarred,   // Five players, first trick: not `suit`, which was called; the leader may
                       // play the called `card` itself.
  kCallNotAllowed,     // `card` may not be called with this hand.
  kDiscardCount,       // Must discard `number` cards.
  kDiscardKing,        // `card` is a King.
  kDiscardBout,        // `card` is a bout.
  kDiscardCalledCard,  // `card` was called.
  kDiscardTrump,       // `card` is a trump, and other cards can go.
  kDiscardTrumpCount,  // Exactly `number` trumps must go, not more.
  kHandfulTooLate,     // Only just before one's own first card, once.
  kHandfulSize,        // No handful has `number` cards.
  kHandfulNotTrumps,   // `card` is no trump.
  kHandfulExcuse,      // The Excuse in a handful means no other trump: `number` are held back.
};

// The outcome of asking whether an action is allowed. A small value.
struct Verdict {
  Reason reason = Reason::kOk;
  Card card = kNoCard;
  Suit suit = Suit::kNone;
  int number = 0;
  Contract contract = Contract::kPass;

  bool ok() const { return reason == Reason::kOk; }
};

// "MUST_FOLLOW_SUIT"
absl::string_view ReasonName(Reason reason);

}  // namespace tarot::rules
