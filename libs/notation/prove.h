// Whether a record is true: its cards follow from its seed, every move from the rules, every score
// from the moves.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/notation/record.h"

namespace tarot::notation {

enum class Truth { kTrue, kFalse, kUnknown };

struct Check {
  std::string what;  // One word: "cards", "commitment", "seed", "moves", "score", ...
  Truth truth = Truth::kTrue;
  std::string text;  // What was found, for people.
  int line = 0;      // Of the document, where one line is to blame.
};

// The same checks for every document, in a fixed order. kUnknown where the document states nothing,
// or where an earlier check left nothing to compare with.
std::vector<Check> Prove(const Document& document);

// True when no check is false.
bool AllTrue(const std::vector<Check>& checks);

// The rules of `record`: those of a name, or its own. INVALID_ARGUMENT BAD_REQUEST.
absl::StatusOr<rules::RuleSet> RulesOf(const Record& record);

// The deal before its first entry. INVALID_ARGUMENT BAD_REQUEST when it cannot even start: an
// unknown rule set, a player count that it does not know, hands and dog that are no pack.
absl::StatusOr<rules::Deal> Start(const Record& record);

// A record played by the rules as far as it goes.
struct Replayed {
  rules::Deal deal;       // After the entries that were legal.
  std::size_t legal = 0;  // How many.
  std::string problem;    // Why the next one is not; empty when all are.
};

// Errors: as Start.
absl::StatusOr<Replayed> Replay(const Record& record);

}  // namespace tarot::notation
