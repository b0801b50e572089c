// The rules service: live tables, records of finished deals, and the referee.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "libs/rpc/process.h"
#include "services/rules/options.h"

namespace tarot::rules_service {

// Migrates the schema, serves, and acquires every table in play that this replica hosts.
absl::StatusOr<std::unique_ptr<rpc::Service>> StartService(const Options& options,
                                                           const rpc::Environment& environment);

}  // namespace tarot::rules_service
