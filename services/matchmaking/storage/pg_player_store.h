// Declares the PlayerStore on Postgres. It uses the schema `matchmaking`.
#pragma once

#include <memory>
#include <vector>

#include "libs/pg/pool.h"
#include "services/matchmaking/app/player_store.h"

namespace tarot::matchmaking_service {

// Returns the statements that the pool of the store must prepare.
std::vector<pg::Statement> PlayerStatements();

// Makes the store. `pool` comes from MakePool.
std::unique_ptr<PlayerStore> MakePgPlayerStore(std::shared_ptr<pg::Pool> pool);

}  // namespace tarot::matchmaking_service
