// A TicketStore in memory, for unit tests and simulation; held to the same contract as Postgres.
#pragma once

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "services/matchmaking/app/ticket_store.h"

namespace tarot::matchmaking_service {

class FakeTicketStore : public TicketStore {
 public:
  // Holds the queues and the roster of the migrations.
  FakeTicketStore();

  // Every method answers this and does nothing, until OK.
  void set_failure(absl::Status failure);

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
  enum class TableState { kPlaced, kMade, kRefused, kOver };

  // Turns the placing (and, with `also_matched`, the matched) tickets of a table into `to`.
  std::vector<Ticket> Turn(TableId table, TicketState to, bool also_matched);
  TableId LastTable(PlayerId player) const;
  bool HasLiveTicket(PlayerId player) const;

  const std::vector<Queue> queues_;
  const std::vector<Bot> bots_;
  std::mutex mutex_;
  absl::Status failure_;
  std::map<TicketId, Ticket> tickets_;
  std::map<std::pair<PlayerId, RequestId>, TicketId> requests_;
  std::map<TableId, std::pair<PlannedTable, TableState>> tables_;
};

}  // namespace tarot::matchmaking_service
