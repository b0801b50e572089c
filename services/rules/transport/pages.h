// Page sizes and opaque page tokens: a token is the last key of the page before.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "services/rules/app/table_store.h"

namespace tarot::rules_service {

// 20 when unset, at most 100. INVALID_ARGUMENT BAD_REQUEST when negative.
absl::StatusOr<int> PageSize(int page_size);

std::string PageToken(const DealKey& last);
std::string PageToken(const TableKey& last);

// nullopt for the empty token of a first page. INVALID_ARGUMENT BAD_REQUEST for one that we did not
// make.
absl::StatusOr<std::optional<DealKey>> ParseDealPageToken(absl::string_view token);
absl::StatusOr<std::optional<TableKey>> ParseTablePageToken(absl::string_view token);

}  // namespace tarot::rules_service
