#include "services/matchmaking/app/table_placer.h"

#include <utility>

#include "libs/base/error.h"

namespace tarot::matchmaking_service {
namespace {

// An answer that takes longer is lost. Longer than the client's own deadline.
constexpr absl::Duration kAnswerMax = absl::Seconds(10);
// A stored table younger than this is left to the replica that stored it.
constexpr absl::Duration kRetryAge = absl::Seconds(2);
constexpr std::size_t kAskedMax = 256;

// True when the table may exist all the same: the connection or the time ran out, or gRPC itself
// (which gives no reason, unlike our services) failed half-way.
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

TablePlacer::TablePlacer(Clock& clock, Jobs& jobs, TicketStore& store, TableClient& tables,
                         Lobby& lobby, Metrics& metrics, Report report, Hosts hosts,
                         const std::vector<Queue>& queues)
    : clock_(clock),
      jobs_(jobs),
      store_(store),
      tables_(tables),
      lobby_(lobby),
      metrics_(metrics),
      report_(std::move(report)),
      hosts_(std::move(hosts)) {
  for (const Queue& queue : queues) queues_[queue.id] = queue;
}

void TablePlacer::Ask(const PlannedTable& table) {
  const auto queue = queues_.find(table.queue);
  if (queue == queues_.end()) return;  // Made by a newer version, which will ask.
  const absl::Time now = clock_.Now();
  const auto asked = asked_.find(table.id);
  if (asked != asked_.end() && now - asked->second < kAnswerMax) return;
  if (asked == asked_.end() && asked_.size() >= kAskedMax) return;
  asked_[table.id] = now;
  tables_.CreateTable(queue->second, table, [this, &jobs = jobs_, table](absl::Status status) {
    jobs.Run([this, table, status = std::move(status)] { Answer(table, status); });
  });
}

void TablePlacer::RetryStored() {
  const absl::StatusOr<std::vector<PlannedTable>> stored = store_.ListPlaced();
  if (!stored.ok()) return report_("list placed tables", stored.status());
  const absl::Time now = clock_.Now();
  absl::erase_if(asked_, [now](const auto& entry) { return now - entry.second >= kAnswerMax; });
  for (const PlannedTable& table : *stored) {
    if (now - table.create_time < kRetryAge || asked_.contains(table.id)) continue;
    if (!hosts_(table.queue)) continue;
    metrics_.tables_retried.Increment();
    Ask(table);
  }
}

void TablePlacer::Answer(const PlannedTable& table, const absl::Status& status) {
  asked_.erase(table.id);
  if (!status.ok()) report_("create table", status);
  if (!status.ok() && MayHaveHappened(status)) return;
  const absl::StatusOr<std::vector<Ticket>> tickets =
      status.ok() ? store_.Confirm(table.id) : store_.Refuse(table.id);
  if (!tickets.ok()) return report_("store the answer for a table", tickets.status());
  if (!tickets->empty()) {  // Else another replica, or an earlier answer, was first.
    if (status.ok()) {
      Made(table, *tickets);
    } else {
      metrics_.tables_refused.Increment();
    }
  }
  lobby_.Show(*tickets);
}

void TablePlacer::Made(const PlannedTable& table, const std::vector<Ticket>& tickets) {
  metrics_.tables_made.Increment();
  Metrics::Kind& kind = metrics_.Of(queues_.at(table.queue).ranked);
  const absl::Time now = clock_.Now();
  for (const Ticket& ticket : tickets) {
    if (!ticket.bot_level.empty()) continue;
    kind.wait_seconds.Observe(absl::ToDoubleSeconds(now - ticket.create_time));
  }
  if (tickets.size() > 1) kind.rating_spread.Observe(table.rating_spread);
}

}  // namespace tarot::matchmaking_service
