#include "services/rules/storage/append_batch.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "services/rules/storage/append_statements.h"
#include "services/rules/storage/sql_array.h"

namespace tarot::rules_service {
namespace {

using Key = std::pair<TableId, RequestId>;

bool EndsDeal(const NewEntry& entry) { return entry.deal_number > 0; }

// By table, so that two processes that write the same tables lock them in the same order.
std::vector<const NewEntry*> InOrder(const std::vector<NewEntry>& entries) {
  std::vector<const NewEntry*> sorted;
  sorted.reserve(entries.size());
  for (const NewEntry& entry : entries) sorted.push_back(&entry);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const NewEntry* a, const NewEntry* b) { return a->table < b->table; });
  return sorted;
}

// The parameters $1..$9.
struct EntryArrays {
  explicit EntryArrays(const std::vector<const NewEntry*>& entries) {
    for (const NewEntry* e : entries) {
      const LogEntry& entry = e->entry;
      table.AddId(e->table);
      revision.AddNumber(entry.revision);
      request.AddId(entry.request);
      kind.AddNumber(static_cast<int>(entry.kind));
      actor.AddNumber(static_cast<int>(entry.actor));
      seat.AddNumber(entry.seat);
      payload.AddBytes(entry.payload);
      elapsed.AddNumber(absl::ToInt64Microseconds(entry.elapsed));
      time.AddNumber(absl::ToUnixMicros(entry.create_time));
    }
  }
  SqlArray table, revision, request, kind, actor, seat, payload, elapsed, time;
};

// The parameters $10..$18.
struct EndArrays {
  explicit EndArrays(const std::vector<const NewEntry*>& entries) {
    for (const NewEntry* e : entries) {
      if (!EndsDeal(*e)) continue;
      table.AddId(e->table);
      request.AddId(e->entry.request);
      number.AddNumber(e->deal_number);
      first_revision.AddNumber(e->deal_revision);
      AddMatchEnd(*e);
      for (const PlayerId id : e->players) {
        player_table.AddId(e->table);
        player_request.AddId(e->entry.request);
        player.AddId(id);
      }
    }
  }
  void AddMatchEnd(const NewEntry& e) {
    if (!e.match_end) {
      scored.AddNull();
      totals.AddNull();
      return;
    }
    scored.AddNumber(e.match_end->deals_scored);
    SqlArray inner;
    for (const int total : e.match_end->totals) inner.AddNumber(total);
    totals.AddText(std::move(inner).Finish());
  }
  SqlArray table, request, number, first_revision, scored, totals;
  SqlArray player_table, player_request, player;
};

pqxx::result Run(pqxx::nontransaction& tx, const pg::Statement& statement,
                 const std::vector<const NewEntry*>& sorted, bool ends) {
  EntryArrays a(sorted);
  const auto run = [&](const auto&... more) {
    return tx.exec_prepared(statement.name, std::move(a.table).Finish(),
                            std::move(a.revision).Finish(), std::move(a.request).Finish(),
                            std::move(a.kind).Finish(), std::move(a.actor).Finish(),
                            std::move(a.seat).Finish(), std::move(a.payload).Finish(),
                            std::move(a.elapsed).Finish(), std::move(a.time).Finish(), more...);
  };
  if (!ends) return run();
  EndArrays e(sorted);
  return run(std::move(e.table).Finish(), std::move(e.request).Finish(),
             std::move(e.number).Finish(), std::move(e.first_revision).Finish(),
             std::move(e.scored).Finish(), std::move(e.totals).Finish(),
             std::move(e.player_table).Finish(), std::move(e.player_request).Finish(),
             std::move(e.player).Finish());
}

// The rows that were stored. Races and repeats are rare, so it starts as if there were none.
pqxx::result Store(pqxx::nontransaction& tx, const std::vector<NewEntry>& entries) {
  const std::vector<const NewEntry*> sorted = InOrder(entries);
  const bool ends = std::any_of(entries.begin(), entries.end(), EndsDeal);
  try {
    return Run(tx, ends ? kAppendDealEnds : kAppendActions, sorted, ends);
  } catch (const pqxx::unique_violation&) {  // Nothing was stored.
    return Run(tx, ends ? kAppendSomeDealEnds : kAppendSomeActions, sorted, ends);
  }
}

Key KeyOf(const NewEntry& e) { return {e.table, e.entry.request}; }

Key KeyOf(const pqxx::row& row) {
  return {TableId::Parse(row[0].c_str()).value_or(TableId{}),
          RequestId::Parse(row[1].c_str()).value_or(RequestId{})};
}

// The revisions of those of `keys` that are in the log now.
absl::flat_hash_map<Key, int> Find(pqxx::nontransaction& tx, const std::vector<Key>& keys) {
  SqlArray tables, requests;
  for (const auto& [table, request] : keys) {
    tables.AddId(table);
    requests.AddId(request);
  }
  absl::flat_hash_map<Key, int> found;
  for (const pqxx::row& row : tx.exec_prepared(kFindRequests.name, std::move(tables).Finish(),
                                               std::move(requests).Finish())) {
    if (!row[2].is_null()) found[KeyOf(row)] = row[2].as<int>();
  }
  return found;
}

}  // namespace

std::vector<pg::Statement> AppendStatements() {
  return {kAppendActions, kAppendSomeActions, kAppendDealEnds, kAppendSomeDealEnds, kFindRequests};
}

const pg::Statement& AppendStatement(const std::vector<NewEntry>& entries) {
  return std::any_of(entries.begin(), entries.end(), EndsDeal) ? kAppendDealEnds : kAppendActions;
}

std::vector<absl::StatusOr<Appended>> AppendBatch(pqxx::connection& connection,
                                                  const std::vector<NewEntry>& entries) {
  pqxx::nontransaction tx(connection);
  absl::flat_hash_map<Key, int> stored;  // With the revision, until its entry has been told so.
  for (const pqxx::row& row : Store(tx, entries)) stored[KeyOf(row)] = row[2].as<int>();

  std::vector<absl::StatusOr<Appended>> results;
  results.reserve(entries.size());
  std::vector<Key> left;
  for (const NewEntry& e : entries) {
    const auto at = stored.find(KeyOf(e));
    if (at != stored.end() && at->second == e.entry.revision) {
      results.push_back(Appended{.revision = e.entry.revision});
      stored.erase(at);
    } else {
      results.push_back(absl::AbortedError("Stale revision."));
      left.push_back(KeyOf(e));
    }
  }
  if (left.empty()) return results;
  const absl::flat_hash_map<Key, int> found = Find(tx, left);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto at = found.find(KeyOf(entries[i]));
    if (!results[i].ok() && at != found.end()) {
      results[i] = Appended{.revision = at->second, .replayed = true};
    }
  }
  return results;
}

}  // namespace tarot::rules_service
