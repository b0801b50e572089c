// How a change becomes durable and visible: the other half of TableService.
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "services/rules/app/table_service.h"

namespace tarot::rules_service {
namespace {

absl::Status Overloaded() {
  return Error(absl::StatusCode::kUnavailable, "OVERLOADED", "The server is busy.");
}

// What the store must know when the last entry of `after` ended a deal, or the match.
void AddEnds(const TableState& after, NewEntry& entry) {
  const rules::Match& match = after.match;
  const EventKind kind = entry.entry.kind;
  const bool played = kind == EventKind::kAction || kind == EventKind::kDeal;
  if (!played || match.DealRunning()) return;
  entry.deal_number = match.deals_dealt;
  entry.deal_revision = after.deal_revision;
  for (const SeatConfig& seat : after.config->seats) entry.players.push_back(seat.player);
  if (!match.Finished()) return;
  MatchEnd end{.deals_scored = match.deals_scored};
  end.totals.assign(match.totals.begin(), match.totals.begin() + match.players);
  entry.match_end = std::move(end);
}

}  // namespace

void TableService::OnWorker(absl::AnyInvocable<void(bool)> job) {
  const auto shared = std::make_shared<absl::AnyInvocable<void(bool)>>(std::move(job));
  if (!workers_.TryRun([shared] { (*shared)(true); })) (*shared)(false);
}

absl::Status TableService::Reload(Table& table) {
  const std::shared_ptr<const TableState> before = table.Snapshot();
  const absl::Status status = registry_.Reload(table);
  const std::shared_ptr<const TableState> now = table.Snapshot();
  if (now->revision < before->revision) metrics_.hosting.tables_set_back.Increment();
  if (now != before) on_changed_(now);
  return status;
}

void TableService::Enter(TableId id, int revision, Table::Operation operation) {
  const absl::StatusOr<std::shared_ptr<Table>> table = Find(id);
  if (!table.ok()) return operation(table.status());
  Table::Enter(*table, [this, id, revision,
                        operation = std::move(operation)](absl::StatusOr<Hold> hold) mutable {
    if (!hold.ok()) return operation(std::move(hold));
    const bool let_go = (*hold)->let_go;
    // Of a table that is hosted elsewhere nobody tells us what happens to it.
    const bool old =
        (*hold)->stale || (*hold)->Snapshot()->revision < revision || !hosting_.Here(id);
    if (!let_go && !old) return operation(std::move(hold));
    // The turn may have come on a thread that must not wait for the store.
    OnWorker([this, id, revision, let_go, hold = *std::move(hold),
              operation = std::move(operation)](bool ran) mutable {
      if (!ran) return operation(Overloaded());
      if (let_go) return Enter(id, revision, std::move(operation));
      const absl::Status fresh = Reload(*hold);
      if (!fresh.ok()) return operation(fresh);
      operation(std::move(hold));
    });
  });
}

void TableService::Commit(Hold hold, LogEntry entry, Committed done) {
  const std::shared_ptr<const TableState> before = hold->Snapshot();
  const absl::Time now = clock_.Now();
  entry.revision = before->revision + 1;
  entry.elapsed = now - before->turn_start;
  entry.create_time = now;
  auto after = std::make_shared<TableState>(*before);
  const absl::Status legal = Advance(*after, entry);
  if (!legal.ok()) return done(*hold, legal);

  NewEntry stored{.table = before->config->id, .entry = std::move(entry)};
  AddEnds(*after, stored);
  Change change{.hold = std::move(hold),
                .after = std::move(after),
                .request = stored.entry.request,
                .actor = stored.entry.actor,
                .seat = stored.entry.seat,
                .start = now,
                .done = std::move(done)};
  appender_.Append(std::move(stored), [this, change = std::move(change)](
                                          const absl::StatusOr<Appended>& appended) mutable {
    Settle(std::move(change), appended);
  });
}

void TableService::Settle(Change change, const absl::StatusOr<Appended>& appended) {
  metrics_.append_seconds.Observe(absl::ToDoubleSeconds(clock_.Now() - change.start));
  Table& table = *change.hold;
  if (appended.ok() && !appended->replayed) return Show(std::move(change));
  // Surely not stored: nothing has changed.
  if (absl::IsResourceExhausted(appended.status())) return change.done(table, Overloaded());
  // Another process wrote, or the commit is in doubt: the log decides. In doubt it is asked later,
  // for now it may be away; the other seats must not wait for the author to come back.
  table.stale = true;
  if (!appended.ok() && !absl::IsAborted(appended.status())) {
    table.outage = true;
    on_doubt_(table.Snapshot()->config->id);
    return change.done(table, appended.status());
  }
  OnWorker([this, change = std::move(change), replayed = appended.ok()](bool ran) mutable {
    if (ran) return SettleByLog(std::move(change), replayed);
    on_doubt_(change.hold->Snapshot()->config->id);
    change.done(*change.hold, Overloaded());
  });
}

void TableService::Show(Change change) {
  Table& table = *change.hold;
  table.requests.push_back(change.request);
  metrics_.Applied(change.actor);
  if (change.actor == Actor::kClock &&
      change.after->seats[static_cast<std::size_t>(change.seat)].held()) {
    metrics_.seats_taken_over.Increment();
  }
  // A turn that begins with this change begins when it is shown: a slow disk costs nobody time.
  if (change.after->turn_start == change.start) change.after->turn_start = clock_.Now();
  table.Publish(std::move(change.after));
  on_changed_(table.Snapshot());
  change.done(table, absl::OkStatus());
}

void TableService::SettleByLog(Change change, bool replayed) {
  Table& table = *change.hold;
  const int before = table.Snapshot()->revision;
  const absl::Status reloaded = Reload(table);
  if (!reloaded.ok()) on_doubt_(table.Snapshot()->config->id);
  // The same request may be what was in the way: stored by another replica, or by a statement that
  // outlived its answer.
  const bool known = replayed || table.Knows(change.request);
  if (!reloaded.ok() || known) return change.done(table, reloaded);
  const int revision = table.Snapshot()->revision;
  // Unchanged: only in the way of another statement; the decision stands, and may be sent again.
  change.done(table, revision != before ? RevisionMismatch(revision)
                                        : Error(absl::StatusCode::kUnavailable, "STORAGE_AWAY",
                                                "Another statement was first."));
}

}  // namespace tarot::rules_service
