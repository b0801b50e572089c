// Proves that a record is true. In a true record, the cards follow from the seed, every move is
// legal, and every score follows from the moves.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/notation/record.h"

namespace tarot::notation {

enum class Truth { kTrue, kFalse, kUnknown };

struct Check {
  // The name of the check, one word, for example "cards", "commitment", "seed", "moves" or "score".
  std::string what;
  Truth truth = Truth::kTrue;
  std::string text;  // The result of the check, for people to read.
  int line = 0;  // The line of the document to which the check belongs; 0 if there is no such line.
};

// Checks `document`. The checks and their order are the same for every document. A check is
// kUnknown in two cases: the document or the deal lacks a value that the check needs, or an earlier
// check that it needs has failed.
std::vector<Check> Prove(const Document& document);

// Checks that the cards of `document` come from the pack that the previous deal left. Without this
// check, a server could choose a pack after it knows the nonces. `before` is the record of the
// previous deal of the match, or nullptr if this record is not known. Returns nullopt if there is
// nothing to check. This is so for the first deal of a match, for an unknown rule set, and for a
// rule set that shuffles the pack before each deal.
std::optional<Check> ProveGathered(const Document* before, const Document& document);

// Returns "" if a deal under `rules` can have the provenance `from`. If not, returns the reason:
// for example, the provenance has a gathered pack, but the rule set shuffles the pack. `first_deal`
// says whether the deal is the first deal of its match. Call PackOf() only if the result is "".
std::string OriginProblem(const rules::RuleSet& rules, const dealing::Provenance& from,
                          bool first_deal);

// Returns true if no check is false.
bool AllTrue(const std::vector<Check>& checks);

// Returns the rule set of `record`, named or custom. Returns INVALID_ARGUMENT BAD_REQUEST if the
// rule set is unknown.
absl::StatusOr<rules::RuleSet> RulesOf(const Record& record);

// Returns the deal of `record` before its first entry. Returns INVALID_ARGUMENT BAD_REQUEST if
// - the rule set is unknown, or does not allow this number of players;
// - the taker that the board names is missing, or is set in a rule set without boards;
// - a hand or the dog has a wrong number of cards, or a card is missing.
absl::StatusOr<rules::Deal> Start(const Record& record);

// The result of the replay of a record, up to its end or its first illegal entry.
struct Replayed {
  rules::Deal deal;       // The deal after the legal entries.
  std::size_t legal = 0;  // The number of legal entries before the first illegal one.
  std::string problem;  // The reason why the next entry is illegal; empty if all entries are legal.
};

// Replays `record` by the rules. Returns the errors of Start().
absl::StatusOr<Replayed> Replay(const Record& record);

// Returns the failed checks of Prove() as one text, for example "moves: action 21 of 79, by B: You
// must follow diamonds." Returns "" if no check failed. This function is much faster than Prove()
// for a true record that has no seed and was decoded from bytes. For such a record, it only replays
// and scores the deal.
std::string Untruth(const Document& document);

}  // namespace tarot::notation
