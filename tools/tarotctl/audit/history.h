// The matches that a rules service keeps in Postgres, as jobs of an audit.
#pragma once

#include <functional>

#include "absl/status/status.h"
#include "services/rules/app/table_store.h"
#include "tools/tarotctl/audit/auditor.h"

namespace tarot::tarotctl {

// Hands every table of `store`, newest first, to `add`, some a job: its log is read and replayed
// from the first entry on. `store` outlives the jobs and is thread-safe.
absl::Status AddHistory(rules_service::TableStore& store,
                        const std::function<void(Auditor::Job)>& add);

}  // namespace tarot::tarotctl
