// The matchmaking service: brings players together at tables.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "libs/rpc/process.h"
#include "services/matchmaking/options.h"

namespace tarot::matchmaking_service {

// Migrates the schema, then serves. Other services may start later.
absl::StatusOr<std::unique_ptr<rpc::Service>> StartService(const Options& options,
                                                           const rpc::Environment& environment);

}  // namespace tarot::matchmaking_service
