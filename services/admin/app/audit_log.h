// Runs the calls of operators. Before a call does anything, the store gets a row with the operator,
// the method, the subject and the reason. At the end of the call, the store gets a row with the
// outcome. So each act has a row, even if the service dies during the act.
#pragma once

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "services/admin/app/admin_store.h"
#include "services/admin/metrics.h"

namespace tarot::admin_service {

// Thread-safe.
class AuditLog {
 public:
  AuditLog(AdminStore& store, Metrics& metrics) : store_(store), metrics_(metrics) {}

  // Stores `call`, runs `act`, stores the outcome, and returns the status of `act`. If `call`
  // cannot be stored, returns the error and does not run `act`. Returns INVALID_ARGUMENT
  // BAD_REQUEST without a row if the reason of the call is missing or too long, or has control
  // characters.
  absl::Status Run(const OperatorCall& call, absl::FunctionRef<absl::Status()> act);

 private:
  AdminStore& store_;
  Metrics& metrics_;
};

}  // namespace tarot::admin_service
