// Declares functions that read and write values in the form of the SQL tables of the schema
// `matchmaking`. The stores of this folder use them.
#pragma once

#include <optional>
#include <pqxx/pqxx>
#include <stdexcept>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "libs/base/check.h"
#include "libs/base/ids.h"
#include "services/matchmaking/app/ticket.h"

namespace tarot::matchmaking_service {

// Returns an empty id for NULL.
template <typename Id>
Id IdFrom(const pqxx::field& field) {
  if (field.is_null()) return Id();
  const std::optional<Id> id = Id::Parse(field.c_str());
  TAROT_CHECK(id.has_value());  // The column has the type uuid, so the text is valid.
  return *id;
}

// Parses a time in the form that Postgres prints, for example "2026-11-21 01:02:03.456789+00". The
// offset is +00 because our sessions run in UTC.
absl::Time TimeFrom(const pqxx::field& field);

std::string TimeText(absl::Time time);

// Parses ids that array_to_string has joined with commas.
std::vector<PlayerId> PlayersFrom(const pqxx::field& field);

// The exception for a row with a value that this version does not know. The code that reads rooms
// and tables skips such a row.
class UnreadableRow : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Reads the terms of a match from a row of `queues`, `tables` or `rooms`. If the rule set has a
// value that this version does not know, throws UnreadableRow.
MatchTerms TermsFrom(const pqxx::row& row);

// Returns the value for the column `rule_values`, or nullopt for a named rule set.
std::optional<std::string> RuleValuesOf(const MatchTerms& terms);

// Returns `text` as a parameter of a statement; nullptr means NULL.
inline const char* OrNull(const std::optional<std::string>& text) {
  return text ? text->c_str() : nullptr;
}

// Returns `text` as an element of an array literal.
std::string Quoted(const std::string& text);

// Returns the id as an element of an array literal; NULL for an empty id.
template <typename Id>
std::string ElementOf(const Id& id) {
  return id.empty() ? "NULL" : id.ToString();
}

// Returns an array literal. `to_text` returns the text of one element.
template <typename Items, typename ToText>
std::string ArrayText(const Items& items, ToText to_text) {
  return absl::StrCat("{",
                      absl::StrJoin(items, ",",
                                    [&](std::string* out, const auto& item) {
                                      absl::StrAppend(out, to_text(item));
                                    }),
                      "}");
}

}  // namespace tarot::matchmaking_service
