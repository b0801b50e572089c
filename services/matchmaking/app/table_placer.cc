#include "services/matchmaking/app/table_placer.h"

#include <utility>

#include "libs/base/error.h"
#include "services/matchmaking/limits.h"

namespace tarot::matchmaking_service {
namespace {

// Returns true if the table may exist although the call failed: the connection broke, the time ran
// out, or gRPC itself failed. An INTERNAL or UNKNOWN error comes from gRPC if it has no reason; our
// services always give a reason.
bool MayHaveHappened(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kCancelled:
      return true;
    case absl::StatusCode::kInternal:
    case absl::StatusCode::kUnknown:
      return GetErrorDetails(status).reason.empty();
    default:
      return false;
  }
}

}  // namespace

TablePlacer::TablePlacer(Clock& clock, Executor& executor, TicketStore& store, TableClient& tables,
                         Lobby& lobby, Metrics& metrics, Report report, Hosts hosts)
    : clock_(clock),
      executor_(executor),
      store_(store),
      tables_(tables),
      lobby_(lobby),
      metrics_(metrics),
      report_(std::move(report)),
      hosts_(std::move(hosts)) {}

void TablePlacer::Ask(const PlannedTable& table) {
  const absl::Time now = clock_.Now();
  const auto asked = asked_.find(table.id);
  if (asked != asked_.end() && now - asked->second < kAnswerMax) return;
  if (asked == asked_.end() && asked_.size() >= kTablesAskedMax) return;
  asked_[table.id] = now;
  tables_.CreateTable(table, [this, &executor = executor_, table](absl::Status status) {
    executor.Run([this, table, status = std::move(status)] { Answer(table, status); });
  });
}

void TablePlacer::RetryStored() {
  const absl::StatusOr<std::vector<PlannedTable>> stored = store_.ListPlaced();
  if (!stored.ok()) return report_("list placed tables", stored.status());
  const absl::Time now = clock_.Now();
  absl::erase_if(asked_, [now](const auto& entry) { return now - entry.second >= kAnswerMax; });
  for (const PlannedTable& table : *stored) {
    if (now - table.create_time < kRetryAge || asked_.contains(table.id)) continue;
    if (!hosts_(table.queue.empty() ? table.id.ToString() : table.queue)) continue;
    metrics_.tables_retried.Increment();
    Ask(table);
  }
}

void TablePlacer::Answer(const PlannedTable& table, const absl::Status& status) {
  const bool is_first = asked_.erase(table.id) > 0;
  if (!status.ok()) report_("create table", status);
  if (!status.ok() && MayHaveHappened(status)) return;
  const absl::StatusOr<std::vector<Ticket>> tickets =
      status.ok() ? store_.Confirm(table.id) : store_.Refuse(table.id);
  if (!tickets.ok()) return report_("store the answer for a table", tickets.status());
  // If the table of a queue has no tickets, another answer came first. The table of a room never
  // has any.
  if (status.ok() && !tickets->empty()) Made(table, *tickets);
  if (!status.ok() && (!tickets->empty() || (table.queue.empty() && is_first))) {
    metrics_.tables_refused.Increment();
  }
  lobby_.Show(*tickets);
}

void TablePlacer::Made(const PlannedTable& table, const std::vector<Ticket>& tickets) {
  metrics_.tables_made.Increment();
  Metrics::Kind& kind = metrics_.Of(table.terms.ranked);
  const absl::Time now = clock_.Now();
  for (const Ticket& ticket : tickets) {
    if (!ticket.bot_level.empty()) continue;
    kind.wait_seconds.Observe(absl::ToDoubleSeconds(now - ticket.create_time));
  }
  if (tickets.size() > 1) kind.rating_spread.Observe(table.rating_spread);
}

}  // namespace tarot::matchmaking_service
