// The ratings service: rates finished matches and shows the ladder.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "libs/rpc/process.h"
#include "services/ratings/options.h"

namespace tarot::ratings_service {

// Migrates the schema, then serves.
absl::StatusOr<std::unique_ptr<rpc::Service>> StartService(const Options& options,
                                                           const rpc::Environment& environment);

}  // namespace tarot::ratings_service
