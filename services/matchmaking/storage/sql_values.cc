#include "services/matchmaking/storage/sql_values.h"

#include "absl/strings/str_split.h"
#include "libs/rules/parameters/parameters.h"

namespace tarot::matchmaking_service {

absl::Time TimeFrom(const pqxx::field& field) {
  absl::Time time;
  TAROT_CHECK(absl::ParseTime("%Y-%m-%d %H:%M:%E*S%Ez", field.c_str(), &time, nullptr));
  return time;
}

std::string TimeText(absl::Time time) {
  return absl::FormatTime(absl::RFC3339_full, time, absl::UTCTimeZone());
}

std::vector<PlayerId> PlayersFrom(const pqxx::field& field) {
  const auto text = field.as<std::string>();
  std::vector<PlayerId> players;
  for (const absl::string_view id : absl::StrSplit(text, ',', absl::SkipEmpty())) {
    players.push_back(*PlayerId::Parse(id));
  }
  return players;
}

MatchTerms TermsFrom(const pqxx::row& row) {
  const auto seconds = [&](const char* column) { return absl::Seconds(row[column].as<int>()); };
  MatchTerms terms{.rule_set = row["rule_set"].as<std::string>(),
                   .deal_count = row["deal_count"].as<int>(),
                   .move_limit = seconds("move_limit_seconds"),
                   .time_bank = seconds("time_bank_seconds"),
                   .ranked = row["ranked"].as<bool>(),
                   .take_back = row["take_back"].as<bool>(),
                   .breaks = row["breaks"].as<bool>()};
  if (!row["rule_values"].is_null()) {
    terms.rules = rules::DecodeRuleSet(row["rule_values"].c_str());
    if (!terms.rules) throw UnreadableRow("a newer version has written the rule set");
  }
  return terms;
}

std::optional<std::string> RuleValuesOf(const MatchTerms& terms) {
  if (!terms.rules) return std::nullopt;
  return rules::EncodeRuleSet(*terms.rules);
}

std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace tarot::matchmaking_service
