// Reads, prints, lists and explains the parameters of a rule set by name.
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
  absl::string_view meaning;  // One line for people about what the parameter decides.
  // The allowed values, as text for people, for example "ccw, cw".
  std::string allowed;
  // Returns the value as JSON on one line.
  std::string (*get)(const RuleSet&);
  bool (*set)(RuleSet&, absl::string_view);  // Only SetParameter() may call it.
};

// Returns every parameter in a fixed order. The result lives as long as the process.
const std::vector<Parameter>& Parameters();

// Returns the parameter named `key`, or nullptr if there is none.
const Parameter* FindParameter(absl::string_view key);

// Sets the parameter `key`. `value` is JSON (`[1,2,3,4]`, `"cw"`), or the same text without quotes,
// brackets and braces (`1,2,3,4`, `cw`, `3:4,4:3,5:3`). In the form `3:4,4:3`, only the named
// player counts change. If the key is unknown or the value is not allowed, changes nothing and
// returns BAD_REQUEST with field `key`. The function does not check the value against other
// parameters; Validate() does.
absl::Status SetParameter(RuleSet& rules, absl::string_view key, absl::string_view value);

// Returns `text` without the characters that JSON adds to a value: quotes, brackets, braces,
// blanks.
std::string BareValue(absl::string_view text);

// Returns the rule set as a JSON object with every parameter. Each parameter is on its own line.
// Every line except the first begins with `indent`.
std::string RuleSetJson(const RuleSet& rules, absl::string_view indent);

// Returns the name of a named rule set. For a custom rule set, returns "fft" and the parameters
// that differ from fft, for example "fft +direction=cw +mult=1,2,3,4". Equal rule sets give equal
// texts.
std::string RuleSetText(const RuleSet& rules);

// Returns a text for people. For a named rule set, the text is its name. For a custom rule set, the
// text has the name of the most similar named rule set, and the parameters that differ from it, for
// example "booklet +mult=1,2,3,5". If several named rule sets are equally similar, the text names
// the rule set that comes first in RuleSets().
std::string NearestRuleSetText(const RuleSet& rules);

// Reads the texts of RuleSetText(). A text may begin with the name of any named rule set, not only
// with "fft". Returns BAD_REQUEST for an unknown name or parameter, a parameter that is given
// twice, a value that is not allowed, or two values that contradict each other. The metadata
// `field` names the parameter. If the name or the form of the text is wrong, `field` is "rule_set".
// For a contradiction, `other_field` names the second parameter.
absl::StatusOr<RuleSet> ParseRuleSet(absl::string_view text);

// Returns the text of a rule set for the log: every parameter with its value ("players=3,4,5
// direction=ccw ..."). A match keeps the values that it began with, even if a named rule set
// changes later.
std::string EncodeRuleSet(const RuleSet& rules);

// Reads the texts of EncodeRuleSet(). A text that an older version wrote may lack a parameter. Such
// a parameter gets the value by which the older version played. Returns nullopt if a parameter or a
// value is unknown.
std::optional<RuleSet> DecodeRuleSet(absl::string_view bytes);

}  // namespace tarot::rules
