#include "services/rules/transport/convert.h"

#include <algorithm>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/base/error.h"
#include "libs/wire/values.h"
#include "services/rules/limits.h"

namespace tarot::rules_service {
namespace {

constexpr std::int64_t kYear10000Micros = 253'402'300'800'000'000;

// The page tokens of tables and of deals have one format. For a table, `number` is 0.
std::string MakePageToken(absl::Time time, TableId table, int number) {
  return absl::WebSafeBase64Escape(
      absl::StrCat(absl::ToUnixMicros(time), " ", table.ToString(), " ", number));
}

std::optional<DealKey> ParseKey(absl::string_view token) {
  std::string text;
  if (!absl::WebSafeBase64Unescape(token, &text)) return std::nullopt;
  const std::vector<std::string> parts = absl::StrSplit(text, ' ');
  std::int64_t micros = 0;
  DealKey key;
  if (parts.size() != 3 || !absl::SimpleAtoi(parts[0], &micros) || micros < 0 ||
      micros >= kYear10000Micros || !absl::SimpleAtoi(parts[2], &key.number)) {
    return std::nullopt;
  }
  const std::optional<TableId> table = TableId::Parse(parts[1]);
  if (!table) return std::nullopt;
  key.table = *table;
  key.finish_time = absl::FromUnixMicros(micros);
  return key;
}

}  // namespace

std::string TableName(TableId table) { return absl::StrCat("tables/", table.ToString()); }
std::string PlayerName(PlayerId player) { return absl::StrCat("players/", player.ToString()); }
std::string DealName(TableId table, int number) {
  return absl::StrCat(TableName(table), "/deals/", number);
}

absl::StatusOr<TableId> ParseTableName(absl::string_view name, absl::string_view field) {
  return wire::DecodeName<TableId>(name, "tables/", field);
}

absl::StatusOr<PlayerId> ParsePlayerName(absl::string_view name, absl::string_view field) {
  return wire::DecodeName<PlayerId>(name, "players/", field);
}

absl::StatusOr<RequestId> ParseRequestId(absl::string_view text, absl::string_view field) {
  return wire::DecodeName<RequestId>(text, "", field);
}

absl::StatusOr<DealId> ParseDealName(absl::string_view name, absl::string_view field) {
  constexpr absl::string_view kDeals = "/deals/";
  const std::size_t slash = name.find(kDeals);
  DealId deal;
  if (slash == absl::string_view::npos ||
      !absl::SimpleAtoi(name.substr(slash + kDeals.size()), &deal.number) || deal.number < 1) {
    return BadRequest(field, "must be tables/{uuid}/deals/{number}");
  }
  TAROT_ASSIGN_OR_RETURN(deal.table, ParseTableName(name.substr(0, slash), field));
  return deal;
}

absl::StatusOr<int> PageSize(int page_size) {
  if (page_size < 0) return BadRequest("page_size", "must not be negative");
  return page_size == 0 ? kPageSizeDefault : std::min(page_size, kPageSizeMax);
}

std::string PageToken(const DealKey& last) {
  return MakePageToken(last.finish_time, last.table, last.number);
}

std::string PageToken(const TableKey& last) {
  return MakePageToken(last.create_time, last.table, 0);
}

absl::StatusOr<std::optional<DealKey>> ParseDealPageToken(absl::string_view token) {
  if (token.empty()) return std::nullopt;
  std::optional<DealKey> key = ParseKey(token);
  if (!key) return BadRequest("page_token", "must be a token that this method returned");
  return key;
}

absl::StatusOr<std::optional<TableKey>> ParseTablePageToken(absl::string_view token) {
  TAROT_ASSIGN_OR_RETURN(const std::optional<DealKey> key, ParseDealPageToken(token));
  if (!key) return std::nullopt;
  return TableKey{.table = key->table, .create_time = key->finish_time};
}

}  // namespace tarot::rules_service
