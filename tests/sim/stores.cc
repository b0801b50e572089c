#include "tests/sim/stores.h"

#include <memory>
#include <utility>

namespace tarot::sim {

using rules_service::Appended;
using rules_service::NewEntry;

// Every argument is copied, because a statement may run long after its caller got an answer.

absl::StatusOr<bool> SimTableStore::Create(const rules_service::TableConfig& config) {
  return database_.Statement<absl::StatusOr<bool>>(
      life_, [&memory = memory_, &reader = reader_, config] {
        const absl::StatusOr<bool> made = memory.Create(config);
        if (made.ok() && *made) reader.Created(config);
        return made;
      });
}

std::vector<absl::StatusOr<Appended>> SimTableStore::Append(const std::vector<NewEntry>& entries) {
  // One commit stores all of them, or none.
  using Results = std::vector<absl::StatusOr<Appended>>;
  const Writer writer{life_.node().name, life_.start()};
  const auto run = [&memory = memory_, &reader = reader_, entries,
                    writer]() -> absl::StatusOr<std::shared_ptr<Results>> {
    auto results = std::make_shared<Results>(memory.Append(entries));
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if ((*results)[i].ok() && !(*results)[i]->replayed) reader.Stored(writer, entries[i]);
    }
    return results;
  };
  const auto done = database_.Statement<absl::StatusOr<std::shared_ptr<Results>>>(life_, run);
  if (done.ok()) return **done;
  reader_.Unanswered(writer, entries);
  return Results(entries.size(), done.status());
}

absl::StatusOr<rules_service::StoredTable> SimTableStore::Load(TableId table) {
  return database_.Statement<absl::StatusOr<rules_service::StoredTable>>(
      life_, [&memory = memory_, table] { return memory.Load(table); });
}

absl::StatusOr<std::vector<rules_service::StoredTable>> SimTableStore::LoadMany(
    const std::vector<TableId>& tables) {
  return database_.Statement<absl::StatusOr<std::vector<rules_service::StoredTable>>>(
      life_, [&memory = memory_, tables] { return memory.LoadMany(tables); });
}

absl::StatusOr<std::vector<rules_service::LiveTable>> SimTableStore::ListLive(
    const std::optional<rules_service::TableKey>& after, int limit) {
  return database_.Statement<absl::StatusOr<std::vector<rules_service::LiveTable>>>(
      life_, [&memory = memory_, after, limit] { return memory.ListLive(after, limit); });
}

absl::StatusOr<std::vector<rules_service::TableKey>> SimTableStore::ListTables(
    const rules_service::TableQuery& query) {
  return database_.Statement<absl::StatusOr<std::vector<rules_service::TableKey>>>(
      life_, [&memory = memory_, query] { return memory.ListTables(query); });
}

absl::StatusOr<std::vector<rules_service::StoredDeal>> SimTableStore::LoadDeals(
    const std::vector<rules_service::DealKey>& deals) {
  return database_.Statement<absl::StatusOr<std::vector<rules_service::StoredDeal>>>(
      life_, [&memory = memory_, deals] { return memory.LoadDeals(deals); });
}

absl::StatusOr<std::vector<rules_service::DealKey>> SimTableStore::ListDeals(
    const rules_service::DealQuery& query) {
  return database_.Statement<absl::StatusOr<std::vector<rules_service::DealKey>>>(
      life_, [&memory = memory_, query] { return memory.ListDeals(query); });
}

absl::StatusOr<std::vector<rules_service::OutboxItem>> SimTableStore::ListOutbox(int limit,
                                                                                 int offset) {
  return database_.Statement<absl::StatusOr<std::vector<rules_service::OutboxItem>>>(
      life_, [&memory = memory_, limit, offset] { return memory.ListOutbox(limit, offset); });
}

absl::Status SimTableStore::MarkDelivered(TableId table, rules_service::OutboxTarget target) {
  return database_.Statement<absl::Status>(
      life_, [&memory = memory_, table, target] { return memory.MarkDelivered(table, target); });
}

using matchmaking_service::PlannedTable;
using matchmaking_service::Ticket;
using Tickets = absl::StatusOr<std::vector<Ticket>>;

absl::StatusOr<matchmaking_service::Catalog> SimTicketStore::ReadCatalog() {
  return database_.Statement<absl::StatusOr<matchmaking_service::Catalog>>(
      life_, [&memory = memory_] { return memory.ReadCatalog(); });
}

absl::Status SimTicketStore::WriteCatalog(const matchmaking_service::Catalog& catalog) {
  return database_.Statement<absl::Status>(
      life_, [&memory = memory_, catalog] { return memory.WriteCatalog(catalog); });
}

absl::StatusOr<matchmaking_service::CreatedTicket> SimTicketStore::Create(
    const matchmaking_service::NewTicket& ticket) {
  return database_.Statement<absl::StatusOr<matchmaking_service::CreatedTicket>>(
      life_, [&memory = memory_, ticket] { return memory.Create(ticket); });
}

Tickets SimTicketStore::Get(absl::Span<const TicketId> ids) {
  return database_.Statement<Tickets>(
      life_, [&memory = memory_, copy = std::vector<TicketId>(ids.begin(), ids.end())] {
        return memory.Get(copy);
      });
}

absl::StatusOr<Ticket> SimTicketStore::Cancel(TicketId id, PlayerId player) {
  return database_.Statement<absl::StatusOr<Ticket>>(
      life_, [&memory = memory_, id, player] { return memory.Cancel(id, player); });
}

Tickets SimTicketStore::ListWaiting() {
  return database_.Statement<Tickets>(life_, [&memory = memory_] { return memory.ListWaiting(); });
}

absl::StatusOr<std::map<std::string, int>> SimTicketStore::CountWaiting() {
  return database_.Statement<absl::StatusOr<std::map<std::string, int>>>(
      life_, [&memory = memory_] { return memory.CountWaiting(); });
}

Tickets SimTicketStore::ListLiveBots() {
  return database_.Statement<Tickets>(life_, [&memory = memory_] { return memory.ListLiveBots(); });
}

absl::StatusOr<bool> SimTicketStore::Place(const PlannedTable& table) {
  return database_.Statement<absl::StatusOr<bool>>(
      life_, [&memory = memory_, table] { return memory.Place(table); });
}

absl::StatusOr<std::vector<PlannedTable>> SimTicketStore::ListPlaced() {
  return database_.Statement<absl::StatusOr<std::vector<PlannedTable>>>(
      life_, [&memory = memory_] { return memory.ListPlaced(); });
}

Tickets SimTicketStore::Confirm(TableId table) {
  return database_.Statement<Tickets>(life_,
                                      [&memory = memory_, table] { return memory.Confirm(table); });
}

Tickets SimTicketStore::Refuse(TableId table) {
  return database_.Statement<Tickets>(life_,
                                      [&memory = memory_, table] { return memory.Refuse(table); });
}

Tickets SimTicketStore::Release(TableId table) {
  return database_.Statement<Tickets>(life_,
                                      [&memory = memory_, table] { return memory.Release(table); });
}

absl::StatusOr<std::vector<cluster::Member>> SimMemberStore::Heartbeat(const std::string& address,
                                                                       const Uuid& incarnation) {
  return database_.Statement<absl::StatusOr<std::vector<cluster::Member>>>(
      life_,
      [&memory = memory_, address, incarnation] { return memory.Heartbeat(address, incarnation); });
}

absl::StatusOr<std::vector<cluster::Member>> SimMemberStore::List() {
  return database_.Statement<absl::StatusOr<std::vector<cluster::Member>>>(
      life_, [&memory = memory_] { return memory.List(); });
}

absl::Status SimMemberStore::Remove(const std::string& address, const Uuid& incarnation) {
  return database_.Statement<absl::Status>(life_, [&memory = memory_, address, incarnation] {
    return memory.Remove(address, incarnation);
  });
}

}  // namespace tarot::sim
