// Rule sets by value ↔ proto.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/base/error.h"
#include "libs/base/status_macros.h"
#include "libs/rules/parameters/rule_set.h"
#include "tarot/rules/v1/rule_set.pb.h"

namespace tarot::wire {

namespace v1 = ::tarot::rules::v1;

// Every field, and no preset.
void EncodeRuleSet(const rules::RuleSet& rules, v1::RuleSet* out);

// What is not set comes from the preset, "fft" when that is empty. `field` is the path of `in`.
// NOT_FOUND RULE_SET_NOT_FOUND for the preset; BAD_REQUEST for a value out of range, or for two
// that contradict each other: `field` and `other_field` of its metadata name them.
absl::StatusOr<rules::RuleSet> DecodeRuleSet(const v1::RuleSet& in, absl::string_view field);

// The rule set of a request or a record: by value where that is given, otherwise by its name.
// `message` has rule_set and rules. Errors: as DecodeRuleSet.
template <typename Message>
absl::StatusOr<rules::RuleSet> RuleSetOf(const Message& message, absl::string_view field);

// The same, and BAD_REQUEST where it is not for `player_count` of the message.
template <typename Message>
absl::StatusOr<rules::RuleSet> RuleSetFor(const Message& message, absl::string_view field);

// True when `name` alone tells whoever knows the named rule sets which one it is.
bool NameTells(absl::string_view name, const rules::RuleSet& rules);

// Sets the name, and the values where the name does not tell them.
template <typename Message>
void EncodeRuleSetOf(absl::string_view name, const rules::RuleSet& rules, Message* out) {
  out->set_rule_set(std::string(name));
  if (!NameTells(name, rules)) EncodeRuleSet(rules, out->mutable_rules());
}

// NOT_FOUND RULE_SET_NOT_FOUND.
absl::StatusOr<rules::RuleSet> NamedRules(absl::string_view name);

template <typename Message>
absl::StatusOr<rules::RuleSet> RuleSetOf(const Message& message, absl::string_view field) {
  if (message.has_rules()) return DecodeRuleSet(message.rules(), field);
  return NamedRules(message.rule_set());
}

template <typename Message>
absl::StatusOr<rules::RuleSet> RuleSetFor(const Message& message, absl::string_view field) {
  TAROT_ASSIGN_OR_RETURN(const rules::RuleSet rules, RuleSetOf(message, field));
  if (message.player_count() < rules.players_min || message.player_count() > rules.players_max) {
    return BadRequest("player_count", "not played under this rule set");
  }
  return rules;
}

}  // namespace tarot::wire
