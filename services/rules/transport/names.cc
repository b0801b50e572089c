#include "services/rules/transport/names.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/base/status_macros.h"
#include "libs/wire/values.h"

namespace tarot::rules_service {
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
  const std::size_t slash = name.find("/deals/");
  DealId deal;
  if (slash == absl::string_view::npos || !absl::SimpleAtoi(name.substr(slash + 7), &deal.number) ||
      deal.number < 1) {
    return BadRequest(field, "tables/{uuid}/deals/{number}");
  }
  TAROT_ASSIGN_OR_RETURN(deal.table, ParseTableName(name.substr(0, slash), field));
  return deal;
}

}  // namespace tarot::rules_service
