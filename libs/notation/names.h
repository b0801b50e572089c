// Cards, hands, contracts, seats and actions as TDN (docs/notation.md) and the engine protocol
// (docs/engine_protocol.md) write them.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "libs/rules/action.h"
#include "libs/rules/cards.h"

namespace tarot::notation {

using rules::CardName;  // "HK", "DT" (the ten), "T21", "X"
std::optional<rules::Card> ParseCardName(absl::string_view text);

// "X,21,8/KQ5/-/T98/-": trumps, spades, hearts, diamonds, clubs, each from the highest.
std::string HandName(rules::CardSet hand);
// Accepts any order within a group. nullopt when it is not a hand, or holds a card twice.
std::optional<rules::CardSet> ParseHandName(absl::string_view text);

// "X,21,16": a set of trumps and the Excuse; "-" when empty.
std::string TrumpsName(rules::CardSet trumps);
std::optional<rules::CardSet> ParseTrumpsName(absl::string_view text);

// "-", "P", "G", "GS", "GC"
absl::string_view ContractName(rules::Contract contract);
std::optional<rules::Contract> ParseContractName(absl::string_view text);

// "A" for seat 0.
std::string SeatName(rules::Seat seat);
std::optional<rules::Seat> ParseSeatName(absl::string_view text, int players);

// Digits without a leading zero or a sign; at most six.
std::optional<int> ParseCount(absl::string_view text);

// "bid G", "call HK", "call -", "discard -/43/N1/-/J8", "slam yes", "handful X,21,16", "play H4"
std::string ActionName(const rules::Action& action);
std::optional<rules::Action> ParseActionName(absl::string_view text);

}  // namespace tarot::notation
