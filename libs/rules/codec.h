// Bytes of actions and rule sets, for the log: canonical, readable for ever.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "libs/rules/action.h"
#include "libs/rules/rule_set.h"

namespace tarot::rules {

// At most 20 bytes; equal actions give equal bytes.
std::string EncodeAction(const Action& action);

// nullopt for anything that EncodeAction did not make.
std::optional<Action> DecodeAction(absl::string_view bytes);

// Every parameter with its value, as text ("players=3,4,5 direction=ccw ..."), so that a match is
// played for ever under the rules that it began with. A parameter that bytes of an older version
// lack has its value of fft. Nothing when a parameter or a value is unknown.
std::string EncodeRuleSet(const RuleSet& rules);
std::optional<RuleSet> DecodeRuleSet(absl::string_view bytes);

}  // namespace tarot::rules
