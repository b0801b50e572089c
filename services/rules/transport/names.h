// Resource names: "tables/{uuid}", "players/{uuid}", "tables/{uuid}/deals/{number}".
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/base/ids.h"

namespace tarot::rules_service {

std::string TableName(TableId table);
std::string PlayerName(PlayerId player);
std::string DealName(TableId table, int number);

// INVALID_ARGUMENT BAD_REQUEST, naming `field`.
absl::StatusOr<TableId> ParseTableName(absl::string_view name, absl::string_view field);
absl::StatusOr<PlayerId> ParsePlayerName(absl::string_view name, absl::string_view field);
absl::StatusOr<RequestId> ParseRequestId(absl::string_view text, absl::string_view field);

struct DealId {
  TableId table;
  int number = 0;
};
absl::StatusOr<DealId> ParseDealName(absl::string_view name, absl::string_view field);

}  // namespace tarot::rules_service
