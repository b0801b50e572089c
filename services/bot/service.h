// The bot service: decides for the seats of bots, and analyzes deals.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "libs/rpc/process.h"
#include "services/bot/options.h"

namespace tarot::bot_service {

absl::StatusOr<std::unique_ptr<rpc::Service>> StartService(const Options& options,
                                                           const rpc::Environment& environment);

}  // namespace tarot::bot_service
