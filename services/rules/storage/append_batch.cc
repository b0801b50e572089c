#include "services/rules/storage/append_batch.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "services/rules/storage/log_codec.h"
#include "services/rules/storage/sql_values.h"

namespace tarot::rules_service {
namespace {

using Key = std::pair<TableId, RequestId>;

// Parameters $1..$9 are arrays with one element per entry. The primary key (table_id, revision)
// decides races; the unique key (table_id, request_id) detects repeats. The statement leaves out an
// entry after a gap or without a table and stores the others. If an entry breaks a key, the whole
// statement fails and stores nothing. With `on_conflict` the statement leaves out that entry too.
// Without `on_conflict` Postgres does a sixth less work, and conflicts are rare. A scalar subquery
// looks up the entry before, so that the planner can only use the index, row by row.
#define TAROT_RULES_APPEND(on_conflict)                                                         \
  "INSERT INTO rules.table_actions (table_id, revision, request_id, kind, actor, seat,"         \
  "                                 payload, elapsed_us, create_time)"                          \
  " SELECT i.table_id, i.revision, i.request_id, i.kind, i.actor, i.seat, i.payload,"           \
  "        i.elapsed_us, 'epoch'::timestamptz + i.create_us * interval '1 microsecond'"         \
  " FROM unnest($1::uuid[], $2::integer[], $3::uuid[], $4::smallint[], $5::smallint[],"         \
  "             $6::smallint[], $7::bytea[], $8::bigint[], $9::bigint[])"                       \
  "   AS i (table_id, revision, request_id, kind, actor, seat, payload, elapsed_us, create_us)" \
  " WHERE CASE WHEN i.revision = 1"                                                             \
  "            THEN (SELECT true FROM rules.tables t WHERE t.table_id = i.table_id)"            \
  "            ELSE (SELECT true FROM rules.table_actions b"                                    \
  "                  WHERE b.table_id = i.table_id AND b.revision = i.revision - 1)"            \
  "       END " on_conflict " RETURNING table_id, request_id, revision"

constexpr pg::Statement kAppendActions{"rules_append_actions", TAROT_RULES_APPEND("")};
constexpr pg::Statement kAppendSomeActions{"rules_append_some_actions",
                                           TAROT_RULES_APPEND("ON CONFLICT DO NOTHING")};

// The statement for batches in which some entries end a deal. Parameters $10..$15 have one element
// per deal: table, request, number, first revision, and, when the match ends with the deal, deals
// scored and totals. Parameters $16..$18 have one element per player of a deal: table, request,
// player.
#define TAROT_RULES_APPEND_ENDS(on_conflict) \
  "WITH logged AS (" TAROT_RULES_APPEND(on_conflict) ", create_time), ends AS (" \
  "  SELECT l.table_id, l.request_id, e.number, e.first_revision, l.revision AS last_revision," \
  "         l.create_time AS finish_time, e.deals_scored, e.totals" \
  "  FROM logged l" \
  "    JOIN unnest($10::uuid[], $11::uuid[], $12::integer[], $13::integer[], $14::integer[]," \
  "                $15::text[])" \
  "      AS e (table_id, request_id, number, first_revision, deals_scored, totals)" \
  "      USING (table_id, request_id)" \
  "), ended AS (" \
  "  INSERT INTO rules.deals (table_id, number, first_revision, last_revision, finish_time)" \
  "  SELECT table_id, number, first_revision, last_revision, finish_time FROM ends" \
  "), seated AS (" \
  "  INSERT INTO rules.deal_players (player_id, finish_time, table_id, number)" \
  "  SELECT p.player_id, ends.finish_time, ends.table_id, ends.number" \
  "  FROM ends JOIN unnest($16::uuid[], $17::uuid[], $18::uuid[])" \
  "    AS p (table_id, request_id, player_id) USING (table_id, request_id)" \
  "), finished AS (" \
  "  UPDATE rules.tables t" \
  "  SET finish_time = ends.finish_time, deals_scored = ends.deals_scored," \
  "      totals = ends.totals::integer[]" \
  "  FROM ends WHERE t.table_id = ends.table_id AND ends.deals_scored IS NOT NULL" \
  "  RETURNING t.table_id, t.finish_time, t.deals_scored > 0 AS scored" \
  "), told AS (" \
  "  INSERT INTO rules.outbox (table_id, target, create_time)" \
  "  SELECT table_id, target, finish_time" \
  "  FROM finished, (VALUES (0), (1)) AS targets (target)" \
  "  WHERE target = 1 OR scored" \
  ")" \
  " SELECT table_id, request_id, revision FROM logged"

constexpr pg::Statement kAppendDealEnds{"rules_append_deal_ends", TAROT_RULES_APPEND_ENDS("")};
constexpr pg::Statement kAppendSomeDealEnds{"rules_append_some_deal_ends",
                                            TAROT_RULES_APPEND_ENDS("ON CONFLICT DO NOTHING")};

#undef TAROT_RULES_APPEND_ENDS
#undef TAROT_RULES_APPEND

bool EndsDeal(const NewEntry& entry) { return entry.deal_number > 0; }

// The entries are sorted by table, so that two processes that write the same tables lock them in
// the same order.
std::vector<const NewEntry*> InOrder(const std::vector<NewEntry>& entries) {
  std::vector<const NewEntry*> sorted;
  sorted.reserve(entries.size());
  for (const NewEntry& entry : entries) sorted.push_back(&entry);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const NewEntry* a, const NewEntry* b) { return a->table < b->table; });
  return sorted;
}

// Adds the parameters $1..$9.
struct EntryArrays {
  explicit EntryArrays(const std::vector<const NewEntry*>& entries) {
    for (const NewEntry* e : entries) {
      const LogEntry& entry = e->entry;
      table.AddId(e->table);
      revision.AddNumber(entry.revision);
      request.AddId(entry.request);
      const StoredBody body = EncodeBody(entry.body);
      kind.AddNumber(body.kind);
      actor.AddNumber(static_cast<int>(entry.actor));
      seat.AddNumber(entry.seat);
      payload.AddBytes(body.payload);
      elapsed.AddNumber(absl::ToInt64Microseconds(entry.elapsed));
      time.AddNumber(absl::ToUnixMicros(entry.create_time));
    }
  }
  SqlArray table, revision, request, kind, actor, seat, payload, elapsed, time;
};

// Adds the parameters $10..$18.
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

// Returns the rows that were stored. Races and repeats are rare, so the first attempt assumes none.
pqxx::result Store(pqxx::nontransaction& tx, const std::vector<NewEntry>& entries) {
  const std::vector<const NewEntry*> sorted = InOrder(entries);
  const bool ends = std::any_of(entries.begin(), entries.end(), EndsDeal);
  try {
    return Run(tx, ends ? kAppendDealEnds : kAppendActions, sorted, ends);
  } catch (const pqxx::unique_violation&) {  // The first attempt stored nothing.
    return Run(tx, ends ? kAppendSomeDealEnds : kAppendSomeActions, sorted, ends);
  }
}

Key KeyOf(const NewEntry& e) { return {e.table, e.entry.request}; }

Key KeyOf(const pqxx::row& row) {
  return {TableId::Parse(row[0].c_str()).value_or(TableId{}),
          RequestId::Parse(row[1].c_str()).value_or(RequestId{})};
}

// Finds the revisions of requests that a batch did not store. $1 are tables, $2 requests.
constexpr pg::Statement kFindRequests{"rules_find_requests", R"sql(
  SELECT i.table_id, i.request_id,
         (SELECT a.revision FROM rules.table_actions a
          WHERE a.table_id = i.table_id AND a.request_id = i.request_id) AS revision
  FROM unnest($1::uuid[], $2::uuid[]) AS i (table_id, request_id)
)sql"};

// Returns the revisions of those of `keys` that are in the log now.
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
  const pqxx::result rows = Store(tx, entries);
  std::vector<absl::StatusOr<Appended>> results;
  results.reserve(entries.size());
  // Each row is one entry. If there are as many rows as entries, all entries are stored.
  if (rows.size() == entries.size()) {
    for (const NewEntry& e : entries) results.push_back(Appended{.revision = e.entry.revision});
    return results;
  }

  // The revisions of stored rows that do not yet belong to a result.
  absl::flat_hash_map<Key, int> stored;
  for (const pqxx::row& row : rows) stored[KeyOf(row)] = row[2].as<int>();
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
