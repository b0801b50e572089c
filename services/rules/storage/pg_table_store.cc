#include "services/rules/storage/pg_table_store.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "libs/rules/parameters/parameters.h"
#include "services/rules/app/errors.h"
#include "services/rules/storage/archived_matches.h"
#include "services/rules/storage/deal_index.h"
#include "services/rules/storage/sealed_log.h"
#include "services/rules/storage/sql_values.h"
#include "services/rules/storage/write_parameters.h"

namespace tarot::rules_service {
namespace {

class PgTableStore final : public TableStore {
 public:
  PgTableStore(pg::Pool& pool, pg::Pool& append_pool, dealing::SecretBox secrets, Entropy& entropy,
               ArchiveStore* archive)
      : pool_(pool),
        append_pool_(append_pool),
        archive_(archive),
        secrets_(std::move(secrets)),
        encoder_(secrets_, entropy) {}

  std::vector<absl::StatusOr<bool>> CreateMany(const std::vector<TableConfig>& configs) override;
  std::vector<absl::StatusOr<Appended>> Append(const std::vector<NewEntry>& entries) override;
  absl::StatusOr<StoredTable> Load(TableId table) override;
  absl::StatusOr<std::vector<TableId>> FindTables(const std::vector<TableId>& tables) override;
  absl::StatusOr<std::vector<StoredTable>> LoadMany(const std::vector<TableId>& tables) override;
  absl::StatusOr<std::vector<TableKey>> ListLive(absl::Time since,
                                                 const std::optional<TableKey>& after,
                                                 int limit) override;
  absl::StatusOr<std::vector<TableId>> ListBehind(
      const std::vector<TableRevision>& tables) override;
  absl::StatusOr<std::vector<TableKey>> ListTables(const TableQuery& query) override;
  absl::StatusOr<std::vector<TableSummary>> LoadSummaries(
      const std::vector<TableId>& tables) override;
  absl::StatusOr<std::vector<DealKey>> ListDeals(const DealQuery& query) override;
  absl::StatusOr<std::vector<StoredDeal>> LoadDeals(const std::vector<DealKey>& deals) override;
  absl::StatusOr<std::vector<OutboxItem>> ListOutbox(int limit, int offset) override;
  absl::Status MarkDelivered(TableId table, OutboxTarget target) override;

 private:
  pg::Pool& pool_;
  pg::Pool& append_pool_;
  ArchiveStore* const archive_;  // Null if there is no archive.
  const dealing::SecretBox secrets_;
  const LogEncoder encoder_;
};

template <typename IdType>
IdType IdFrom(const pqxx::field& field) {
  return IdType::Parse(field.c_str()).value_or(IdType{});
}

// Returns the rule set of a game table. Throws an exception if the rule set cannot be read, because
// the match must not continue under other rules.
rules::RuleSet RulesFrom(const pqxx::row& row) {
  if (!row["rule_values"].is_null()) {
    const auto rules = rules::DecodeRuleSet(row["rule_values"].c_str());
    if (rules) return *rules;
  } else if (const auto* named = rules::FindRuleSet(row["rule_set"].c_str())) {
    return named->rules;
  }
  throw std::runtime_error("a stored table's rule set cannot be read");
}

// The exception for a game table or a deal that cannot be read, for example because a key is
// missing.
struct Unreadable : std::runtime_error {
  explicit Unreadable(absl::Status why)
      : std::runtime_error("a stored log cannot be read"), status(std::move(why)) {}
  absl::Status status;
};

template <typename T>
T ReadOrThrow(absl::StatusOr<T> value) {
  if (!value.ok()) throw Unreadable(value.status());
  return *std::move(value);
}

// The columns with the settings of a game table and with the end of its match (MatchEnd). A
// statement with these columns returns one row for each seat, in the order of the seats.
#define TAROT_RULES_TABLE_COLUMNS                                                          \
  " t.table_id, t.rule_set, t.rule_values, t.first_seed, t.deal_count, t.move_limit_ms,"   \
  " t.time_bank_ms, t.ranked, t.take_back, t.breaks, s.seat, s.player_id, s.display_name," \
  " s.bot_level, t.deals_scored, t.totals,"                                                \
  " extract(epoch FROM t.create_time)::text AS create_time,"                               \
  " extract(epoch FROM t.finish_time)::text AS finish_time "

using Rows = pqxx::result::size_type;

// Each seat of a game table has one row. `begin` is the index of the first row of a game table.
// Returns the index of the first row of the next game table, or the number of rows if there is
// none.
Rows EndOfTable(const pqxx::result& rows, Rows begin) {
  Rows end = begin + 1;
  while (end < rows.size() && rows[end]["seat"].as<int>() != 0) ++end;
  return end;
}

// Returns the settings without `first_seed`.
TableConfig ConfigFrom(const pqxx::result& rows, Rows begin, Rows end) {
  const pqxx::row first = rows[begin];
  TableConfig config{.id = IdFrom<TableId>(first["table_id"]),
                     .rule_set = first["rule_set"].as<std::string>(),
                     .rules = RulesFrom(first),
                     .deal_count = first["deal_count"].as<int>(),
                     .move_limit = absl::Milliseconds(first["move_limit_ms"].as<long long>()),
                     .time_bank = absl::Milliseconds(first["time_bank_ms"].as<long long>()),
                     .ranked = first["ranked"].as<bool>(),
                     .take_back = first["take_back"].as<bool>(),
                     .breaks = first["breaks"].as<bool>(),
                     .create_time = TimeFromEpoch(first["create_time"].as<std::string>())};
  for (Rows i = begin; i < end; ++i) {
    const pqxx::row row = rows[i];
    config.seats.push_back({.player = IdFrom<PlayerId>(row["player_id"]),
                            .display_name = row["display_name"].as<std::string>(),
                            .bot_level = row["bot_level"].as<std::string>()});
  }
  return config;
}

// Returns nullopt while the match is not over.
std::optional<MatchEnd> EndFrom(const pqxx::row& row) {
  if (row["totals"].is_null()) return std::nullopt;
  return MatchEnd{.deals_scored = row["deals_scored"].as<int>(),
                  .totals = IntsFromSql(row["totals"].as<std::string>())};
}

// The columns of a log entry. EntryFrom reads a column by its position and not by its name. This is
// faster, and there are many rows.
#define TAROT_RULES_ENTRY_COLUMNS                                                \
  " a.revision, a.request_id, a.kind, a.actor, a.seat, a.payload, a.elapsed_us," \
  " (date_part('epoch', a.create_time) * 1e6)::bigint "
constexpr int kAfterEntry = 8;  // The index of the first column after TAROT_RULES_ENTRY_COLUMNS.

// Reads the entry in `row`. Throws an exception if the entry cannot be read.
LogEntry EntryFrom(const pqxx::row& row, LogDecoder& decoder) {
  const pqxx::binarystring payload(row[5]);
  const int revision = row[0].as<int>();
  return {.revision = revision,
          .request = IdFrom<RequestId>(row[1]),
          .actor = static_cast<Actor>(row[3].as<int>()),
          .seat = row[4].as<int>(),
          .body = ReadOrThrow(decoder.Decode(revision, row[2].as<int>(), payload.str())),
          .elapsed = absl::Microseconds(row[6].as<long long>()),
          .create_time = absl::FromUnixMicros(row[7].as<long long>())};
}

// Reads the seed of the first deal from a row that has TAROT_RULES_TABLE_COLUMNS. If the seed
// cannot be read, throws an exception.
std::optional<dealing::DealSeed> FirstSeedFrom(const pqxx::row& row, LogDecoder& decoder) {
  if (row["first_seed"].is_null()) return std::nullopt;
  return ReadOrThrow(decoder.DecodeFirstSeed(pqxx::binarystring(row["first_seed"]).str()));
}

int SeatCount(const TableConfig& config) { return static_cast<int>(config.seats.size()); }

// Parameters $1 to $11 are arrays with one element for each game table, and $12 to $16 are arrays
// with one element for each seat. An empty seed means NULL. Inserts the game tables in the order of
// their ids, so that two statements with the same game tables cannot wait for each other forever.
// Returns the ids of the game tables that did not exist before.
constexpr pg::Statement kCreateTables{"rules_create_tables", R"sql(
  WITH made AS (
    INSERT INTO rules.tables (table_id, rule_set, deal_count, move_limit_ms, time_bank_ms, ranked,
                              create_time, rule_values, first_seed, take_back, breaks)
    SELECT table_id, rule_set, deal_count, move_limit_ms, time_bank_ms, ranked, create_time,
           rule_values, nullif(first_seed, ''), take_back, breaks
    FROM unnest($1::uuid[], $2::text[], $3::integer[], $4::bigint[], $5::bigint[], $6::boolean[],
                $7::timestamptz[], $8::text[], $9::bytea[], $10::boolean[], $11::boolean[])
      AS t (table_id, rule_set, deal_count, move_limit_ms, time_bank_ms, ranked, create_time,
            rule_values, first_seed, take_back, breaks)
    ORDER BY table_id
    ON CONFLICT DO NOTHING
    RETURNING table_id
  ), seated AS (
    INSERT INTO rules.table_seats (table_id, seat, player_id, display_name, bot_level)
    SELECT s.table_id, s.seat, s.player_id, s.display_name, s.bot_level
    FROM made JOIN unnest($12::uuid[], $13::smallint[], $14::uuid[], $15::text[], $16::text[])
      AS s (table_id, seat, player_id, display_name, bot_level) USING (table_id)
  )
  SELECT table_id FROM made
)sql"};

constexpr pg::Statement kGetTable{"rules_get_table",
                                  "SELECT" TAROT_RULES_TABLE_COLUMNS
                                  "FROM rules.tables t JOIN rules.table_seats s USING (table_id)"
                                  " WHERE t.table_id = $1 ORDER BY s.seat"};

// Returns a function that runs a prepared statement in `tx`. The pool has prepared the statements.
auto Prepared(pqxx::nontransaction& tx) {
  return [&tx](const pg::Statement& statement, const auto&... parameters) {
    return tx.exec_prepared(statement.name, parameters...);
  };
}

// Runs a prepared statement. Its parameters are these arrays.
template <typename... Arrays>
pqxx::result RunWith(pqxx::nontransaction& tx, const pg::Statement& statement, Arrays&... arrays) {
  return tx.exec_prepared(statement.name, std::move(arrays).Finish()...);
}

}  // namespace

std::vector<absl::StatusOr<bool>> PgTableStore::CreateMany(
    const std::vector<TableConfig>& configs) {
  using Results = std::vector<absl::StatusOr<bool>>;
  TableArrays t(configs, encoder_);
  const auto create = [&](pqxx::connection& connection) -> absl::StatusOr<Results> {
    pqxx::nontransaction tx(connection);
    std::set<TableId> made;
    for (const pqxx::row& row :
         RunWith(tx, kCreateTables, t.id, t.rule_set, t.deal_count, t.move_limit, t.time_bank,
                 t.ranked, t.create_time, t.rule_values, t.first_seed, t.take_back, t.breaks,
                 t.seat_table, t.seat, t.player, t.display_name, t.bot_level)) {
      made.insert(IdFrom<TableId>(row[0]));
    }
    Results results;
    for (const TableConfig& c : configs) {
      if (made.contains(c.id)) {
        results.emplace_back(true);
        continue;
      }
      const pqxx::result before = tx.exec_prepared(kGetTable.name, c.id.ToString());
      const bool same = !before.empty() && ConfigFrom(before, 0, before.size()).SameRequest(c);
      results.push_back(same ? absl::StatusOr<bool>(false) : TableExists());
    }
    return results;
  };
  const absl::StatusOr<Results> results = pool_.With(kCreateTables, create);
  return results.ok() ? *results : Results(configs.size(), results.status());
}

namespace {

using RequestKey = std::pair<TableId, RequestId>;

// Stores entries. Parameters $1 to $9 are arrays with one element for each entry. If two processes
// store the same revision, the primary key (table_id, revision) accepts only one of them. The
// unique key (table_id, request_id) detects repeats.
// - If the log lacks the revision before an entry, or if the game table of an entry does not exist,
//   the statement leaves out this entry and stores the other entries.
// - If an entry breaks a key, the statement without `on_conflict` fails and stores nothing. The
//   statement with `on_conflict` leaves out this entry and stores the others. It costs Postgres
//   more work, and conflicts are rare, so only the second attempt uses it.
// - A scalar subquery looks up the previous entry of the game table. This form makes the planner
//   use the index for each row.
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

// The statement for batches in which some entries end a deal. It has these further parameters:
// - $10 to $16 have one element for each deal that ends: table, request, number, first revision,
//   whether the match is over (1 or 0), deals scored, totals.
// - $17 to $19 have one element for each player of these deals: table, request, player.
// - $20 to $23 have one element for each deal whose secrets become public: table, request, number,
//   secrets (EncodeRevealed). Such a deal ends now, or it is an older deal of a match that ends
//   now.
#define TAROT_RULES_APPEND_ENDS(on_conflict) \
  "WITH logged AS (" TAROT_RULES_APPEND(on_conflict) ", create_time), ends AS (" \
  "  SELECT l.table_id, l.request_id, e.number, e.first_revision, l.revision AS last_revision," \
  "         l.create_time AS finish_time, e.match_over, e.deals_scored," \
  "         e.totals::integer[] AS totals" \
  "  FROM logged l" \
  "    JOIN unnest($10::uuid[], $11::uuid[], $12::integer[], $13::integer[], $14::integer[]," \
  "                $15::integer[], $16::text[])" \
  "      AS e (table_id, request_id, number, first_revision, match_over, deals_scored, totals)" \
  "      USING (table_id, request_id)" \
  "), opened AS (" \
  "  SELECT * FROM unnest($20::uuid[], $21::uuid[], $22::integer[], $23::bytea[])" \
  "    AS o (table_id, request_id, number, revealed)" \
  "), ended AS (" \
  "  INSERT INTO rules.deals (table_id, number, first_revision, last_revision, finish_time," \
  "                           deals_scored, totals, revealed)" \
  "  SELECT table_id, number, first_revision, last_revision, finish_time, deals_scored, totals," \
  "         revealed" \
  "  FROM ends LEFT JOIN opened USING (table_id, request_id, number)" \
  "), shown AS (" \
  "  UPDATE rules.deals d SET revealed = o.revealed" \
  "  FROM ends JOIN opened o USING (table_id, request_id)" \
  "  WHERE d.table_id = ends.table_id AND d.number = o.number" \
  "), seated AS (" \
  "  INSERT INTO rules.deal_players (player_id, finish_time, table_id, number)" \
  "  SELECT p.player_id, ends.finish_time, ends.table_id, ends.number" \
  "  FROM ends JOIN unnest($17::uuid[], $18::uuid[], $19::uuid[])" \
  "    AS p (table_id, request_id, player_id) USING (table_id, request_id)" \
  "), finished AS (" \
  "  UPDATE rules.tables t" \
  "  SET finish_time = ends.finish_time, deals_scored = ends.deals_scored, totals = ends.totals" \
  "  FROM ends WHERE t.table_id = ends.table_id AND ends.match_over = 1" \
  "  RETURNING t.table_id, t.finish_time, t.deals_scored > 0 AS scored" \
  "), told AS (" \
  "  INSERT INTO rules.outbox (table_id, target, create_time)" \
  "  SELECT table_id, target, finish_time" \
  "  FROM finished, (VALUES (0), (1)) AS targets (target)" \
  "  WHERE target = 1 OR scored" \
  ")" \
  " SELECT table_id, request_id, revision FROM logged"

constexpr pg::Statement kAppendEnds{"rules_append_ends", TAROT_RULES_APPEND_ENDS("")};
constexpr pg::Statement kAppendSomeEnds{"rules_append_some_ends",
                                        TAROT_RULES_APPEND_ENDS("ON CONFLICT DO NOTHING")};

#undef TAROT_RULES_APPEND_ENDS
#undef TAROT_RULES_APPEND

// Returns the entries sorted by game table. Because of this order, two processes that write entries
// of the same game tables lock the rows in the same order.
std::vector<const NewEntry*> InOrder(const std::vector<NewEntry>& entries) {
  std::vector<const NewEntry*> sorted;
  sorted.reserve(entries.size());
  for (const NewEntry& entry : entries) sorted.push_back(&entry);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const NewEntry* a, const NewEntry* b) { return a->table < b->table; });
  return sorted;
}

pqxx::result RunAppend(pqxx::nontransaction& tx, const pg::Statement& statement,
                       const std::vector<const NewEntry*>& sorted, bool ends,
                       const LogEncoder& encoder) {
  EntryArrays a(sorted, encoder);
  if (!ends) {
    return RunWith(tx, statement, a.table, a.revision, a.request, a.kind, a.actor, a.seat,
                   a.payload, a.elapsed, a.time);
  }
  EndArrays e(sorted);
  return RunWith(tx, statement, a.table, a.revision, a.request, a.kind, a.actor, a.seat, a.payload,
                 a.elapsed, a.time, e.table, e.request, e.number, e.first_revision, e.match_over,
                 e.scored, e.totals, e.player_table, e.player_request, e.player, e.open_table,
                 e.open_request, e.open_number, e.revealed);
}

// Returns the rows that were stored. The first attempt assumes that no entry breaks a key, because
// races and repeats are rare.
pqxx::result StoreEntries(pqxx::nontransaction& tx, const std::vector<NewEntry>& entries,
                          const LogEncoder& encoder) {
  const std::vector<const NewEntry*> sorted = InOrder(entries);
  const bool ends = std::any_of(entries.begin(), entries.end(), std::mem_fn(&NewEntry::EndsDeal));
  try {
    return RunAppend(tx, ends ? kAppendEnds : kAppendActions, sorted, ends, encoder);
  } catch (const pqxx::unique_violation&) {  // The first attempt stored nothing.
    return RunAppend(tx, ends ? kAppendSomeEnds : kAppendSomeActions, sorted, ends, encoder);
  }
}

RequestKey KeyOf(const NewEntry& e) { return {e.table, e.entry.request}; }

RequestKey KeyOf(const pqxx::row& row) {
  return {TableId::Parse(row[0].c_str()).value_or(TableId{}),
          RequestId::Parse(row[1].c_str()).value_or(RequestId{})};
}

// Finds the revisions of requests that a batch did not store. $1 is an array of ids of game tables,
// and $2 is an array of ids of requests.
constexpr pg::Statement kFindRequests{"rules_find_requests", R"sql(
  SELECT i.table_id, i.request_id,
         (SELECT a.revision FROM rules.table_actions a
          WHERE a.table_id = i.table_id AND a.request_id = i.request_id) AS revision
  FROM unnest($1::uuid[], $2::uuid[]) AS i (table_id, request_id)
)sql"};

// Returns the revision of each key of `keys` that is in the log now.
absl::flat_hash_map<RequestKey, int> FindRequests(pqxx::nontransaction& tx,
                                                  const std::vector<RequestKey>& keys) {
  SqlArray tables, requests;
  for (const auto& [table, request] : keys) {
    tables.AddId(table);
    requests.AddId(request);
  }
  absl::flat_hash_map<RequestKey, int> found;
  for (const pqxx::row& row : tx.exec_prepared(kFindRequests.name, std::move(tables).Finish(),
                                               std::move(requests).Finish())) {
    if (!row[2].is_null()) found[KeyOf(row)] = row[2].as<int>();
  }
  return found;
}

// Returns the first statement that AppendBatch runs for `entries`. The pool records the time of the
// whole batch under the name of this statement.
const pg::Statement& AppendStatement(const std::vector<NewEntry>& entries) {
  return std::any_of(entries.begin(), entries.end(), std::mem_fn(&NewEntry::EndsDeal))
             ? kAppendEnds
             : kAppendActions;
}

// Does on `connection` what TableStore::Append says. If a key refuses an entry, a second statement
// stores the other entries. A last statement looks up the requests of the entries that were not
// stored. Throws the exceptions of libpqxx. After an exception, some entries may be stored.
std::vector<absl::StatusOr<Appended>> AppendBatch(pqxx::connection& connection,
                                                  const std::vector<NewEntry>& entries,
                                                  const LogEncoder& encoder) {
  pqxx::nontransaction tx(connection);
  const pqxx::result rows = StoreEntries(tx, entries, encoder);
  std::vector<absl::StatusOr<Appended>> results;
  results.reserve(entries.size());
  // Each row is one entry. If there are as many rows as entries, all entries are stored.
  if (rows.size() == entries.size()) {
    for (const NewEntry& e : entries) results.push_back(Appended{.revision = e.entry.revision});
    return results;
  }

  // The revisions of the stored rows that no result has used yet.
  absl::flat_hash_map<RequestKey, int> stored;
  for (const pqxx::row& row : rows) stored[KeyOf(row)] = row[2].as<int>();
  std::vector<RequestKey> left;
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
  const absl::flat_hash_map<RequestKey, int> found = FindRequests(tx, left);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto at = found.find(KeyOf(entries[i]));
    if (!results[i].ok() && at != found.end()) {
      results[i] = Appended{.revision = at->second, .replayed = true};
    }
  }
  return results;
}

}  // namespace

std::vector<absl::StatusOr<Appended>> PgTableStore::Append(const std::vector<NewEntry>& entries) {
  using Results = std::vector<absl::StatusOr<Appended>>;
  const auto append = [&](pqxx::connection& connection) -> absl::StatusOr<Results> {
    return AppendBatch(connection, entries, encoder_);
  };
  absl::StatusOr<Results> results = append_pool_.With(AppendStatement(entries), append);
  if (results.ok()) return *std::move(results);
  // After UNAVAILABLE, it is unknown which entries are stored. Any other error may come from one
  // bad entry, and the other entries must not fail because of it. So each entry is tried alone. If
  // an entry is already stored, it counts as a repeat.
  if (entries.size() == 1 || absl::IsUnavailable(results.status())) {
    return Results(entries.size(), results.status());
  }
  Results each;
  for (const NewEntry& entry : entries) {
    // If the database stops answering now, all remaining entries get the same error. They must not
    // wait for the database one by one.
    const bool away = !each.empty() && absl::IsUnavailable(each.back().status());
    each.push_back(away ? each.back() : Append({entry})[0]);
  }
  return each;
}

namespace {

constexpr pg::Statement kListActions{
    "rules_list_actions", "SELECT" TAROT_RULES_ENTRY_COLUMNS
                          "FROM rules.table_actions a WHERE a.table_id = $1 ORDER BY a.revision"};

// Reads the public secrets of the finished deals of a game table.
constexpr pg::Statement kListRevealed{"rules_list_revealed", R"sql(
  SELECT number, revealed FROM rules.deals WHERE table_id = $1 AND revealed IS NOT NULL
)sql"};

template <typename Exec>
RevealedDeals ReadRevealed(const Exec& exec, TableId table) {
  RevealedDeals revealed;
  for (const pqxx::row& row : exec(kListRevealed, table.ToString())) {
    revealed[row[0].template as<int>()] = pqxx::binarystring(row[1]).str();
  }
  return revealed;
}

// Returns the decoder of a whole log.
template <typename Exec>
LogDecoder DecoderOf(const Exec& exec, const dealing::SecretBox& secrets,
                     const StoredTable& stored) {
  const TableId table = stored.config.id;
  return LogDecoder(
      secrets,
      {.table = table, .players = SeatCount(stored.config), .ended = stored.end.has_value()},
      [exec, table] { return ReadRevealed(exec, table); });
}

// Returns nullopt if there is no such game table. If the game table cannot be read, throws an
// exception. `exec` runs a prepared statement. If the log of the game table is gone, `archived`
// returns the match.
template <typename Exec, typename Archived>
std::optional<StoredTable> Read(const Exec& exec, const dealing::SecretBox& secrets, TableId table,
                                const Archived& archived) {
  const pqxx::result rows = exec(kGetTable, table.ToString());
  if (rows.empty()) return std::nullopt;
  StoredTable stored{.config = ConfigFrom(rows, 0, rows.size()), .end = EndFrom(rows[0])};
  const pqxx::result log = exec(kListActions, table.ToString());
  if (log.empty() && stored.end) return ReadOrThrow(archived(stored));
  LogDecoder decoder = DecoderOf(exec, secrets, stored);
  stored.config.first_seed = FirstSeedFrom(rows[0], decoder);
  for (const pqxx::row& row : log) {
    stored.log.push_back(EntryFrom(row, decoder));
  }
  return stored;
}

}  // namespace

absl::StatusOr<StoredTable> PgTableStore::Load(TableId table) {
  return pool_.With(kListActions, [&](pqxx::connection& connection) -> absl::StatusOr<StoredTable> {
    pqxx::nontransaction tx(connection);
    try {
      std::optional<StoredTable> stored =
          Read(Prepared(tx), secrets_, table, [&](const StoredTable& without_log) {
            return ReadArchivedMatch(tx, archive_, without_log);
          });
      if (!stored) return TableNotFound();
      return *std::move(stored);
    } catch (const Unreadable& unreadable) {
      return unreadable.status;
    }
  });
}

absl::StatusOr<std::optional<StoredTable>> ReadTable(pqxx::transaction_base& tx,
                                                     const dealing::SecretBox& secrets,
                                                     TableId table) {
  const auto exec = [&tx](const pg::Statement& statement, const auto&... parameters) {
    return tx.exec_params(statement.sql, parameters...);
  };
  try {
    return Read(exec, secrets, table, [](const StoredTable& without_log) {
      return absl::StatusOr<StoredTable>(without_log);
    });
  } catch (const Unreadable& unreadable) {
    return unreadable.status;
  }
}

namespace {

constexpr pg::Statement kFindTables{
    "rules_find_tables",
    "SELECT t.table_id FROM unnest($1::uuid[]) AS i (table_id)"
    " CROSS JOIN LATERAL (SELECT table_id FROM rules.tables WHERE tables.table_id = i.table_id"
    "                     LIMIT 1) AS t"};

}  // namespace

absl::StatusOr<std::vector<TableId>> PgTableStore::FindTables(const std::vector<TableId>& tables) {
  SqlArray ids;
  for (const TableId table : tables) ids.AddId(table);
  const std::string array = std::move(ids).Finish();
  return pool_.With(kFindTables,
                    [&](pqxx::connection& connection) -> absl::StatusOr<std::vector<TableId>> {
                      pqxx::nontransaction tx(connection);
                      std::vector<TableId> found;
                      for (const pqxx::row& row : tx.exec_prepared(kFindTables.name, array)) {
                        found.push_back(IdFrom<TableId>(row[0]));
                      }
                      return found;
                    });
}

namespace {

// Parameter $1 is an array of ids of game tables. The statement looks up each id with a subquery of
// its own. So the planner never scans the whole log, even if its statistics are too old for a log
// that has grown fast.
constexpr pg::Statement kGetTables{
    "rules_get_tables",
    "SELECT" TAROT_RULES_TABLE_COLUMNS
    "FROM unnest($1::uuid[]) AS i (table_id)"
    " CROSS JOIN LATERAL (SELECT * FROM rules.tables WHERE tables.table_id = i.table_id LIMIT 1)"
    "   AS t"
    " CROSS JOIN LATERAL (SELECT * FROM rules.table_seats WHERE table_seats.table_id = i.table_id"
    "                     ORDER BY seat) AS s"};

constexpr pg::Statement kListActionsOfTables{
    "rules_list_actions_of_tables",
    "SELECT" TAROT_RULES_ENTRY_COLUMNS
    ", a.table_id"
    " FROM unnest($1::uuid[]) AS i (table_id)"
    " CROSS JOIN LATERAL (SELECT * FROM rules.table_actions"
    "                     WHERE table_actions.table_id = i.table_id ORDER BY revision) AS a"};

// Reads game tables. For each of them, calls `complete` with the game table, which has no log yet,
// and with its first row of the result. Leaves out a game table whose settings cannot be read.
template <typename Complete>
absl::flat_hash_map<TableId, StoredTable> LoadConfigs(pqxx::nontransaction& tx,
                                                      const std::string& tables,
                                                      const Complete& complete) {
  absl::flat_hash_map<TableId, StoredTable> stored;
  const pqxx::result rows = tx.exec_prepared(kGetTables.name, tables);
  for (Rows begin = 0, end = 0; begin < rows.size(); begin = end) {
    end = EndOfTable(rows, begin);
    try {
      StoredTable table{.config = ConfigFrom(rows, begin, end), .end = EndFrom(rows[begin])};
      complete(table, rows[begin]);
      stored[table.config.id] = std::move(table);
    } catch (const std::runtime_error&) {
      continue;
    }
  }
  return stored;
}

}  // namespace

absl::StatusOr<std::vector<StoredTable>> PgTableStore::LoadMany(
    const std::vector<TableId>& tables) {
  SqlArray ids;
  for (const TableId table : tables) ids.AddId(table);
  const std::string array = std::move(ids).Finish();
  const auto load = [&](pqxx::connection& connection) -> absl::StatusOr<std::vector<StoredTable>> {
    pqxx::nontransaction tx(connection);
    absl::flat_hash_map<TableId, LogDecoder> decoders;
    auto stored = LoadConfigs(tx, array, [&](StoredTable& table, const pqxx::row& row) {
      LogDecoder decoder = DecoderOf(Prepared(tx), secrets_, table);
      table.config.first_seed = FirstSeedFrom(row, decoder);
      decoders.emplace(table.config.id, std::move(decoder));
    });
    const pqxx::result rows = tx.exec_prepared(kListActionsOfTables.name, array);
    // All rows of one game table stand together.
    std::string current;
    auto table = stored.end();
    for (const pqxx::row& row : rows) {
      if (current != row[kAfterEntry].c_str()) {
        current = row[kAfterEntry].c_str();
        table = stored.find(IdFrom<TableId>(row[kAfterEntry]));
      }
      if (table == stored.end()) continue;
      try {
        table->second.log.push_back(EntryFrom(row, decoders.at(table->first)));
      } catch (const std::runtime_error&) {  // A game table with an unreadable log is left out.
        stored.erase(table);
        table = stored.end();
      }
    }
    std::vector<StoredTable> in_order;
    for (const TableId id : tables) {
      const auto found = stored.find(id);
      if (found != stored.end()) in_order.push_back(std::move(found->second));
    }
    return in_order;
  };
  return pool_.With(kListActionsOfTables, load);
}

namespace {

// Lists the same game tables as rules_list_open_tables, but none that was made before $4. The index
// tables_ix_live has all columns of the result.
constexpr pg::Statement kListLiveTables{"rules_list_live_tables", R"sql(
  SELECT t.table_id, extract(epoch FROM t.create_time)::text AS create_time
  FROM rules.tables t
  WHERE t.finish_time IS NULL AND (t.create_time, t.table_id) < ($1, $2) AND t.create_time >= $4
  ORDER BY t.create_time DESC, t.table_id DESC LIMIT $3
)sql"};

// A log has no gaps. So it has an entry after a revision if and only if it has the next one. LIMIT
// forces one lookup per game table, as in rules_get_tables.
constexpr pg::Statement kListTablesBehind{
    "rules_list_tables_behind",
    "SELECT i.table_id FROM unnest($1::uuid[], $2::integer[]) AS i (table_id, revision)"
    " CROSS JOIN LATERAL (SELECT revision FROM rules.table_actions"
    "                     WHERE table_actions.table_id = i.table_id"
    "                       AND table_actions.revision = i.revision + 1 LIMIT 1) AS a"};

TableKey TableKeyFrom(const pqxx::row& row) {
  return {.table = IdFrom<TableId>(row[0]), .create_time = TimeFromEpoch(row[1].as<std::string>())};
}

}  // namespace

absl::StatusOr<std::vector<TableKey>> PgTableStore::ListLive(absl::Time since,
                                                             const std::optional<TableKey>& after,
                                                             int limit) {
  const TableKey from = after.value_or(TableKey{.create_time = absl::InfiniteFuture()});
  const auto list = [&](pqxx::connection& connection) -> absl::StatusOr<std::vector<TableKey>> {
    pqxx::nontransaction tx(connection);
    std::vector<TableKey> live;
    for (const pqxx::row& row : tx.exec_prepared(kListLiveTables.name, SqlTime(from.create_time),
                                                 from.table.ToString(), limit, SqlTime(since))) {
      live.push_back(TableKeyFrom(row));
    }
    return live;
  };
  return pool_.With(kListLiveTables, list);
}

absl::StatusOr<std::vector<TableId>> PgTableStore::ListBehind(
    const std::vector<TableRevision>& tables) {
  SqlArray ids, revisions;
  for (const TableRevision& table : tables) {
    ids.AddId(table.table);
    revisions.AddNumber(table.revision);
  }
  const std::string id_array = std::move(ids).Finish();
  const std::string revision_array = std::move(revisions).Finish();
  const auto list = [&](pqxx::connection& connection) -> absl::StatusOr<std::vector<TableId>> {
    pqxx::nontransaction tx(connection);
    std::vector<TableId> behind;
    for (const pqxx::row& row :
         tx.exec_prepared(kListTablesBehind.name, id_array, revision_array)) {
      behind.push_back(IdFrom<TableId>(row[0]));
    }
    return behind;
  };
  return pool_.With(kListTablesBehind, list);
}

namespace {

// The next statements read one page. $1 and $2 are the last key of the previous page (infinity for
// the first page), and $3 is the limit. Each kind of query has its own statement, because Postgres
// might not use the index for a statement with optional conditions. The sort keys begin with "t.":
// without it, create_time is the text of the result, and Postgres cannot use the index.
constexpr pg::Statement kListTables{"rules_list_tables", R"sql(
  SELECT t.table_id, extract(epoch FROM t.create_time)::text AS create_time
  FROM rules.tables t
  WHERE (t.create_time, t.table_id) < ($1, $2)
  ORDER BY t.create_time DESC, t.table_id DESC LIMIT $3
)sql"};

constexpr pg::Statement kListOpenTables{"rules_list_open_tables", R"sql(
  SELECT t.table_id, extract(epoch FROM t.create_time)::text AS create_time
  FROM rules.tables t
  WHERE t.finish_time IS NULL AND (t.create_time, t.table_id) < ($1, $2)
  ORDER BY t.create_time DESC, t.table_id DESC LIMIT $3
)sql"};

// $4 is the player. $5 is true if the list also has game tables whose match is over.
constexpr pg::Statement kListPlayerTables{"rules_list_player_tables", R"sql(
  SELECT t.table_id, extract(epoch FROM t.create_time)::text AS create_time
  FROM rules.table_seats s JOIN rules.tables t USING (table_id)
  WHERE s.player_id = $4 AND ($5 OR t.finish_time IS NULL)
    AND (t.create_time, t.table_id) < ($1, $2)
  ORDER BY t.create_time DESC, t.table_id DESC LIMIT $3
)sql"};

}  // namespace

absl::StatusOr<std::vector<TableKey>> PgTableStore::ListTables(const TableQuery& q) {
  const TableKey after = q.after.value_or(TableKey{.create_time = absl::InfiniteFuture()});
  const std::string time = SqlTime(after.create_time);
  const std::string id = after.table.ToString();
  const pg::Statement& statement = q.player          ? kListPlayerTables
                                   : q.show_finished ? kListTables
                                                     : kListOpenTables;
  const auto list = [&](pqxx::connection& connection) -> absl::StatusOr<std::vector<TableKey>> {
    pqxx::nontransaction tx(connection);
    const pqxx::result rows = q.player ? tx.exec_prepared(statement.name, time, id, q.limit,
                                                          q.player->ToString(), q.show_finished)
                                       : tx.exec_prepared(statement.name, time, id, q.limit);
    std::vector<TableKey> keys;
    for (const pqxx::row& row : rows) keys.push_back(TableKeyFrom(row));
    return keys;
  };
  return pool_.With(statement, list);
}

namespace {

// Reads the settings of the game tables in $1, and the newest finished deal of each. The rows keep
// the order of $1.
constexpr pg::Statement kGetSummaries{
    "rules_get_summaries",
    "SELECT" TAROT_RULES_TABLE_COLUMNS
    ", coalesce(d.number, cardinality(a.finish_times)) AS deals_over,"
    " d.deals_scored AS scored_now, d.totals AS totals_now"
    " FROM unnest($1::uuid[]) WITH ORDINALITY AS i (table_id, place)"
    " CROSS JOIN LATERAL (SELECT * FROM rules.tables WHERE tables.table_id = i.table_id LIMIT 1)"
    "   AS t"
    " CROSS JOIN LATERAL (SELECT * FROM rules.table_seats WHERE table_seats.table_id = i.table_id"
    "                     ORDER BY seat) AS s"
    " LEFT JOIN LATERAL (SELECT * FROM rules.deals WHERE deals.table_id = i.table_id"
    "                    ORDER BY number DESC LIMIT 1) AS d ON true"
    " LEFT JOIN rules.archived_matches a ON a.table_id = i.table_id"
    " ORDER BY i.place, s.seat"};

// Reads the end of the match and the newest finished deal, if there are any. Older versions stored
// deals without totals. If the match is not over and the newest deal has no totals, returns no
// progress.
MatchProgress ProgressFrom(const pqxx::row& row) {
  const std::optional<MatchEnd> end = EndFrom(row);
  if (!end && row["totals_now"].is_null()) return {};
  const int deals_over = row["deals_over"].is_null() ? 0 : row["deals_over"].as<int>();
  if (end) {
    return {.match_over = true,
            .deals_dealt = std::max(deals_over, end->deals_scored),
            .deals_scored = end->deals_scored,
            .totals = end->totals};
  }
  return {.deals_dealt = deals_over,
          .deals_scored = row["scored_now"].as<int>(),
          .totals = IntsFromSql(row["totals_now"].as<std::string>())};
}

}  // namespace

absl::StatusOr<std::vector<TableSummary>> PgTableStore::LoadSummaries(
    const std::vector<TableId>& tables) {
  SqlArray ids;
  for (const TableId table : tables) ids.AddId(table);
  const std::string array = std::move(ids).Finish();
  using Summaries = std::vector<TableSummary>;
  const auto load = [&](pqxx::connection& connection) -> absl::StatusOr<Summaries> {
    pqxx::nontransaction tx(connection);
    const pqxx::result rows = tx.exec_prepared(kGetSummaries.name, array);
    Summaries summaries;
    for (Rows begin = 0, end = 0; begin < rows.size(); begin = end) {
      end = EndOfTable(rows, begin);
      try {
        summaries.push_back(
            {.config = ConfigFrom(rows, begin, end), .progress = ProgressFrom(rows[begin])});
      } catch (const std::runtime_error&) {
        continue;  // If one game table is unreadable, the list must still show the other game
                   // tables.
      }
    }
    return summaries;
  };
  return pool_.With(kGetSummaries, load);
}

absl::StatusOr<std::vector<DealKey>> PgTableStore::ListDeals(const DealQuery& query) {
  return pool_.With(StatementOf(query),
                    [&](pqxx::connection& connection) -> absl::StatusOr<std::vector<DealKey>> {
                      pqxx::nontransaction tx(connection);
                      return ListStoredDeals(tx, query);
                    });
}

namespace {

// $1 (ids of game tables) and $2 (numbers of deals) are arrays with one element per deal. `place`
// is the position of a deal in these arrays, from 1.
constexpr pg::Statement kListActionsOfDeals{
    "rules_list_actions_of_deals",
    "SELECT" TAROT_RULES_ENTRY_COLUMNS
    ", i.place, extract(epoch FROM d.finish_time)::text, d.revealed IS NULL"
    " FROM unnest($1::uuid[], $2::integer[]) WITH ORDINALITY AS i (table_id, number, place)"
    " CROSS JOIN LATERAL (SELECT * FROM rules.deals WHERE deals.table_id = i.table_id"
    "                     AND deals.number = i.number LIMIT 1) AS d"
    " CROSS JOIN LATERAL (SELECT * FROM rules.table_actions"
    "                     WHERE table_actions.table_id = d.table_id"
    "                       AND revision BETWEEN d.first_revision AND d.last_revision"
    "                     ORDER BY revision) AS a"};

}  // namespace

absl::StatusOr<std::vector<StoredDeal>> PgTableStore::LoadDeals(const std::vector<DealKey>& deals) {
  SqlArray tables, deal_tables, numbers;
  absl::flat_hash_set<TableId> known;
  for (const DealKey& deal : deals) {
    if (known.insert(deal.table).second) tables.AddId(deal.table);
    deal_tables.AddId(deal.table);
    numbers.AddNumber(deal.number);
  }
  const auto load = [&](pqxx::connection& connection) -> absl::StatusOr<std::vector<StoredDeal>> {
    pqxx::nontransaction tx(connection);
    const auto configs =
        LoadConfigs(tx, std::move(tables).Finish(), [](const StoredTable&, const pqxx::row&) {});
    std::vector<StoredDeal> stored;
    std::size_t place = 0;  // The position of the current deal in `deals`; the first position is 1.
    std::optional<LogDecoder> decoder;
    for (const pqxx::row& row :
         tx.exec_prepared(kListActionsOfDeals.name, std::move(deal_tables).Finish(),
                          std::move(numbers).Finish())) {
      const auto row_place = row[kAfterEntry].as<std::size_t>();
      const DealKey& key = deals.at(row_place - 1);
      const auto table = configs.find(key.table);
      if (table == configs.end()) throw std::runtime_error("a stored table cannot be read");
      if (std::exchange(place, row_place) != row_place) {
        const TableConfig& config = table->second.config;
        stored.push_back(
            {.key = key, .config = config, .match_over = table->second.end.has_value()});
        stored.back().key.finish_time = TimeFromEpoch(row[kAfterEntry + 1].as<std::string>());
        decoder.emplace(secrets_,
                        LogDecoder::Log{.table = key.table,
                                        .players = SeatCount(config),
                                        .first_deal = key.number,
                                        .ended = true},
                        [&tx, &key] { return ReadRevealed(Prepared(tx), key.table); });
      }
      StoredDeal& deal = stored.back();
      if (!deal.readable.ok()) continue;
      try {
        deal.log.push_back(EntryFrom(row, *decoder));
      } catch (const Unreadable& unreadable) {
        const bool closed = !deal.match_over && row[kAfterEntry + 2].as<bool>();
        const bool no_key = GetErrorDetails(unreadable.status).reason == "SECRET_UNREADABLE";
        if (!closed || !no_key) return unreadable.status;  // The status names the missing key.
        deal.readable = unreadable.status;
        deal.log.clear();
      }
    }
    return AddArchivedDeals(tx, archive_, configs, deals, std::move(stored));
  };
  return pool_.With(kListActionsOfDeals, load);
}

namespace {

// For each target, skips the first $2 items and lists the next $1 items. An item has one row for
// each seat of its game table.
constexpr pg::Statement kListOutbox{
    "rules_list_outbox",
    "SELECT" TAROT_RULES_TABLE_COLUMNS
    ", o.target"
    " FROM (VALUES (0), (1)) AS targets (target)"
    " CROSS JOIN LATERAL (SELECT * FROM rules.outbox WHERE outbox.target = targets.target"
    "                     ORDER BY create_time, table_id LIMIT $1 OFFSET $2) AS o"
    " JOIN rules.tables t USING (table_id) JOIN rules.table_seats s USING (table_id)"
    " ORDER BY o.create_time, o.table_id, o.target, s.seat"};

}  // namespace

absl::StatusOr<std::vector<OutboxItem>> PgTableStore::ListOutbox(int limit, int offset) {
  const auto list = [&](pqxx::connection& connection) -> absl::StatusOr<std::vector<OutboxItem>> {
    pqxx::nontransaction tx(connection);
    std::vector<OutboxItem> items;
    const pqxx::result rows = tx.exec_prepared(kListOutbox.name, limit, offset);
    for (Rows begin = 0, end = 0; begin < rows.size(); begin = end) {
      end = EndOfTable(rows, begin);
      const pqxx::row row = rows[begin];
      items.push_back({.config = ConfigFrom(rows, begin, end),
                       .target = static_cast<OutboxTarget>(row["target"].as<int>()),
                       .end = EndFrom(row).value_or(MatchEnd{}),
                       .finish_time = TimeFromEpoch(row["finish_time"].as<std::string>())});
    }
    return items;
  };
  return pool_.With(kListOutbox, list);
}

namespace {

constexpr pg::Statement kDeleteOutbox{"rules_delete_outbox", R"sql(
  DELETE FROM rules.outbox WHERE table_id = $1 AND target = $2
)sql"};

}  // namespace

absl::Status PgTableStore::MarkDelivered(TableId table, OutboxTarget target) {
  return pool_.With(kDeleteOutbox, [&](pqxx::connection& connection) -> absl::Status {
    pqxx::nontransaction(connection)
        .exec_prepared(kDeleteOutbox.name, table.ToString(), static_cast<int>(target));
    return absl::OkStatus();
  });
}

std::vector<pg::Statement> TableStatements() {
  std::vector<pg::Statement> statements = {
      kCreateTables,   kGetTable,           kListActions,
      kFindTables,     kGetTables,          kListActionsOfTables,
      kListRevealed,   kListLiveTables,     kListTables,
      kListOpenTables, kListTablesBehind,   kListPlayerTables,
      kGetSummaries,   kListActionsOfDeals, kListOutbox,
      kDeleteOutbox};
  for (const pg::Statement& statement : DealIndexStatements()) statements.push_back(statement);
  for (const pg::Statement& statement : ArchivedMatchStatements()) statements.push_back(statement);
  return statements;
}

std::vector<pg::Statement> AppendStatements() {
  return {kAppendActions, kAppendSomeActions, kAppendEnds, kAppendSomeEnds, kFindRequests};
}

std::unique_ptr<TableStore> MakePgTableStore(pg::Pool& pool, pg::Pool& append_pool,
                                             dealing::SecretBox secrets, Entropy& entropy,
                                             ArchiveStore* archive) {
  return std::make_unique<PgTableStore>(pool, append_pool, std::move(secrets), entropy, archive);
}

}  // namespace tarot::rules_service
