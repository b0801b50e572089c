#include "services/matchmaking/app/table_placer.h"

#include <memory>
#include <utility>
#include <vector>

#include "libs/base/cell.h"
#include "libs/base/error.h"
#include "services/matchmaking/limits.h"

namespace tarot::matchmaking_service {
namespace {

// Returns true if the table may exist although the call failed. There are three such failures: the
// connection broke, the time ran out, or gRPC itself failed. In these cases the request must be
// repeated. If an INTERNAL or UNKNOWN error has no reason, it comes from gRPC, because our services
// always give a reason. UNIMPLEMENTED comes from a replica of an older version, which will be
// replaced. WRONG_CELL comes from a replica of another cell, so an address in --rules_address is
// wrong. An earlier request may have reached the right cell.
bool MustRepeat(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kCancelled:
    case absl::StatusCode::kUnimplemented:
      return true;
    case absl::StatusCode::kInternal:
    case absl::StatusCode::kUnknown:
      return GetErrorDetails(status).reason.empty();
    case absl::StatusCode::kFailedPrecondition:
      return GetErrorDetails(status).reason == "WRONG_CELL";
    default:
      return false;
  }
}

}  // namespace

TablePlacer::TablePlacer(Clock& clock, Executor& executor, TicketStore& store, TableClient& tables,
                         CellChooser& cells, Lobby& lobby, Metrics& metrics, Report report,
                         Hosts hosts)
    : clock_(clock),
      executor_(executor),
      store_(store),
      tables_(tables),
      cells_(cells),
      lobby_(lobby),
      metrics_(metrics),
      report_(std::move(report)),
      hosts_(std::move(hosts)) {}

void TablePlacer::Ask(absl::Span<const PlannedTable> tables) {
  for (const PlannedTable& table : tables) {
    OfCell& cell = of_cells_[CellOf(table.id.uuid)];
    if (cell.asked.try_emplace(table.id, absl::InfiniteFuture()).second) {
      cell.waiting.push_back(table);
    }
  }
  for (auto& [number, cell] : of_cells_) SendWaiting(cell);
}

std::size_t TablePlacer::Room(int cell) const {
  const auto found = of_cells_.find(cell);
  const std::size_t asked = found == of_cells_.end() ? 0 : found->second.asked.size();
  return asked < kTablesPlacedMax ? kTablesPlacedMax - asked : 0;
}

void TablePlacer::SendWaiting(OfCell& cell) {
  while (!cell.waiting.empty() && cell.asked.size() - cell.waiting.size() < kTablesAskedMax) {
    std::vector<PlannedTable> batch;
    const auto tables = std::make_shared<Tables>();
    while (!cell.waiting.empty() && batch.size() < kTablesPerBatch) {
      cell.asked[cell.waiting.front().id] = clock_.Now();
      (*tables)[cell.waiting.front().id] = cell.waiting.front();
      batch.push_back(std::move(cell.waiting.front()));
      cell.waiting.pop_front();
    }
    tables_.CreateTables(
        batch, [this, &executor = executor_, tables](const TableClient::Answers& answers) {
          executor.Run([this, tables, answers] { Answer(*tables, answers); });
        });
  }
}

void TablePlacer::RetryStored() {
  const absl::StatusOr<std::vector<PlannedTable>> stored = store_.ListPlaced();
  if (!stored.ok()) return report_("list placed tables", stored.status());
  const absl::Time now = clock_.Now();
  for (auto& [number, cell] : of_cells_) {
    absl::erase_if(cell.asked,
                   [now](const auto& entry) { return now - entry.second >= kAnswerMax; });
  }
  std::vector<PlannedTable> again;
  for (const PlannedTable& table : *stored) {
    const bool asked = of_cells_[CellOf(table.id.uuid)].asked.contains(table.id);
    if (now - table.create_time < kRetryAge || asked) continue;
    if (!hosts_(table.queue.empty() ? table.id.ToString() : table.queue)) continue;
    metrics_.Tables(table.queue, Metrics::kRetried).Increment();
    again.push_back(table);
  }
  Ask(again);
}

void TablePlacer::Answer(const Tables& tables, const TableClient::Answers& answers) {
  std::vector<TableId> made, refused;
  absl::Status failure;
  for (const auto& [id, status] : answers) {
    const bool is_first = of_cells_[CellOf(id.uuid)].asked.erase(id) > 0;
    if (status.ok()) {
      made.push_back(id);
      continue;
    }
    failure = status;
    if (MustRepeat(status)) {
      cells_.NoteAway(CellOf(id.uuid));
      continue;
    }
    refused.push_back(id);
    // Store() counts the refused tables that have tickets. The table of a room has no tickets, so
    // it is counted here.
    if (tables.at(id).queue.empty() && is_first) metrics_.Tables("", Metrics::kRefused).Increment();
  }
  if (!failure.ok()) report_("create table", failure);
  Store(tables, made, /*made=*/true);
  Store(tables, refused, /*made=*/false);
  for (auto& [number, cell] : of_cells_) SendWaiting(cell);
}

void TablePlacer::Store(const Tables& tables, const std::vector<TableId>& ids, bool made) {
  if (ids.empty()) return;
  const absl::StatusOr<std::vector<Ticket>> tickets =
      made ? store_.Confirm(ids) : store_.Refuse(ids);
  if (!tickets.ok()) return report_("store the answer for a table", tickets.status());
  // `tickets` has the tickets of all tables whose answer is stored now. If a table already had an
  // answer, `tickets` has none of its tickets, so the table is not counted twice. A refused ticket
  // no longer names its table. So the code below finds the tickets by the seats of the table.
  absl::flat_hash_map<TicketId, const Ticket*> by_id;
  for (const Ticket& ticket : *tickets) by_id[ticket.id] = &ticket;
  for (const TableId id : ids) {
    const PlannedTable& table = tables.at(id);
    std::vector<Ticket> own;
    for (const PlannedSeat& seat : table.seats) {
      const auto found = by_id.find(seat.ticket);
      if (found != by_id.end()) own.push_back(*found->second);
    }
    if (own.empty()) continue;
    CountLongWaits(table, own);
    if (made) {
      CountMade(table, own);
    } else {
      metrics_.Tables(table.queue, Metrics::kRefused).Increment();
    }
  }
  lobby_.Show(*tickets);
}

void TablePlacer::CountLongWaits(const PlannedTable& table, const std::vector<Ticket>& tickets) {
  prometheus::Counter& long_waits = metrics_.Of(table.terms.ranked).long_waits;
  for (const Ticket& ticket : tickets) {
    if (WaitBecomesLong(ticket, table.create_time, clock_.Now())) long_waits.Increment();
  }
}

void TablePlacer::CountMade(const PlannedTable& table, const std::vector<Ticket>& tickets) {
  metrics_.Tables(table.queue, Metrics::kMade).Increment();
  Metrics::Kind& kind = metrics_.Of(table.terms.ranked);
  const absl::Time now = clock_.Now();
  for (const Ticket& ticket : tickets) {
    if (!ticket.bot_level.empty()) continue;
    kind.wait_seconds.Observe(absl::ToDoubleSeconds(now - ticket.create_time));
  }
  if (tickets.size() > 1) kind.rating_spread.Observe(table.rating_spread);
}

}  // namespace tarot::matchmaking_service
