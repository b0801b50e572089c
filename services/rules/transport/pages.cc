#include "services/rules/transport/pages.h"

#include <algorithm>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/base/error.h"
#include "libs/base/status_macros.h"

namespace tarot::rules_service {
namespace {

constexpr int kPageSizeDefault = 20;
constexpr int kPageSizeMax = 100;
constexpr std::int64_t kMicrosEnd = 253'402'300'800'000'000;  // The year 10000.

std::string Token(absl::Time time, TableId table, int number) {
  return absl::WebSafeBase64Escape(
      absl::StrCat(absl::ToUnixMicros(time), " ", table.ToString(), " ", number));
}

absl::StatusOr<std::optional<DealKey>> Parse(absl::string_view token) {
  if (token.empty()) return std::nullopt;
  std::string text;
  if (absl::WebSafeBase64Unescape(token, &text)) {
    const std::vector<std::string> parts = absl::StrSplit(text, ' ');
    std::int64_t micros = 0;
    DealKey key;
    if (parts.size() == 3 && absl::SimpleAtoi(parts[0], &micros) && micros >= 0 &&
        micros < kMicrosEnd && absl::SimpleAtoi(parts[2], &key.number)) {
      if (const std::optional<TableId> table = TableId::Parse(parts[1])) {
        key.table = *table;
        key.finish_time = absl::FromUnixMicros(micros);
        return key;
      }
    }
  }
  return BadRequest("page_token", "not one that this method gave");
}

}  // namespace

absl::StatusOr<int> PageSize(int page_size) {
  if (page_size < 0) return BadRequest("page_size", "negative");
  return page_size == 0 ? kPageSizeDefault : std::min(page_size, kPageSizeMax);
}

std::string PageToken(const DealKey& last) {
  return Token(last.finish_time, last.table, last.number);
}

std::string PageToken(const TableKey& last) { return Token(last.create_time, last.table, 0); }

absl::StatusOr<std::optional<DealKey>> ParseDealPageToken(absl::string_view token) {
  return Parse(token);
}

absl::StatusOr<std::optional<TableKey>> ParseTablePageToken(absl::string_view token) {
  TAROT_ASSIGN_OR_RETURN(const std::optional<DealKey> key, Parse(token));
  if (!key) return std::nullopt;
  return TableKey{.table = key->table, .create_time = key->finish_time};
}

}  // namespace tarot::rules_service
