#include "services/rules/audit/audit_tables.h"

#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/base/cell.h"
#include "libs/base/error.h"
#include "services/rules/app/table_state.h"
#include "services/rules/limits.h"
#include "services/rules/storage/pg_table_store.h"

namespace tarot::rules_service {
namespace {

// Returns the numbers of the finished deals that the index of deals lists for `table`.
absl::StatusOr<std::set<int>> ListedDeals(TableStore& store, TableId table) {
  std::set<int> numbers;
  DealQuery query{.table = table, .limit = kAuditDealsPerPage};
  for (;;) {
    TAROT_ASSIGN_OR_RETURN(const auto keys, store.ListDeals(query));
    for (const auto& key : keys) numbers.insert(key.number);
    if (static_cast<int>(keys.size()) < query.limit) return numbers;
    query.after = keys.back();
  }
}

// Compares the stored end of a match with the match's log. Returns the first difference, or "" if
// there is none.
std::string ProblemOfEnd(const rules::Match& match, const std::optional<MatchEnd>& end) {
  if (match.Finished() != end.has_value()) {
    return end ? "stored as over, but its log goes on" : "over by its log, but not stored as over";
  }
  if (!end) return "";
  const std::vector<int> totals(match.totals.begin(), match.totals.begin() + match.players);
  if (end->totals != totals) {
    return absl::StrCat("totals ", absl::StrJoin(end->totals, " "), ", but its deals sum to ",
                        absl::StrJoin(totals, " "));
  }
  if (end->deals_scored == match.deals_scored) return "";
  return absl::StrCat(end->deals_scored, " deals stored as scored, but the log has ",
                      match.deals_scored);
}

// Compares the progress that lists show with the log. Returns the difference, or "" if there is
// none. If a game table was made before progress was stored, it has no progress until its next deal
// ends.
std::string ProblemOfProgress(const rules::Match& match, const MatchProgress& progress) {
  if (progress.deals_dealt == 0) return "";
  const std::vector<int> totals(match.totals.begin(), match.totals.begin() + match.players);
  const int deals_over = match.deals_dealt - (match.DealRunning() ? 1 : 0);
  if (progress.totals == totals && progress.match_over == match.Finished() &&
      progress.deals_dealt == deals_over && progress.deals_scored == match.deals_scored) {
    return "";
  }
  return "the progress in lists differs from the log";
}

// Replays the log, and compares `listed`, `progress` and the stored end with the replay. Returns
// the first problem, or "" if there is none. Sets `deals` to the number of deals that were dealt.
std::string Problem(const StoredTable& stored, const MatchProgress& progress,
                    const std::set<int>& listed, long& deals) {
  auto state = NewTable(std::make_shared<const TableConfig>(stored.config));
  std::set<int> finished;
  for (const LogEntry& entry : stored.log) {
    const absl::Status applied = entry.revision == state.revision + 1
                                     ? Advance(state, entry)
                                     : absl::DataLossError("the entry before it is missing");
    deals = state.match.deals_dealt;
    if (!applied.ok()) {
      return absl::StrCat("deal ", deals, ", revision ", entry.revision, ": ", applied.message());
    }
    if (deals > 0 && !state.match.DealRunning()) finished.insert(state.match.deals_dealt);
  }
  if (finished != listed) {
    return absl::StrCat("the log finishes ", finished.size(), " deals, the index lists ",
                        listed.size(), ", and they differ");
  }
  const std::string problem = ProblemOfEnd(state.match, stored.end);
  return problem.empty() ? ProblemOfProgress(state.match, progress) : problem;
}

// The state that all threads of one audit share.
class TableAudit {
 public:
  TableAudit(TableStore& store, int cell, const AuditListener& listener)
      : store_(store), cell_(cell), listener_(listener) {}

  // Checks the game tables page by page. Ends when no game table is left or when the game tables
  // cannot be listed.
  void Work() {
    for (;;) {
      const std::vector<TableKey> page = NextPage();
      if (page.empty()) return;
      for (const TableKey& key : page) CheckTable(key.table);
    }
  }

  absl::StatusOr<AuditCounts> Result() const {
    TAROT_RETURN_IF_ERROR(listing_);
    return counts_;
  }

 private:
  std::vector<TableKey> NextPage() {
    const std::lock_guard lock(listing_mutex_);
    if (!listing_.ok()) return {};
    auto keys = store_.ListTables(query_);
    if (!keys.ok()) {
      listing_ = keys.status();
      return {};
    }
    if (!keys->empty()) query_.after = keys->back();
    return *std::move(keys);
  }

  void CheckTable(TableId table) {
    long deals = 0;
    const absl::StatusOr<std::string> problem = ProblemOf(table, deals);
    const std::lock_guard lock(mutex_);
    counts_.deals += deals;
    if (!problem.ok() || !problem->empty()) {
      ++counts_.wrong;
      listener_.on_wrong(table, problem.ok()
                                    ? *problem
                                    : absl::StrCat("cannot be read: ", problem.status().message()));
    }
    listener_.on_progress(counts_);
  }

  absl::StatusOr<std::string> ProblemOf(TableId table, long& deals) {
    if (const int other = CellOf(table.uuid); other != cell_) {
      return absl::StrCat("a table of cell ", other, " in the database of cell ", cell_);
    }
    TAROT_ASSIGN_OR_RETURN(const StoredTable stored, store_.Load(table));
    TAROT_ASSIGN_OR_RETURN(const std::set<int> listed, ListedDeals(store_, table));
    TAROT_ASSIGN_OR_RETURN(const std::vector<TableSummary> summaries,
                           store_.LoadSummaries({table}));
    const MatchProgress progress = summaries.empty() ? MatchProgress() : summaries.front().progress;
    return Problem(stored, progress, listed, deals);
  }

  TableStore& store_;
  const int cell_;
  const AuditListener& listener_;
  std::mutex listing_mutex_;
  TableQuery query_{.show_finished = true, .limit = kAuditTablesPerPage};
  absl::Status listing_;
  std::mutex mutex_;
  AuditCounts counts_;
};

}  // namespace

absl::StatusOr<AuditCounts> AuditTables(TableStore& store, int cell, int thread_count,
                                        const AuditListener& listener) {
  TableAudit audit(store, cell, listener);
  std::vector<std::thread> threads;
  for (int i = 0; i < thread_count; ++i) threads.emplace_back([&audit] { audit.Work(); });
  for (std::thread& thread : threads) thread.join();
  return audit.Result();
}

absl::StatusOr<std::map<TableId, StoredTable>> ReadMatches(pqxx::transaction_base& transaction,
                                                           const dealing::SecretBox& secrets) {
  std::map<TableId, StoredTable> tables;
  for (const pqxx::row& row : transaction.exec("SELECT table_id FROM rules.tables")) {
    const TableId table = TableId::Parse(row[0].c_str()).value_or(TableId{});
    TAROT_ASSIGN_OR_RETURN(auto stored, ReadTable(transaction, secrets, table));
    if (stored) tables[table] = *std::move(stored);
  }
  return tables;
}

}  // namespace tarot::rules_service
