#include "services/rules/storage/deal_index.h"

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>

#include "services/rules/limits.h"
#include "services/rules/storage/sql_values.h"

namespace tarot::rules_service {
namespace {

// $1 and $2 are the time range, $3 to $5 are the last key of the previous page, and $6 is the
// limit. The sort keys begin with "d.": without it, finish_time is the text of the result, and
// Postgres cannot use the index.
constexpr pg::Statement kListDeals{"rules_list_deals", R"sql(
  SELECT d.table_id, d.number, extract(epoch FROM d.finish_time)::text AS finish_time
  FROM rules.deals d
  WHERE d.finish_time >= $1 AND d.finish_time < $2
    AND (d.finish_time, d.table_id, d.number) < ($3, $4, $5)
  ORDER BY d.finish_time DESC, d.table_id DESC, d.number DESC LIMIT $6
)sql"};

// Lists the deals of table $7.
constexpr pg::Statement kListTableDeals{"rules_list_table_deals", R"sql(
  SELECT d.table_id, d.number, extract(epoch FROM d.finish_time)::text AS finish_time
  FROM rules.deals d
  WHERE d.table_id = $7
    AND d.finish_time >= $1 AND d.finish_time < $2
    AND (d.finish_time, d.table_id, d.number) < ($3, $4, $5)
  ORDER BY d.finish_time DESC, d.table_id DESC, d.number DESC LIMIT $6
)sql"};

// Lists the deals of player $7. If $8 is not null, lists only the player's deals at table $8.
constexpr pg::Statement kListPlayerDeals{"rules_list_player_deals", R"sql(
  SELECT d.table_id, d.number, extract(epoch FROM d.finish_time)::text AS finish_time
  FROM rules.deal_players d
  WHERE d.player_id = $7 AND ($8::uuid IS NULL OR d.table_id = $8)
    AND d.finish_time >= $1 AND d.finish_time < $2
    AND (d.finish_time, d.table_id, d.number) < ($3, $4, $5)
  ORDER BY d.finish_time DESC, d.table_id DESC, d.number DESC LIMIT $6
)sql"};

// Lists the deals of a page of matches whose logs have been dropped, beginning with the newest
// match. The matches have deals between the times $1 and $2. The parameters $3 and $4 are the key
// of the last match of the previous page. The parameter $5 is the number of matches.
#define TAROT_RULES_ARCHIVED_DEALS(source)                                                \
  "SELECT m.table_id, t.number, extract(epoch FROM t.finish_time)::text AS finish_time,"  \
  "       extract(epoch FROM m.last_finish_time)::text AS last_finish_time"               \
  " FROM (SELECT a.table_id, a.last_finish_time, a.finish_times FROM " source             \
  "       AND a.last_finish_time >= $1 AND a.first_finish_time <= $2"                     \
  "       AND (a.last_finish_time, a.table_id) < ($3, $4)"                                \
  "       ORDER BY a.last_finish_time DESC, a.table_id DESC LIMIT $5) AS m"               \
  " CROSS JOIN LATERAL unnest(m.finish_times) WITH ORDINALITY AS t (finish_time, number)" \
  " ORDER BY m.last_finish_time DESC, m.table_id DESC"
#define TAROT_RULES_DROPPED_MATCHES                                     \
  "rules.archived_matches a JOIN rules.archive_files f USING (file_id)" \
  " LEFT JOIN rules.log_partitions p USING (partition_id)"
// A file without a partition number has matches of the default partitions. The logs of these
// matches are deleted.
#define TAROT_RULES_LOG_IS_GONE " (p.drop_time IS NOT NULL OR f.partition_id IS NULL)"

constexpr pg::Statement kListArchivedDeals{
    "rules_list_archived_deals",
    TAROT_RULES_ARCHIVED_DEALS(TAROT_RULES_DROPPED_MATCHES " WHERE" TAROT_RULES_LOG_IS_GONE)};
constexpr pg::Statement kListArchivedTableDeals{
    "rules_list_archived_table_deals",
    TAROT_RULES_ARCHIVED_DEALS(TAROT_RULES_DROPPED_MATCHES " WHERE" TAROT_RULES_LOG_IS_GONE
                                                           " AND a.table_id = $6")};
constexpr pg::Statement kListArchivedPlayerDeals{
    "rules_list_archived_player_deals",
    TAROT_RULES_ARCHIVED_DEALS(TAROT_RULES_DROPPED_MATCHES
                               " JOIN rules.table_seats s ON s.table_id = a.table_id"
                               " WHERE" TAROT_RULES_LOG_IS_GONE " AND s.player_id = $6"
                               " AND ($7::uuid IS NULL OR a.table_id = $7)")};

#undef TAROT_RULES_LOG_IS_GONE
#undef TAROT_RULES_DROPPED_MATCHES
#undef TAROT_RULES_ARCHIVED_DEALS

auto OrderOf(const DealKey& key) { return std::tuple(key.finish_time, key.table, key.number); }
bool Newer(const DealKey& a, const DealKey& b) { return OrderOf(a) > OrderOf(b); }

DealKey KeyFrom(const pqxx::row& row) {
  return {.table = TableId::Parse(row[0].c_str()).value_or(TableId{}),
          .number = row[1].as<int>(),
          .finish_time = TimeFromEpoch(row[2].as<std::string>())};
}

// The parameters that depend on the kind of the query.
struct Target {
  explicit Target(const DealQuery& query) {
    if (query.player) player = query.player->ToString();
    if (query.table) table = query.table->ToString();
  }
  const char* TableOrNull() const { return table ? table->c_str() : nullptr; }

  std::optional<std::string> player, table;
};

// Adds to `keys` the deals whose logs have been dropped and that ended at `floor` or later. Adds at
// most as many deals as the query needs.
void AddArchived(pqxx::transaction_base& tx, const DealQuery& q, const DealKey& after,
                 absl::Time floor, std::vector<DealKey>& keys) {
  const Target target(q);
  std::string last_time = SqlTime(absl::InfiniteFuture());
  std::string last_table = TableId{}.ToString();
  const absl::Time ceiling = std::min(after.finish_time, q.end_time);
  for (;;) {
    const auto run = [&](const pg::Statement& statement, const auto&... more) {
      return tx.exec_prepared(statement.name, SqlTime(floor), SqlTime(ceiling), last_time,
                              last_table, kArchivedMatchesPerPage, more...);
    };
    const pqxx::result rows =
        target.player  ? run(kListArchivedPlayerDeals, *target.player, target.TableOrNull())
        : target.table ? run(kListArchivedTableDeals, *target.table)
                       : run(kListArchivedDeals);
    int matches = 0;
    for (const pqxx::row& row : rows) {
      if (matches == 0 || last_table != row[0].c_str()) ++matches;
      last_table = row[0].c_str();
      last_time = SqlTime(TimeFromEpoch(row[3].as<std::string>()));
      const DealKey key = KeyFrom(row);
      if (key.finish_time >= floor && key.finish_time < q.end_time && Newer(after, key)) {
        keys.push_back(key);
      }
    }
    if (matches < kArchivedMatchesPerPage) return;
    // All deals of the next matches ended at `rest` or before, so q.limit newer deals are enough.
    const absl::Time rest = TimeFromEpoch(rows.back()[3].as<std::string>());
    const auto newer = std::count_if(keys.begin(), keys.end(),
                                     [&](const DealKey& key) { return key.finish_time > rest; });
    if (newer >= q.limit) return;
  }
}

}  // namespace

std::vector<pg::Statement> DealIndexStatements() {
  return {kListDeals,         kListTableDeals,         kListPlayerDeals,
          kListArchivedDeals, kListArchivedTableDeals, kListArchivedPlayerDeals};
}

const pg::Statement& StatementOf(const DealQuery& query) {
  return query.player ? kListPlayerDeals : query.table ? kListTableDeals : kListDeals;
}

std::vector<DealKey> ListStoredDeals(pqxx::transaction_base& tx, const DealQuery& q) {
  const Target target(q);
  const DealKey after = q.after.value_or(DealKey{.finish_time = absl::InfiniteFuture()});
  const auto run = [&](const auto&... more) {
    return tx.exec_prepared(StatementOf(q).name, SqlTime(q.start_time), SqlTime(q.end_time),
                            SqlTime(after.finish_time), after.table.ToString(), after.number,
                            q.limit, more...);
  };
  const pqxx::result rows = target.player  ? run(*target.player, target.TableOrNull())
                            : target.table ? run(*target.table)
                                           : run();
  std::vector<DealKey> keys;
  for (const pqxx::row& row : rows) keys.push_back(KeyFrom(row));
  // If the page is already full, it needs only the archived deals that are newer than its last
  // deal.
  const bool full = static_cast<int>(keys.size()) == q.limit;
  AddArchived(tx, q, after, full ? keys.back().finish_time : q.start_time, keys);
  std::sort(keys.begin(), keys.end(), Newer);
  // If a part of the log was dropped between the two statements, its deals are in both results.
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  if (static_cast<int>(keys.size()) > q.limit) keys.resize(static_cast<std::size_t>(q.limit));
  return keys;
}

}  // namespace tarot::rules_service
