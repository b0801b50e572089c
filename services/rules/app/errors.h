// The errors of the rules service, grouped by noun (docs/errors.md).
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tarot::rules_service {

// Tables.
absl::Status TableNotFound();               // NOT_FOUND TABLE_NOT_FOUND
absl::Status TableExists();                 // ALREADY_EXISTS TABLE_EXISTS: with other settings.
absl::Status TablesFull();                  // RESOURCE_EXHAUSTED TABLES_FULL
absl::Status TableBusy();                   // RESOURCE_EXHAUSTED TABLE_BUSY
absl::Status TableMoved();                  // UNAVAILABLE TABLE_MOVED: another replica hosts it.
absl::Status TableSetBack();                // DATA_LOSS TABLE_SET_BACK: stored entries are lost.
absl::Status RevisionMismatch(int newest);  // ABORTED REVISION_MISMATCH
absl::Status HostAway();                    // UNAVAILABLE HOST_AWAY: its host does not answer.
absl::Status NotSeated();                   // PERMISSION_DENIED NOT_SEATED

// Deals.
absl::Status RecordNotFound();  // NOT_FOUND RECORD_NOT_FOUND
// FAILED_PRECONDITION NONCE_REFUSED (metadata: why): NO_SEED_YET, MATCH_OVER, NONCE_SIZE,
// NONCE_GIVEN when the seat has added another nonce, DEAL_BEGAN.
absl::Status NonceRefused(absl::string_view why);

// The process.
absl::Status Overloaded();    // UNAVAILABLE OVERLOADED
absl::Status ShuttingDown();  // UNAVAILABLE SHUTTING_DOWN

}  // namespace tarot::rules_service
