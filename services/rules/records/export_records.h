// Exports the deals of ranked matches for tarot-lab collusion (docs/collusion.md).
#pragma once

#include <ostream>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "services/rules/app/record_service.h"

namespace tarot::rules_service {

// Writes an archive (libs/notation/record_bytes.h) with the scored deals of ranked matches that
// finished at `start` or later, newest first. Each seat has the id of its player as its name, for
// example "players/5f3c...", because two players may have the same name. Leaves out the deals in
// which a bot acted for an absent person. Returns the number of written deals, or the error of the
// first deal that cannot be read.
absl::StatusOr<long> ExportRecords(RecordService& records, absl::Time start, std::ostream& out);

}  // namespace tarot::rules_service
