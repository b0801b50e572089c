#include "services/matchmaking/storage/pool.h"

#include <vector>

#include "services/matchmaking/storage/pg_player_store.h"
#include "services/matchmaking/storage/pg_room_store.h"
#include "services/matchmaking/storage/pg_ticket_store.h"

namespace tarot::matchmaking_service {

std::shared_ptr<pg::Pool> MakePool(const std::string& dsn, int connections,
                                   prometheus::Registry& registry) {
  std::vector<pg::Statement> statements = TicketStatements();
  for (const pg::Statement& statement : RoomStatements()) statements.push_back(statement);
  for (const pg::Statement& statement : PlayerStatements()) statements.push_back(statement);
  return std::make_shared<pg::Pool>(
      pg::PoolOptions{
          .dsn = dsn, .connections = connections, .application_name = "tarot-matchmaking"},
      std::move(statements), registry);
}

}  // namespace tarot::matchmaking_service
