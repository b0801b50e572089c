// The gateway service: the only service that players reach.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "libs/rpc/process.h"
#include "services/gateway/options.h"

namespace tarot::gateway_service {

// The other services may start later.
absl::StatusOr<std::unique_ptr<rpc::Service>> StartService(const Options& options,
                                                           const rpc::Environment& environment);

}  // namespace tarot::gateway_service
