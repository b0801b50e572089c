// Converts rule sets to and from their proto, which has a field for each parameter.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/struct.pb.h"
#include "libs/base/error.h"
#include "libs/rules/parameters/rule_set.h"
#include "tarot/rules/v1/rule_set.pb.h"

namespace tarot::wire {

namespace v1 = ::tarot::rules::v1;

// Encodes all values of a rule set. Sets every field of `out` except `preset`.
void EncodeRuleSet(const rules::RuleSet& rules, v1::RuleSet* out);

// Decodes a rule set. If a field is not set, its value comes from the rule set that `preset` names,
// or from "fft" if `preset` is empty. `field` is the path of `in`. Returns NOT_FOUND
// RULE_SET_NOT_FOUND for an unknown preset. Returns BAD_REQUEST for a value out of range, for a
// wrong value of a constant (see RemoveConstants()), and for two values that contradict each other.
// For such a contradiction, the metadata `field` and `other_field` name the two fields.
absl::StatusOr<rules::RuleSet> DecodeRuleSet(const v1::RuleSet& in, absl::string_view field);

// Removes from `rules`, the JSON form of a v1::RuleSet, the fields that v1::RuleSet no longer has.
// The parameters of these fields have the same value in every rule set. Returns BAD_REQUEST if such
// a field has another value. `field` is the path of `rules`.
absl::Status RemoveConstants(google::protobuf::Struct* rules, absl::string_view field);

// Returns the rule set of a message that has the fields `rules` and `rule_set`. If `rules` is set,
// decodes `rules`. If `rules` is not set, finds the rule set that `rule_set` names. The errors are
// those of DecodeRuleSet() and NamedRules().
template <typename Message>
absl::StatusOr<rules::RuleSet> RuleSetOf(const Message& message, absl::string_view field);

// Like RuleSetOf(), but also returns BAD_REQUEST if the rule set does not allow the message's
// player_count.
template <typename Message>
absl::StatusOr<rules::RuleSet> RuleSetFor(const Message& message, absl::string_view field);

// Returns true if the rule set named `name` exists and has the values of `rules`.
bool NameTells(absl::string_view name, const rules::RuleSet& rules);

// Sets the field `rule_set` of `out` to `name`. If NameTells(name, rules) is false, also sets the
// field `rules`.
template <typename Message>
void EncodeRuleSetOf(absl::string_view name, const rules::RuleSet& rules, Message* out) {
  out->set_rule_set(std::string(name));
  if (!NameTells(name, rules)) EncodeRuleSet(rules, out->mutable_rules());
}

// Returns the rule set named `name`, or NOT_FOUND RULE_SET_NOT_FOUND with at most 64 bytes of the
// name.
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
    return BadRequest("player_count", "the rule set does not allow this number of players");
  }
  return rules;
}

}  // namespace tarot::wire
