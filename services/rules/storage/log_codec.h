// The body of a log entry as rules.table_actions stores it: a kind and bytes. Every later version
// can read them.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "services/rules/app/log_entry.h"

namespace tarot::rules_service {

struct StoredBody {
  int kind = 0;  // The value of the column `kind`. The numbers never change.
  std::string payload;
};

StoredBody EncodeBody(const EntryBody& body);

// Decodes a body. `players` players sit at the table. If the body starts a deal, the deal is
// `deal_number` of its match (from 1, redeals included). Returns nullopt for a body that EncodeBody
// never made.
std::optional<EntryBody> DecodeBody(int kind, absl::string_view payload, int players,
                                    int deal_number);

}  // namespace tarot::rules_service
