// Finds the values of a rule set that contradict each other or are out of range.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/rules/parameters/rule_set.h"

namespace tarot::rules {

// Two parameters that contradict each other. If a single parameter is out of range, `other` is
// empty. The parameters have the names of parameters.h.
struct Contradiction {
  absl::string_view parameter;
  absl::string_view other;
  absl::string_view reason;  // A sentence for people.
};

// Returns every contradiction in `rules`. If the result is empty, a game can be played under
// `rules`.
std::vector<Contradiction> Validate(const RuleSet& rules);

// Returns the first contradiction as BAD_REQUEST. The metadata `field` and `other_field` name the
// two parameters; `other_field` is missing if only one parameter is wrong. Returns OK if there is
// no contradiction.
absl::Status CheckRuleSet(const RuleSet& rules);

}  // namespace tarot::rules
