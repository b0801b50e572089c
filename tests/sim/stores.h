// The stores of each process. They are stores in memory, which keep the same contract as Postgres,
// behind a database that fails. Each process has one set; the memory behind them belongs to the
// cluster.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "libs/cluster/member_store.h"
#include "services/matchmaking/app/ticket_store.h"
#include "services/ratings/testing/fake_rating_store.h"
#include "services/rules/app/table_store.h"
#include "tests/sim/database.h"
#include "tests/sim/log_reader.h"

namespace tarot::sim {

class SimTableStore final : public rules_service::TableStore {
 public:
  SimTableStore(Life& life, Database& database, rules_service::TableStore& memory,
                LogReader& reader)
      : life_(life), database_(database), memory_(memory), reader_(reader) {}

  absl::StatusOr<bool> Create(const rules_service::TableConfig& config) override;
  std::vector<absl::StatusOr<rules_service::Appended>> Append(
      const std::vector<rules_service::NewEntry>& entries) override;
  absl::StatusOr<rules_service::StoredTable> Load(TableId table) override;
  absl::StatusOr<std::vector<rules_service::StoredTable>> LoadMany(
      const std::vector<TableId>& tables) override;
  absl::StatusOr<std::vector<rules_service::LiveTable>> ListLive(
      const std::optional<rules_service::TableKey>& after, int limit) override;
  absl::StatusOr<std::vector<rules_service::TableKey>> ListTables(
      const rules_service::TableQuery& query) override;
  absl::StatusOr<std::vector<rules_service::DealKey>> ListDeals(
      const rules_service::DealQuery& query) override;
  absl::StatusOr<std::vector<rules_service::StoredDeal>> LoadDeals(
      const std::vector<rules_service::DealKey>& deals) override;
  absl::StatusOr<std::vector<rules_service::OutboxItem>> ListOutbox(int limit, int offset) override;
  absl::Status MarkDelivered(TableId table, rules_service::OutboxTarget target) override;

 private:
  Life& life_;
  Database& database_;
  rules_service::TableStore& memory_;
  LogReader& reader_;
};

class SimTicketStore final : public matchmaking_service::TicketStore {
 public:
  SimTicketStore(Life& life, Database& database, matchmaking_service::TicketStore& memory)
      : life_(life), database_(database), memory_(memory) {}

  absl::StatusOr<matchmaking_service::Catalog> ReadCatalog() override;
  absl::Status WriteCatalog(const matchmaking_service::Catalog& catalog) override;
  absl::StatusOr<matchmaking_service::CreatedTicket> Create(
      const matchmaking_service::NewTicket& ticket) override;
  absl::StatusOr<std::vector<matchmaking_service::Ticket>> Get(
      absl::Span<const TicketId> ids) override;
  absl::StatusOr<matchmaking_service::Ticket> Cancel(TicketId id, PlayerId player) override;
  absl::StatusOr<std::vector<matchmaking_service::Ticket>> ListWaiting() override;
  absl::StatusOr<std::map<std::string, int>> CountWaiting() override;
  absl::StatusOr<std::vector<matchmaking_service::Ticket>> ListLiveBots() override;
  absl::StatusOr<bool> Place(const matchmaking_service::PlannedTable& table) override;
  absl::StatusOr<std::vector<matchmaking_service::PlannedTable>> ListPlaced() override;
  absl::StatusOr<std::vector<matchmaking_service::Ticket>> Confirm(TableId table) override;
  absl::StatusOr<std::vector<matchmaking_service::Ticket>> Refuse(TableId table) override;
  absl::StatusOr<std::vector<matchmaking_service::Ticket>> Release(TableId table) override;

 private:
  Life& life_;
  Database& database_;
  matchmaking_service::TicketStore& memory_;
};

// Runs calls of a store as statements of one process.
struct StatementRunner {
  Life& life;
  Database& database;

  template <typename Run>
  auto operator()(Run run) const {
    return database.Statement<decltype(run())>(life, run);
  }
};

using SimRatingStore = ratings_service::FaultyRatingStore<StatementRunner>;

class SimMemberStore final : public cluster::MemberStore {
 public:
  SimMemberStore(Life& life, Database& database, cluster::MemberStore& memory)
      : life_(life), database_(database), memory_(memory) {}

  absl::StatusOr<std::vector<cluster::Member>> Heartbeat(const std::string& address,
                                                         const Uuid& incarnation) override;
  absl::StatusOr<std::vector<cluster::Member>> List() override;
  absl::Status Remove(const std::string& address, const Uuid& incarnation) override;

 private:
  Life& life_;
  Database& database_;
  cluster::MemberStore& memory_;
};

}  // namespace tarot::sim
