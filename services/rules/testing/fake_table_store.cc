#include "services/rules/testing/fake_table_store.h"

#include <algorithm>
#include <tuple>

#include "libs/base/status_macros.h"
#include "services/rules/app/errors.h"

namespace tarot::rules_service {
namespace {

bool Newer(const DealKey& a, const DealKey& b) {
  return std::tie(a.finish_time, a.table, a.number) > std::tie(b.finish_time, b.table, b.number);
}

bool NewerTable(const TableKey& a, const TableKey& b) {
  return std::tie(a.create_time, a.table) > std::tie(b.create_time, b.table);
}

}  // namespace

absl::StatusOr<bool> FakeTableStore::Create(const TableConfig& config) {
  const std::lock_guard lock(mutex_);
  const auto [at, made] = tables_.try_emplace(config.id);
  if (made) at->second.table.config = config;
  if (at->second.table.config.SameRequest(config)) return made;
  return TableExists();
}

std::vector<absl::StatusOr<Appended>> FakeTableStore::Append(const std::vector<NewEntry>& entries) {
  const std::lock_guard lock(mutex_);
  using Results = std::vector<absl::StatusOr<Appended>>;
  const auto all = [&](const absl::Status& status) { return Results(entries.size(), status); };
  const Fault fault = std::exchange(fault_, Fault::kNone);
  if (fault == Fault::kLost) return all(absl::UnavailableError("The connection broke."));
  if (fault == Fault::kSlow) return all(absl::DeadlineExceededError("It took too long."));
  if (fault == Fault::kConflict) return all(absl::AbortedError("Another statement was first."));
  std::map<TableId, std::size_t> before;
  for (const NewEntry& e : entries) {
    const auto stored = tables_.find(e.table);
    if (stored != tables_.end()) before[e.table] = stored->second.table.log.size();
  }
  Results results;
  for (const NewEntry& e : entries) {
    const auto known = before.find(e.table);
    results.push_back(known == before.end() ? absl::AbortedError("No such table.")
                                            : Insert(e, known->second));
  }
  if (fault == Fault::kStoredButUnanswered)
    return all(absl::UnavailableError("The answer was lost."));
  return results;
}

void FakeTableStore::LoseEntries(TableId table, std::size_t entries) {
  const std::lock_guard lock(mutex_);
  std::vector<LogEntry>& log = tables_.at(table).table.log;
  log.resize(log.size() - entries);
}

void FakeTableStore::LoseTable(TableId table) {
  const std::lock_guard lock(mutex_);
  tables_.erase(table);
}

absl::StatusOr<Appended> FakeTableStore::Insert(const NewEntry& e, std::size_t before) {
  Stored& stored = tables_[e.table];
  std::vector<LogEntry>& log = stored.table.log;
  for (const LogEntry& old : log) {
    if (old.request == e.entry.request) return Appended{.revision = old.revision, .replayed = true};
  }
  const bool next = e.entry.revision == static_cast<int>(before) + 1;
  if (!next || log.size() != before) return absl::AbortedError("Stale revision.");
  log.push_back(e.entry);
  if (e.deal_number > 0) {
    deals_.push_back({.key = {e.table, e.deal_number, e.entry.create_time},
                      .first_revision = e.deal_revision,
                      .last_revision = e.entry.revision,
                      .players = e.players});
  }
  if (e.match_end) {
    stored.finish_time = e.entry.create_time;
    stored.table.end = e.match_end;
    if (e.match_end->deals_scored > 0) outbox_.emplace_back(e.table, OutboxTarget::kRatings);
    outbox_.emplace_back(e.table, OutboxTarget::kMatchmaking);
  }
  return Appended{.revision = e.entry.revision};
}

absl::StatusOr<StoredTable> FakeTableStore::Load(TableId table) {
  const std::lock_guard lock(mutex_);
  const auto found = tables_.find(table);
  if (found != tables_.end()) return found->second.table;
  return TableNotFound();
}

absl::StatusOr<std::vector<StoredTable>> FakeTableStore::LoadMany(
    const std::vector<TableId>& tables) {
  const std::lock_guard lock(mutex_);
  std::vector<StoredTable> stored;
  for (const TableId table : tables) {
    const auto found = tables_.find(table);
    if (found != tables_.end()) stored.push_back(found->second.table);
  }
  return stored;
}

absl::StatusOr<std::vector<LiveTable>> FakeTableStore::ListLive(
    const std::optional<TableKey>& after, int limit) {
  TAROT_ASSIGN_OR_RETURN(const std::vector<TableKey> keys,
                         ListTables({.after = after, .limit = limit}));
  const std::lock_guard lock(mutex_);
  std::vector<LiveTable> live;
  for (const TableKey& key : keys) {
    const auto revision = static_cast<int>(tables_[key.table].table.log.size());
    live.push_back({.key = key, .revision = revision});
  }
  return live;
}

absl::StatusOr<std::vector<TableKey>> FakeTableStore::ListTables(const TableQuery& q) {
  const std::lock_guard lock(mutex_);
  std::vector<TableKey> keys;
  for (const auto& [id, stored] : tables_) {
    const auto& seats = stored.table.config.seats;
    const bool sits = !q.player || std::any_of(seats.begin(), seats.end(), [&](const auto& seat) {
      return seat.player == *q.player;
    });
    const TableKey key{.table = id, .create_time = stored.table.config.create_time};
    const bool live = stored.finish_time == absl::InfiniteFuture();
    const bool before = q.after && !NewerTable(*q.after, key);
    if (sits && (live || q.show_finished) && !before) keys.push_back(key);
  }
  std::sort(keys.begin(), keys.end(), NewerTable);
  if (static_cast<int>(keys.size()) > q.limit) keys.resize(static_cast<std::size_t>(q.limit));
  return keys;
}

absl::StatusOr<std::vector<StoredDeal>> FakeTableStore::LoadDeals(
    const std::vector<DealKey>& keys) {
  const std::lock_guard lock(mutex_);
  std::vector<StoredDeal> stored;
  for (const DealKey& key : keys) {
    const auto found = std::find_if(deals_.begin(), deals_.end(), [&](const EndedDeal& deal) {
      return deal.key.table == key.table && deal.key.number == key.number;
    });
    if (found == deals_.end()) continue;
    const StoredTable& table = tables_[key.table].table;
    stored.push_back({.key = found->key,
                      .config = table.config,
                      .log = {table.log.begin() + found->first_revision - 1,
                              table.log.begin() + found->last_revision}});
  }
  return stored;
}

absl::StatusOr<std::vector<DealKey>> FakeTableStore::ListDeals(const DealQuery& q) {
  const std::lock_guard lock(mutex_);
  std::vector<DealKey> keys;
  for (const EndedDeal& deal : deals_) {
    const auto& players = deal.players;
    const bool sat =
        !q.player || std::find(players.begin(), players.end(), *q.player) != players.end();
    const bool here = !q.table || *q.table == deal.key.table;
    const bool then = deal.key.finish_time >= q.start_time && deal.key.finish_time < q.end_time;
    const bool before = q.after && !Newer(*q.after, deal.key);
    if (sat && here && then && !before) keys.push_back(deal.key);
  }
  std::sort(keys.begin(), keys.end(), Newer);
  if (static_cast<int>(keys.size()) > q.limit) keys.resize(static_cast<std::size_t>(q.limit));
  return keys;
}

absl::StatusOr<std::vector<OutboxItem>> FakeTableStore::ListOutbox(int limit, int offset) {
  const std::lock_guard lock(mutex_);
  std::vector<OutboxItem> items;
  std::map<OutboxTarget, int> taken;
  for (const auto& [table, target] : outbox_) {
    const int place = taken[target]++;
    if (place < offset || place >= offset + limit) continue;
    const Stored& stored = tables_[table];
    items.push_back({.config = stored.table.config,
                     .target = target,
                     .end = *stored.table.end,
                     .finish_time = stored.finish_time});
  }
  return items;
}

absl::Status FakeTableStore::MarkDelivered(TableId table, OutboxTarget target) {
  const std::lock_guard lock(mutex_);
  std::erase(outbox_, std::pair(table, target));
  return absl::OkStatus();
}

}  // namespace tarot::rules_service
