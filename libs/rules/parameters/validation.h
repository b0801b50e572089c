// Finds the values of a rule set that contradict each other or are out of range.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/rules/parameters/rule_set.h"

namespace tarot::rules {

// Two parameters that contradict each other, or one parameter that is out of range (`other` is then
// empty). Both have the names that parameters.h gives them.
struct Contradiction {
  absl::string_view parameter;
  absl::string_view other;
  absl::string_view reason;  // A sentence for people.
};

// Returns every contradiction in `rules`. A game can be played under `rules` if the result is
// empty.
std::vector<Contradiction> Validate(const RuleSet& rules);

// Returns the first contradiction as BAD_REQUEST, whose metadata names both parameters: `field` and
// `other_field`. Returns OK when there is none.
absl::Status CheckRuleSet(const RuleSet& rules);

}  // namespace tarot::rules
