// A finished deal's record as libs/notation knows it, and what was proven of one, as text. Pure.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/notation/prove.h"
#include "libs/notation/record.h"
#include "tarot/rules/v1/deal_record.pb.h"
#include "tools/tarotctl/text/style.h"

namespace tarot::tarotctl {

// The record turned so that seat A speaks first, with all that it states. INVALID_ARGUMENT when its
// parts do not fit together (seats, cards that are none, a seed of the wrong length).
absl::StatusOr<notation::Document> ToDocument(const rules::v1::DealRecord& record);

// The records of a file: TDN, an archive (libs/notation/record_bytes.h), or JSON (a DealRecord, or
// what `tarotctl record --format json` wrote).
absl::StatusOr<std::vector<notation::Document>> ParseRecords(absl::string_view text);

// Who sat where, each check on a line, and the verdict.
std::string RenderProof(const notation::Record& record, const std::vector<notation::Check>& checks,
                        const Style& style);

}  // namespace tarot::tarotctl
