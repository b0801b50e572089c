// What a table service does as one of several replicas.
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "libs/base/error.h"
#include "libs/base/status_macros.h"
#include "services/rules/app/table_service.h"

namespace tarot::rules_service {

absl::Status TableMoved() {
  return Error(absl::StatusCode::kUnavailable, "TABLE_MOVED",
               "Another server hosts the table now: connect again.");
}

absl::StatusOr<std::shared_ptr<Table>> TableService::Find(TableId id) {
  TAROT_ASSIGN_OR_RETURN(std::shared_ptr<Table> table, registry_.Get(id));
  if (hosting_.Here(id)) PlanFirst(*table);
  return table;
}

bool TableService::PlanFirst(Table& table) {
  if (table.taken_up.exchange(true)) return false;
  on_changed_(table.Snapshot());
  return true;
}

absl::StatusOr<std::size_t> TableService::TakeUp(const std::vector<TableId>& ids) {
  TAROT_ASSIGN_OR_RETURN(const TableRegistry::Many many, registry_.GetMany(ids));
  for (const std::shared_ptr<Table>& table : many.tables) {
    // The list may have changed while they were read.
    const bool here = hosting_.Here(table->Snapshot()->config->id);
    if (here && PlanFirst(*table)) metrics_.hosting.tables_taken_up.Increment();
  }
  return many.without_room;
}

void TableService::CatchUp(TableId id) {
  const std::shared_ptr<Table> table = registry_.Find(id);
  if (table == nullptr) return;
  Table::Enter(table, [](absl::StatusOr<Hold> hold) {
    if (hold.ok()) (*hold)->stale = true;
  });
  Wake(id, [this, id](const absl::Status& status) {
    if (!status.ok()) on_doubt_(id);
  });
}

void TableService::NoteOutage(TableId id) {
  const std::shared_ptr<Table> table = registry_.Find(id);
  if (table == nullptr) return;
  Table::Enter(table, [](absl::StatusOr<Hold> hold) {
    if (hold.ok()) (*hold)->stale = (*hold)->outage = true;
  });
}

void TableService::LetGo(TableId id) {
  const std::shared_ptr<Table> table = registry_.Find(id);
  if (table == nullptr) return;
  table->EndWatchers(TableMoved());
  Table::Enter(table, [this](absl::StatusOr<Hold> hold) {
    if (!hold.ok()) return;  // Too many wait at it: the next sweep tries again.
    (*hold)->let_go = true;
    metrics_.hosting.tables_let_go.Increment();
    registry_.Forget(**hold);
    (*hold)->EndWatchers(TableMoved());  // Of those who came meanwhile.
  });
}

absl::StatusOr<std::vector<TableView>> TableService::GetMany(const std::vector<TableId>& ids,
                                                             PlayerId player) {
  absl::flat_hash_map<TableId, TableView> views;
  std::vector<TableId> elsewhere;  // Or in the log alone: looked at without being kept.
  const auto add = [&](const TableState& state) {
    views[state.config->id] = MakeTableView(state, state.SeatOf(player));
  };
  for (const TableId id : ids) {
    const std::shared_ptr<Table> table = hosting_.Here(id) ? registry_.Find(id) : nullptr;
    if (table != nullptr) {
      add(*table->Snapshot());
    } else {
      elsewhere.push_back(id);
    }
  }
  if (!elsewhere.empty()) {
    TAROT_ASSIGN_OR_RETURN(std::vector<StoredTable> stored, store_.LoadMany(elsewhere));
    for (StoredTable& one : stored) {
      const auto state =
          Replay(std::make_shared<const TableConfig>(std::move(one.config)), one.log);
      if (state.ok()) add(*state);
    }
  }
  std::vector<TableView> in_order;
  for (const TableId id : ids) {
    const auto found = views.find(id);
    if (found != views.end()) in_order.push_back(std::move(found->second));
  }
  return in_order;
}

}  // namespace tarot::rules_service
