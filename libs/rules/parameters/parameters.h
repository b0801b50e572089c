// The parameters of a rule set by name: one table that lists, prints, explains and reads them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/rules/parameters/rule_set.h"

namespace tarot::rules {

struct Parameter {
  absl::string_view key;                     // "cut_min"
  absl::string_view meaning;                 // One line for people.
  std::string allowed;                       // The allowed values, for people: "ccw, cw".
  std::string (*get)(const RuleSet&);        // As JSON on one line, no blanks.
  bool (*set)(RuleSet&, absl::string_view);  // Only by SetParameter().
};

// Returns every parameter, in a fixed order; lives for ever.
const std::vector<Parameter>& Parameters();

// nullptr when no parameter has that name.
const Parameter* FindParameter(absl::string_view key);

// Sets a parameter from JSON (`[1,2,3,4]`, `"cw"`), or from the same text without quotes, brackets
// and braces (`1,2,3,4`, `cw`, `3:4,4:3,5:3`). A value by player count changes only the counts that
// it names. For a value that is not allowed, changes nothing and returns BAD_REQUEST with field
// `key`. Does not Validate().
absl::Status SetParameter(RuleSet& rules, absl::string_view key, absl::string_view value);

// `text` without what JSON adds to a value: quotes, brackets, braces, blanks.
std::string BareValue(absl::string_view text);

// {"players":[3,4,5],...}: every parameter, each on a line that begins with `indent`.
std::string RuleSetJson(const RuleSet& rules, absl::string_view indent);

// Returns the name of the rule set, or how it differs from fft: "fft +direction=cw +mult=1,2,3,4".
// Equal rule sets give equal texts.
std::string RuleSetText(const RuleSet& rules);

// Reads RuleSetText(), with the name of any rule set in place of fft. BAD_REQUEST for an unknown
// name or parameter, a parameter given twice, a value that is not allowed, or values that
// contradict each other: `field` and `other_field` of its metadata name the parameters.
absl::StatusOr<RuleSet> ParseRuleSet(absl::string_view text);

// Returns the values of a rule set for the log: every parameter with its value, as text
// ("players=3,4,5 direction=ccw ..."). A match is played to its end under the values that it began
// with.
std::string EncodeRuleSet(const RuleSet& rules);

// Reads EncodeRuleSet(). A parameter that the bytes of an older version lack has its value of fft.
// nullopt when a parameter or a value is unknown.
std::optional<RuleSet> DecodeRuleSet(absl::string_view bytes);

}  // namespace tarot::rules
