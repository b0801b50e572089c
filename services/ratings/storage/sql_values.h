// Declares functions that convert values to texts for SQL, and rows to values. The storage of the
// ratings service uses them.
#pragma once

#include <optional>
#include <pqxx/pqxx>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "libs/base/check.h"
#include "libs/base/ids.h"
#include "services/ratings/app/rating_store.h"

namespace tarot::ratings_service {

std::string Timestamp(absl::Time time);

// Returns the number as text with 17 digits. With 17 digits, Postgres reads exactly the same double
// from the text.
std::string DoubleText(double value);

std::string DoublesText(absl::Span<const double> values);

// Returns a Postgres array literal. `to_text` returns the text of one element, without quotes.
template <typename Items, typename ToText>
std::string ArrayOf(const Items& items, ToText to_text) {
  std::string array = "{";
  for (const auto& item : items) {
    if (array.size() > 1) array += ',';
    array += '"';
    for (const char c : std::string(to_text(item))) {
      if (c == '"' || c == '\\') array += '\\';
      array += c;
    }
    array += '"';
  }
  return array + '}';
}

// Returns a Postgres array literal whose elements may be NULL. `to_text` returns the text of one
// element. For NULL, it returns nullopt. The text must not contain quotes or backslashes.
template <typename Items, typename ToText>
std::string NullableArray(const Items& items, ToText to_text) {
  std::string array = "{";
  for (const auto& item : items) {
    if (array.size() > 1) array += ',';
    const std::optional<std::string> text = to_text(item);
    array += text ? absl::StrCat("\"", *text, "\"") : "NULL";
  }
  return array + '}';
}

std::string UuidArray(absl::Span<const PlayerId> players);

template <typename SomeId>
SomeId IdOf(const pqxx::field& field) {
  const auto id = SomeId::Parse(field.c_str());
  TAROT_CHECK(id.has_value());  // The column has the type uuid, so the text is valid.
  return *id;
}

inline absl::Time TimeOf(const pqxx::field& micros) {
  return absl::FromUnixMicros(micros.as<std::int64_t>());
}

inline rating::Skill SkillOf(const pqxx::field& mu, const pqxx::field& variance) {
  return {.mu = mu.as<double>(), .variance = variance.as<double>()};
}

// Reads the columns that every statement about standings selects.
Standing StandingOf(const pqxx::row& row);

}  // namespace tarot::ratings_service
