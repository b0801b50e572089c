// The parameters of a rule set by name. One table lists, prints, explains and reads them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/rules/parameters/rule_set.h"

namespace tarot::rules {

struct Parameter {
  absl::string_view key;      // The parameter's name, for example "cut_min".
  absl::string_view meaning;  // One line for people.
  // The allowed values as people read them, for example "ccw, cw".
  std::string allowed;
  // Returns the value as JSON on one line, without blanks.
  std::string (*get)(const RuleSet&);
  bool (*set)(RuleSet&, absl::string_view);  // Only SetParameter() may call it.
};

// Returns every parameter in a fixed order. The result lives as long as the process.
const std::vector<Parameter>& Parameters();

// Returns nullptr when no parameter has that name.
const Parameter* FindParameter(absl::string_view key);

// Sets a parameter from JSON (`[1,2,3,4]`, `"cw"`), or from the same text without quotes, brackets
// and braces (`1,2,3,4`, `cw`, `3:4,4:3,5:3`). A value by player count changes only the counts that
// it names. If the value is not allowed, changes nothing and returns BAD_REQUEST with field `key`.
// The function does not call Validate().
absl::Status SetParameter(RuleSet& rules, absl::string_view key, absl::string_view value);

// Returns `text` without the characters that JSON adds to a value: quotes, brackets, braces,
// blanks.
std::string BareValue(absl::string_view text);

// Returns the JSON object {"players":[3,4,5],...} with every parameter, each on a line that begins
// with `indent`.
std::string RuleSetJson(const RuleSet& rules, absl::string_view indent);

// Returns the name of the rule set, or, for a custom rule set, its differences from fft: "fft
// +direction=cw +mult=1,2,3,4". Equal rule sets give equal texts.
std::string RuleSetText(const RuleSet& rules);

// Reads the texts of RuleSetText(); a text may begin with any rule set in place of fft. Returns
// BAD_REQUEST for an unknown name or parameter, a parameter given twice, a value that is not
// allowed, or values that contradict each other. The metadata `field` and `other_field` name the
// parameters.
absl::StatusOr<RuleSet> ParseRuleSet(absl::string_view text);

// Returns the values of a rule set for the log: every parameter with its value, as text
// ("players=3,4,5 direction=ccw ..."). A match keeps the values that it began with until its end.
std::string EncodeRuleSet(const RuleSet& rules);

// Reads the texts of EncodeRuleSet(). If an older version wrote the text without some parameter,
// that parameter gets its value of fft. Returns nullopt when a parameter or a value is unknown.
std::optional<RuleSet> DecodeRuleSet(absl::string_view bytes);

}  // namespace tarot::rules
