// The body of a log entry as rules.table_actions stores it: a kind and bytes, readable for ever.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "services/rules/app/log_entry.h"

namespace tarot::rules_service {

struct StoredBody {
  int kind = 0;  // The column `kind`; the numbers never change.
  std::string payload;
};

StoredBody EncodeBody(const EntryBody& body);

// `players` sit at the table. A body that starts a deal starts deal `deal_number` of its match
// (from 1, redeals included). Nothing for a body that EncodeBody never made.
std::optional<EntryBody> DecodeBody(int kind, absl::string_view payload, int players,
                                    int deal_number);

}  // namespace tarot::rules_service
