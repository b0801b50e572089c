// Tickets in Postgres, schema matchmaking.
#pragma once

#include <prometheus/registry.h>

#include <map>
#include <string>
#include <vector>

#include "libs/pg/pool.h"
#include "services/matchmaking/app/ticket_store.h"

namespace tarot::matchmaking_service {

class PgTicketStore final : public TicketStore {
 public:
  // The schema must be at its newest version.
  PgTicketStore(pg::PoolOptions options, prometheus::Registry& registry);

  absl::StatusOr<std::vector<Queue>> ListQueues() override;
  absl::StatusOr<std::vector<Bot>> ListBots() override;
  absl::StatusOr<CreatedTicket> Create(const NewTicket& ticket) override;
  absl::StatusOr<std::vector<Ticket>> Get(absl::Span<const TicketId> ids) override;
  absl::StatusOr<Ticket> Cancel(TicketId id, PlayerId player) override;
  absl::StatusOr<std::vector<Ticket>> ListWaiting() override;
  absl::StatusOr<std::map<std::string, int>> CountWaiting() override;
  absl::StatusOr<std::vector<Ticket>> ListLiveBots() override;
  absl::StatusOr<bool> Place(const PlannedTable& table) override;
  absl::StatusOr<std::vector<PlannedTable>> ListPlaced() override;
  absl::StatusOr<std::vector<Ticket>> Confirm(TableId table) override;
  absl::StatusOr<std::vector<Ticket>> Refuse(TableId table) override;
  absl::StatusOr<std::vector<Ticket>> Release(TableId table) override;

 private:
  template <typename... Args>
  absl::StatusOr<std::vector<Ticket>> Tickets(const pg::Statement& statement, const Args&... args);

  pg::Pool pool_;
};

}  // namespace tarot::matchmaking_service
