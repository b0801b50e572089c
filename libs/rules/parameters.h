// The parameters of a rule set by name: one table from which they are listed, printed, set from
// text and told to people.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/rules/rule_set.h"

namespace tarot::rules {

struct Parameter {
  absl::string_view key;                     // "cut_min"
  absl::string_view meaning;                 // One line for people.
  std::string allowed;                       // The values that it takes, for people: "ccw, cw".
  std::string (*get)(const RuleSet&);        // As JSON on one line, no blanks.
  bool (*set)(RuleSet&, absl::string_view);  // Only by SetParameter().
};

// Every parameter, in a fixed order; lives for ever.
const std::vector<Parameter>& Parameters();

// nullptr when there is none of that name.
const Parameter* FindParameter(absl::string_view key);

// Sets one from JSON (`[1,2,3,4]`, `"cw"`), or from the same without quotes, brackets and braces
// (`1,2,3,4`, `cw`, `3:4,4:3,5:3`). By player count only the counts named change. BAD_REQUEST
// whose field is `key` says what is allowed; then nothing changes. Does not Validate().
absl::Status SetParameter(RuleSet& rules, absl::string_view key, absl::string_view value);

// `text` without what JSON adds to a value: quotes, brackets, braces, blanks.
std::string BareValue(absl::string_view text);

// {"players":[3,4,5],...}: every parameter, each on a line that begins with `indent`.
std::string RuleSetJson(const RuleSet& rules, absl::string_view indent);

// The name of the rule set, or how it differs from fft: "fft +direction=cw +mult=1,2,3,4". Equal
// rule sets give equal texts.
std::string RuleSetText(const RuleSet& rules);

// Reads RuleSetText(), with any rule set's name in place of fft. BAD_REQUEST for a name or
// parameter that there is not, one that is there twice, a value that is not allowed, or values that
// contradict each other: `field` and `other_field` of its metadata name these.
absl::StatusOr<RuleSet> ParseRuleSet(absl::string_view text);

// The first contradiction as BAD_REQUEST; OK when there is none.
absl::Status CheckRuleSet(const RuleSet& rules);

}  // namespace tarot::rules
