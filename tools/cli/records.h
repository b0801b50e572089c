// Reads records of finished deals from a message or a file, as the types of libs/notation. Writes
// them as TDN or as an archive. Shows a proof as text.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/notation/prove.h"
#include "libs/notation/record.h"
#include "tarot/rules/v1/deal_record.pb.h"
#include "tools/cli/text.h"

namespace tarot::cli {

// Returns the record with everything that the message states. The seats are numbered so that seat A
// bids first. Returns INVALID_ARGUMENT when parts of the message contradict each other, or when a
// value is out of range, for example a seat, a card number or the length of a seed. A bot's name
// begins with "bot ".
absl::StatusOr<notation::Document> ToDocument(const rules::v1::DealRecord& record);

// Returns the records in the content of a file: TDN, an archive (libs/notation/record_bytes.h), or
// JSON (a DealRecord, or the output of `tarotctl record --format json`).
absl::StatusOr<std::vector<notation::Document>> ParseRecords(absl::string_view text);

// Returns the records of the file at `path`. The errors are those of ReadFile and ParseRecords.
absl::StatusOr<std::vector<notation::Document>> ReadRecords(const std::string& path);

// Returns `record` as TDN ("tdn") or as an archive of one record ("bin").
absl::StatusOr<std::string> WriteRecord(const notation::Record& record, const std::string& format);

// Returns the players in the order of their seats, then one line for each check, and at last the
// result.
std::string RenderProof(const notation::Record& record, const std::vector<notation::Check>& checks,
                        const TextStyle& style);

}  // namespace tarot::cli
