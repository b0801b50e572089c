// TicketStore on Postgres, schema `matchmaking`.
#pragma once

#include <prometheus/registry.h>

#include <memory>
#include <string>

#include "services/matchmaking/app/ticket_service.h"

namespace tarot::matchmaking_service {

// Makes the store. The schema must be at its newest version: pg::Migrate(dsn, "matchmaking",
// Migrations()).
std::unique_ptr<TicketStore> MakePgTicketStore(const std::string& dsn, int connections,
                                               prometheus::Registry& registry);

}  // namespace tarot::matchmaking_service
