#include "services/rules/storage/rows.h"

#include <algorithm>
#include <stdexcept>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "libs/rules/parameters/parameters.h"
#include "services/rules/storage/sql_array.h"

namespace tarot::rules_service {
namespace {

template <typename IdType>
IdType IdFrom(const pqxx::field& field) {
  return IdType::Parse(field.c_str()).value_or(IdType{});
}

// Throws when there are none: the match cannot be played on under other rules than its own.
rules::RuleSet RulesOf(const pqxx::row& row) {
  if (!row["rule_values"].is_null()) {
    const auto rules = rules::DecodeRuleSet(row["rule_values"].c_str());
    if (rules) return *rules;
  } else if (const auto* named = rules::FindRuleSet(row["rule_set"].c_str())) {
    return named->rules;
  }
  throw std::runtime_error("a stored table's rule set cannot be read");
}

std::optional<dealing::DealSeed> SeedFrom(const pqxx::field& field) {
  if (field.is_null()) return std::nullopt;
  const pqxx::binarystring bytes(field);
  dealing::DealSeed seed{};
  if (bytes.size() != seed.size()) throw std::runtime_error("a stored seed cannot be read");
  std::copy(bytes.begin(), bytes.end(), seed.begin());
  return seed;
}

}  // namespace

std::string SqlTime(absl::Time time) {
  if (time == absl::InfiniteFuture()) return "infinity";
  if (time == absl::InfinitePast()) return "-infinity";
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E6S%Ez", time, absl::UTCTimeZone());
}

absl::Time TimeFromEpoch(const std::string& seconds) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(seconds, absl::MaxSplits('.', 1));
  std::int64_t whole = 0;
  std::int64_t micros = 0;
  std::string fraction(parts.second);
  fraction.resize(6, '0');
  (void)absl::SimpleAtoi(parts.first, &whole);
  (void)absl::SimpleAtoi(fraction, &micros);
  return absl::FromUnixMicros(whole * 1'000'000 + micros);
}

std::string SqlTexts(const std::vector<std::string>& values) {
  SqlArray array;
  for (const std::string& value : values) array.AddText(value);
  return std::move(array).Finish();
}

std::vector<int> IntsFromSql(const std::string& array) {
  std::vector<int> out;
  const absl::string_view inner = absl::StripSuffix(absl::StripPrefix(array, "{"), "}");
  for (const absl::string_view part : absl::StrSplit(inner, ',', absl::SkipEmpty())) {
    int value = 0;
    if (absl::SimpleAtoi(part, &value)) out.push_back(value);
  }
  return out;
}

std::optional<MatchEnd> EndFromRow(const pqxx::row& row) {
  const pqxx::field totals = row["totals"];
  if (totals.is_null()) return std::nullopt;
  return MatchEnd{.deals_scored = row["deals_scored"].as<int>(),
                  .totals = IntsFromSql(totals.as<std::string>())};
}

LogEntry EntryFromRow(const pqxx::row& row) {
  LogEntry entry;
  entry.revision = row[0].as<int>();
  entry.request = IdFrom<RequestId>(row[1]);
  entry.kind = static_cast<EventKind>(row[2].as<int>());
  entry.actor = static_cast<Actor>(row[3].as<int>());
  entry.seat = row[4].as<int>();
  entry.payload = pqxx::binarystring(row[5]).str();
  entry.elapsed = absl::Microseconds(row[6].as<long long>());
  entry.create_time = absl::FromUnixMicros(row[7].as<long long>());
  return entry;
}

TableConfig ConfigFromRows(TableId table, const pqxx::result& rows, pqxx::result::size_type begin,
                           pqxx::result::size_type end) {
  TableConfig config{.id = table};
  const pqxx::row first = rows[begin];
  config.rule_set = first["rule_set"].as<std::string>();
  config.rules = RulesOf(first);
  config.first_seed = SeedFrom(first["first_seed"]);
  config.deal_count = first["deal_count"].as<int>();
  config.move_limit = absl::Milliseconds(first["move_limit_ms"].as<long long>());
  config.time_bank = absl::Milliseconds(first["time_bank_ms"].as<long long>());
  config.ranked = first["ranked"].as<bool>();
  config.create_time = TimeFromEpoch(first["create_time"].as<std::string>());
  for (auto i = begin; i < end; ++i) {
    const pqxx::row row = rows[i];
    config.seats.push_back({.player = IdFrom<PlayerId>(row["player_id"]),
                            .display_name = row["display_name"].as<std::string>(),
                            .bot_level = row["bot_level"].as<std::string>()});
  }
  return config;
}

}  // namespace tarot::rules_service
