// TicketStore in memory, for tests and the simulation.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "services/matchmaking/app/ticket_store.h"

namespace tarot::matchmaking_service {

// Returns a ranked queue and a casual queue, and 32 bots of all levels.
Catalog TestCatalog();

// The store keeps the same contract as the one on Postgres (ticket_store_contract.h). Thread-safe.
class FakeTicketStore : public TicketStore {
 public:
  explicit FakeTicketStore(Catalog catalog = TestCatalog()) : catalog_(std::move(catalog)) {}

  // Every method returns this status and does nothing. OK ends the failure.
  void set_failure(absl::Status failure);

  absl::StatusOr<Catalog> ReadCatalog() override;
  absl::Status WriteCatalog(const Catalog& catalog) override;
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
  enum class TableState { kPlaced, kMade, kRefused, kOver };

  // Turns the tickets of a table that are in state placing into state `to`. With `also_matched`,
  // turns the matched ones too.
  std::vector<Ticket> Turn(TableId table, TicketState to, bool also_matched);
  bool IsOpen(const std::string& queue) const;
  TableId LastTable(PlayerId player) const;
  bool HasLiveTicket(PlayerId player) const;

  std::mutex mutex_;
  Catalog catalog_;
  absl::Status failure_;
  std::map<TicketId, Ticket> tickets_;
  std::map<std::pair<PlayerId, RequestId>, TicketId> requests_;
  std::map<TableId, std::pair<PlannedTable, TableState>> tables_;
};

}  // namespace tarot::matchmaking_service
