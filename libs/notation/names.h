// Writes and reads cards, hands, contracts, seats and actions in the form that TDN
// (docs/notation.md) and the engine protocol (docs/engine_protocol.md) use.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "libs/rules/action.h"
#include "libs/rules/cards.h"

namespace tarot::notation {

// CardName() returns names such as "HK", "DT" (the ten), "T21", and "X" for the Excuse.
using rules::CardName;
std::optional<rules::Card> ParseCardName(absl::string_view text);

// Returns a hand as text, such as "X,21,8/KQ5/-/T98/-": trumps, spades, hearts, diamonds, clubs,
// each from the highest down.
std::string HandName(rules::CardSet hand);
// Reads a hand. The order of the cards within a group is free. Returns nullopt if the text is not a
// hand or names a card twice.
std::optional<rules::CardSet> ParseHandName(absl::string_view text);

// Returns a set of trumps and the Excuse as text, such as "X,21,16". An empty set is "-".
std::string TrumpsName(rules::CardSet trumps);
std::optional<rules::CardSet> ParseTrumpsName(absl::string_view text);

// Returns "-" for a pass, and "P", "G", "GS" or "GC" for the contracts.
absl::string_view ContractName(rules::Contract contract);
std::optional<rules::Contract> ParseContractName(absl::string_view text);

// Returns "A" for seat 0, "B" for seat 1, and so on.
std::string SeatName(rules::Seat seat);
std::optional<rules::Seat> ParseSeatName(absl::string_view text, int players);

// Reads a number: at most six digits, without a leading zero or a sign.
std::optional<int> ParseCount(absl::string_view text);

// Returns a text such as "bid G", "call HK", "call -", "discard -/43/N1/-/J8", "slam yes", "handful
// X,21,16" or "play H4".
std::string ActionName(const rules::Action& action);
std::optional<rules::Action> ParseActionName(absl::string_view text);

}  // namespace tarot::notation
