// Declares functions that convert resource names, request ids and page tokens for all services of
// this folder. libs/wire converts deals, views and actions. Each service of this folder encodes its
// own messages.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/base/ids.h"
#include "services/rules/app/table_store.h"

namespace tarot::rules_service {

// The id of a finished deal. Its name is "tables/{uuid}/deals/{number}".
struct DealId {
  TableId table;
  int number = 0;
};

std::string TableName(TableId table);     // Returns "tables/{uuid}".
std::string PlayerName(PlayerId player);  // Returns "players/{uuid}".
std::string DealName(TableId table, int number);

// If `name` or `text` does not have the right form, these functions return INVALID_ARGUMENT
// BAD_REQUEST with `field`.
absl::StatusOr<TableId> ParseTableName(absl::string_view name, absl::string_view field);
absl::StatusOr<PlayerId> ParsePlayerName(absl::string_view name, absl::string_view field);
absl::StatusOr<DealId> ParseDealName(absl::string_view name, absl::string_view field);
absl::StatusOr<RequestId> ParseRequestId(absl::string_view text, absl::string_view field);

// Returns the bytes of a seed or a commitment, for a `bytes` field.
template <typename Bytes>
std::string AsString(const Bytes& bytes) {
  return {bytes.begin(), bytes.end()};
}

// Returns the number of rows of a page. It is kPageSizeDefault if `page_size` is 0, and at most
// kPageSizeMax. If `page_size` is negative, returns INVALID_ARGUMENT BAD_REQUEST.
absl::StatusOr<int> PageSize(int page_size);

// Returns an opaque token that contains the last key of a page.
std::string PageToken(const DealKey& last);
std::string PageToken(const TableKey& last);

// Returns the last key of the previous page, or nullopt for the empty token of a first page.
// Returns INVALID_ARGUMENT BAD_REQUEST for a malformed token.
absl::StatusOr<std::optional<DealKey>> ParseDealPageToken(absl::string_view token);
absl::StatusOr<std::optional<TableKey>> ParseTablePageToken(absl::string_view token);

}  // namespace tarot::rules_service
