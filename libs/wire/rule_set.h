// Converts rule sets by value to and from their proto.
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

// Encodes the values. Sets every field except the preset.
void EncodeRuleSet(const rules::RuleSet& rules, v1::RuleSet* out);

// Decodes a rule set. A field that is not set gets its value from the preset, or from "fft" when
// the preset is empty. `field` is the path of `in`. Returns NOT_FOUND RULE_SET_NOT_FOUND for an
// unknown preset. Returns BAD_REQUEST for a value out of range and for two values that contradict
// each other; the metadata `field` and `other_field` name them.
absl::StatusOr<rules::RuleSet> DecodeRuleSet(const v1::RuleSet& in, absl::string_view field);

// Removes from `rules`, the JSON of a v1::RuleSet, the parameters of earlier versions that have one
// value in every rule set. Returns BAD_REQUEST when one of them has another value. `field` is the
// path of `rules`.
absl::Status RemoveConstants(google::protobuf::Struct* rules, absl::string_view field);

// Returns the rule set of a request or a record: its values if they are set, otherwise the rule set
// with its name. `message` has the fields rule_set and rules. The errors are those of
// DecodeRuleSet.
template <typename Message>
absl::StatusOr<rules::RuleSet> RuleSetOf(const Message& message, absl::string_view field);

// Like RuleSetOf, but also returns BAD_REQUEST if the rule set does not allow the player_count of
// the message.
template <typename Message>
absl::StatusOr<rules::RuleSet> RuleSetFor(const Message& message, absl::string_view field);

// Returns true if there is a named rule set `name`, and its values are those of `rules`.
bool NameTells(absl::string_view name, const rules::RuleSet& rules);

// Sets the name. If NameTells(name, rules) is false, sets the values too.
template <typename Message>
void EncodeRuleSetOf(absl::string_view name, const rules::RuleSet& rules, Message* out) {
  out->set_rule_set(std::string(name));
  if (!NameTells(name, rules)) EncodeRuleSet(rules, out->mutable_rules());
}

// Returns the rule set of that name, or NOT_FOUND RULE_SET_NOT_FOUND.
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
