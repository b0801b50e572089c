// Resource names, request ids and page tokens, for all services of this folder. Deals, views and
// actions are in libs/wire; each service encodes its own messages.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/base/ids.h"
#include "services/rules/app/table_store.h"

namespace tarot::rules_service {

// A finished deal: "tables/{uuid}/deals/{number}".
struct DealId {
  TableId table;
  int number = 0;
};

std::string TableName(TableId table);     // "tables/{uuid}"
std::string PlayerName(PlayerId player);  // "players/{uuid}"
std::string DealName(TableId table, int number);

// INVALID_ARGUMENT BAD_REQUEST with `field` if `name` or `text` has another form.
absl::StatusOr<TableId> ParseTableName(absl::string_view name, absl::string_view field);
absl::StatusOr<PlayerId> ParsePlayerName(absl::string_view name, absl::string_view field);
absl::StatusOr<DealId> ParseDealName(absl::string_view name, absl::string_view field);
absl::StatusOr<RequestId> ParseRequestId(absl::string_view text, absl::string_view field);

// Returns the bytes of a seed or a commitment, for a `bytes` field.
template <typename Bytes>
std::string AsString(const Bytes& bytes) {
  return {bytes.begin(), bytes.end()};
}

// Returns the rows of a page: kPageSizeDefault if `page_size` is 0, and at most kPageSizeMax.
// INVALID_ARGUMENT BAD_REQUEST if it is negative.
absl::StatusOr<int> PageSize(int page_size);

// Returns an opaque token that contains the last key of a page.
std::string PageToken(const DealKey& last);
std::string PageToken(const TableKey& last);

// Returns the key that the next page follows; nullopt for the empty token of a first page.
// INVALID_ARGUMENT BAD_REQUEST for a token that PageToken did not make.
absl::StatusOr<std::optional<DealKey>> ParseDealPageToken(absl::string_view token);
absl::StatusOr<std::optional<TableKey>> ParseTablePageToken(absl::string_view token);

}  // namespace tarot::rules_service
