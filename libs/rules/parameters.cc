#include "libs/rules/parameters.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/base/error.h"
#include "libs/base/status_macros.h"

namespace tarot::rules {
std::string BareValue(absl::string_view text) {
  std::string bare;
  for (const char c : text) {
    if (absl::string_view("\"[]{} \t\r\n").find(c) == absl::string_view::npos) bare += c;
  }
  return bare;
}

const Parameter* FindParameter(absl::string_view key) {
  for (const Parameter& parameter : Parameters()) {
    if (parameter.key == key) return &parameter;
  }
  return nullptr;
}

absl::Status SetParameter(RuleSet& rules, absl::string_view key, absl::string_view value) {
  const Parameter* parameter = FindParameter(key);
  if (parameter == nullptr) return BadRequest(key, "no such parameter");
  if (parameter->set(rules, BareValue(value))) return absl::OkStatus();
  return BadRequest(key, absl::StrCat("takes ", parameter->allowed));
}

std::string RuleSetJson(const RuleSet& rules, absl::string_view indent) {
  std::string json = "{";
  for (const Parameter& parameter : Parameters()) {
    absl::StrAppend(&json, json.size() > 1 ? "," : "", "\n", indent, "  \"", parameter.key,
                    "\": ", parameter.get(rules));
  }
  return absl::StrCat(json, "\n", indent, "}");
}

std::string RuleSetText(const RuleSet& rules) {
  for (const NamedRuleSet& named : RuleSets()) {
    if (named.rules == rules) return std::string(named.name);
  }
  const RuleSet fft;
  std::string text = "fft";
  for (const Parameter& parameter : Parameters()) {
    const std::string value = parameter.get(rules);
    if (value == parameter.get(fft)) continue;
    absl::StrAppend(&text, " +", parameter.key, "=", BareValue(value));
  }
  return text;
}

absl::Status CheckRuleSet(const RuleSet& rules) {
  const std::vector<Contradiction> found = Validate(rules);
  if (found.empty()) return absl::OkStatus();
  const Contradiction& first = found.front();
  if (first.other.empty()) return BadRequest(first.parameter, first.reason);
  const std::string reason = absl::StrCat("against ", first.other, ": ", first.reason);
  return Error(absl::StatusCode::kInvalidArgument, "BAD_REQUEST",
               absl::StrCat(first.parameter, " ", reason),
               {{"field", std::string(first.parameter)},
                {"other_field", std::string(first.other)},
                {"description", reason}});
}

absl::StatusOr<RuleSet> ParseRuleSet(absl::string_view text) {
  const std::vector<absl::string_view> words = absl::StrSplit(text, ' ');
  const NamedRuleSet* base = FindRuleSet(words[0]);
  if (base == nullptr) return BadRequest("rule_set", "no rule set has that name");
  RuleSet rules = base->rules;
  std::set<absl::string_view> seen;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    if (words[i].empty() || words[i][0] != '+' || equals == absl::string_view::npos) {
      return BadRequest("rule_set", "NAME +parameter=value +parameter=value ...");
    }
    const absl::string_view key = words[i].substr(1, equals - 1);
    TAROT_RETURN_IF_ERROR(SetParameter(rules, key, words[i].substr(equals + 1)));
    if (!seen.insert(key).second) return BadRequest(key, "is there twice");
  }
  TAROT_RETURN_IF_ERROR(CheckRuleSet(rules));
  return rules;
}

}  // namespace tarot::rules
