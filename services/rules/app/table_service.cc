#include "services/rules/app/table_service.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/base/status_macros.h"
#include "libs/rules/codec.h"
#include "libs/rules/refusal.h"

namespace tarot::rules_service {
namespace {

absl::Status NotSeated() {
  return Error(absl::StatusCode::kPermissionDenied, "NOT_SEATED", "You do not sit at this table.");
}

absl::Status Mismatch(int revision) {
  return Error(absl::StatusCode::kAborted, "REVISION_MISMATCH",
               "The table has moved on: look at it again.", {{"revision", absl::StrCat(revision)}});
}

// What the store must know when the last entry of `after` ended a deal, or the match.
void AddEnds(const TableState& after, NewEntry& entry) {
  const rules::Match& match = after.match;
  if (match.DealRunning() || entry.entry.kind == EventKind::kResume) return;
  entry.deal_number = match.deals_dealt;
  entry.deal_revision = after.deal_revision;
  for (const SeatConfig& seat : after.config->seats) entry.players.push_back(seat.player);
  if (!match.Finished()) return;
  MatchEnd end{.deals_scored = match.deals_scored};
  end.totals.assign(match.totals.begin(), match.totals.begin() + match.players);
  entry.match_end = std::move(end);
}

}  // namespace

TableService::TableService(TableStore& store, TableRegistry& registry, Clock& clock,
                           Entropy& entropy, Metrics& metrics)
    : store_(store), registry_(registry), clock_(clock), entropy_(entropy), metrics_(metrics) {}

absl::StatusOr<TableView> TableService::Create(TableConfig config) {
  TAROT_RETURN_IF_ERROR(CheckConfig(config));
  config.create_time = clock_.Now();
  // Before it is durable: a table that was refused must not be played.
  TAROT_RETURN_IF_ERROR(registry_.CheckRoom(config.id));
  TAROT_RETURN_IF_ERROR(store_.Create(config));
  TAROT_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table, registry_.Get(config.id));
  metrics_.tables_created.Increment();
  on_changed_(table->Snapshot());
  return MakeTableView(*table->Snapshot(), rules::kNoSeat);
}

absl::StatusOr<TableView> TableService::Get(TableId id, PlayerId player) {
  TAROT_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table, registry_.Get(id));
  const std::shared_ptr<const TableState> state = table->Snapshot();
  return MakeTableView(*state, state->SeatOf(player));
}

absl::Status TableService::Freshen(Table& table) {
  return table.stale ? Reload(table) : absl::OkStatus();
}

absl::Status TableService::Reload(Table& table) {
  const int before = table.Snapshot()->revision;
  TAROT_RETURN_IF_ERROR(registry_.Reload(table));
  if (table.Snapshot()->revision != before) on_changed_(table.Snapshot());
  return absl::OkStatus();
}

absl::StatusOr<TableView> TableService::Submit(const SubmitCommand& command) {
  TAROT_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table, registry_.Get(command.table));
  const std::lock_guard lock(table->write);
  TAROT_RETURN_IF_ERROR(Freshen(*table));
  const std::shared_ptr<const TableState> state = table->Snapshot();
  const rules::Seat seat = state->SeatOf(command.player);
  if (seat == rules::kNoSeat) return NotSeated();
  if (table->requests.contains(command.request)) {
    metrics_.actions_replayed.Increment();
    return MakeTableView(*state, seat);
  }
  if (command.expected_revision != state->revision) {
    metrics_.actions_stale.Increment();
    return Mismatch(state->revision);
  }
  const absl::Status status = Commit(*table, {.request = command.request,
                                              .kind = EventKind::kAction,
                                              .actor = Actor::kPlayer,
                                              .seat = seat,
                                              .payload = rules::EncodeAction(command.action)});
  if (absl::IsFailedPrecondition(status)) metrics_.Refused(status);
  TAROT_RETURN_IF_ERROR(status);
  return MakeTableView(*table->Snapshot(), seat);
}

absl::StatusOr<TableView> TableService::Resume(TableId id, PlayerId player, RequestId request) {
  TAROT_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table, registry_.Get(id));
  const std::lock_guard lock(table->write);
  TAROT_RETURN_IF_ERROR(Freshen(*table));
  const std::shared_ptr<const TableState> state = table->Snapshot();
  const rules::Seat seat = state->SeatOf(player);
  if (seat == rules::kNoSeat) return NotSeated();
  const bool held = state->seats[static_cast<std::size_t>(seat)].held();
  if (held && !state->match.Finished() && !table->requests.contains(request)) {
    TAROT_RETURN_IF_ERROR(Commit(
        *table,
        {.request = request, .kind = EventKind::kResume, .actor = Actor::kPlayer, .seat = seat}));
  }
  return MakeTableView(*table->Snapshot(), seat);
}

absl::StatusOr<std::function<void()>> TableService::Watch(TableId id, PlayerId player,
                                                          int after_revision,
                                                          std::shared_ptr<Watcher> watcher) {
  TAROT_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table, registry_.Get(id));
  const rules::Seat seat = table->Snapshot()->SeatOf(player);
  const Watcher* const key = watcher.get();
  table->AddWatcher(seat, after_revision, std::move(watcher));
  // Asked after: a stop that began meanwhile may have missed it.
  if (registry_.ending()) table->EndWatchers(TableRegistry::Ending());
  return [weak = std::weak_ptr<Table>(table), key] {
    if (const std::shared_ptr<Table> alive = weak.lock()) alive->RemoveWatcher(key);
  };
}

absl::StatusOr<TableService::Turn> TableService::CurrentTurn(TableId id) {
  TAROT_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table, registry_.Get(id));
  const std::shared_ptr<const TableState> state = table->Snapshot();
  const rules::Deal& deal = state->match.deal;
  return Turn{.revision = state->revision, .view = rules::MakeView(deal, deal.turn)};
}

absl::Status TableService::SubmitForSeat(const SeatCommand& command) {
  TAROT_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table, registry_.Get(command.table));
  const std::lock_guard lock(table->write);
  TAROT_RETURN_IF_ERROR(Freshen(*table));
  const int revision = table->Snapshot()->revision;
  if (command.expected_revision != revision) return Mismatch(revision);
  return Commit(*table, {.request = RequestId{entropy_.NewUuid()},
                         .kind = EventKind::kAction,
                         .actor = command.actor,
                         .seat = command.seat,
                         .payload = rules::EncodeAction(command.action)});
}

absl::Status TableService::DealNext(TableId id, int expected_revision) {
  TAROT_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table, registry_.Get(id));
  const std::lock_guard lock(table->write);
  TAROT_RETURN_IF_ERROR(Freshen(*table));
  const int revision = table->Snapshot()->revision;
  if (expected_revision != revision) return Mismatch(revision);
  std::array<std::uint8_t, 64> seed;
  entropy_.Fill(absl::MakeSpan(seed));
  return Commit(*table, {.request = RequestId{entropy_.NewUuid()},
                         .kind = EventKind::kDeal,
                         .actor = Actor::kServer,
                         .payload = std::string(seed.begin(), seed.end())});
}

absl::Status TableService::Wake(TableId id) {
  TAROT_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table, registry_.Get(id));
  {
    const std::lock_guard lock(table->write);
    TAROT_RETURN_IF_ERROR(Freshen(*table));
  }
  on_changed_(table->Snapshot());
  return absl::OkStatus();
}

absl::Status TableService::Commit(Table& table, LogEntry entry) {
  const std::shared_ptr<const TableState> before = table.Snapshot();
  const absl::Time now = clock_.Now();
  entry.revision = before->revision + 1;
  entry.elapsed = now - before->turn_start;
  entry.create_time = now;
  TableState after = *before;
  TAROT_RETURN_IF_ERROR(Advance(after, entry));

  NewEntry stored{.table = before->config->id, .entry = entry};
  AddEnds(after, stored);
  const absl::StatusOr<Appended> appended = store_.Append(stored);
  metrics_.append_seconds.Observe(absl::ToDoubleSeconds(clock_.Now() - now));
  if (!appended.ok() || appended->replayed) {
    // Another process wrote, or the commit is in doubt: the log decides, at the next use. The other
    // seats must not wait for that.
    const bool news = !std::exchange(table.stale, true);
    const bool doubt = !appended.ok() && !absl::IsAborted(appended.status());
    if (news && doubt) on_doubt_(stored.table);
    if (appended.ok()) return Reload(table);
    if (!absl::IsAborted(appended.status())) return appended.status();
    TAROT_RETURN_IF_ERROR(Reload(table));
    const int revision = table.Snapshot()->revision;
    if (revision != before->revision) return Mismatch(revision);
    // Only in the way of another statement: the decision still stands, and may be sent again.
    return Error(absl::StatusCode::kUnavailable, "STORAGE_AWAY", "Another statement was first.");
  }
  table.requests.insert(entry.request);
  metrics_.Applied(entry.actor);
  if (entry.actor == Actor::kClock && after.seats[static_cast<std::size_t>(entry.seat)].held()) {
    metrics_.seats_taken_over.Increment();
  }
  table.Publish(std::move(after));
  on_changed_(table.Snapshot());
  return absl::OkStatus();
}

}  // namespace tarot::rules_service
