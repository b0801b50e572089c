// Declares the pool of connections that the stores of one process share.
#pragma once

#include <prometheus/registry.h>

#include <memory>
#include <string>

#include "libs/pg/pool.h"

namespace tarot::matchmaking_service {

// Before this call, the schema must be at its newest version: pg::Migrate(dsn, "matchmaking",
// Migrations()).
std::shared_ptr<pg::Pool> MakePool(const std::string& dsn, int connections,
                                   prometheus::Registry& registry);

}  // namespace tarot::matchmaking_service
