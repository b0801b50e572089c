#include "tools/tarotctl/audit/history.h"

#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/base/status_macros.h"
#include "services/rules/app/table_state.h"

namespace tarot::tarotctl {
namespace {

using rules_service::MatchEnd;
using rules_service::TableStore;

constexpr int kTablesAJob = 20;
constexpr int kDealsAPage = 100;

// The numbers of the finished deals that the index lists.
absl::StatusOr<std::set<int>> ListedDeals(TableStore& store, TableId table) {
  std::set<int> numbers;
  rules_service::DealQuery query{.table = table, .limit = kDealsAPage};
  for (;;) {
    TAROT_ASSIGN_OR_RETURN(const auto keys, store.ListDeals(query));
    for (const auto& key : keys) numbers.insert(key.number);
    if (static_cast<int>(keys.size()) < query.limit) return numbers;
    query.after = keys.back();
  }
}

// What is wrong with the end that is stored of a match, "" when nothing is.
std::string ProblemOfEnd(const rules::Match& match, const std::optional<MatchEnd>& end) {
  if (match.Finished() != end.has_value()) {
    return end ? "stored as over, but not by the log" : "over by the log, but not stored so";
  }
  if (!end) return "";
  const std::vector<int> totals(match.totals.begin(), match.totals.begin() + match.players);
  if (end->totals != totals) {
    return absl::StrCat("totals ", absl::StrJoin(end->totals, " "), ", but its deals sum to ",
                        absl::StrJoin(totals, " "));
  }
  if (end->deals_scored == match.deals_scored) return "";
  return absl::StrCat(end->deals_scored, " deals stored as scored, but by the log ",
                      match.deals_scored);
}

// What is wrong with the log, the list of deals or the totals, "" when nothing is; `deals` is how
// many it dealt.
std::string Problem(const rules_service::StoredTable& stored, const std::set<int>& listed,
                    long& deals) {
  auto state =
      rules_service::NewTable(std::make_shared<const rules_service::TableConfig>(stored.config));
  std::set<int> finished;
  for (const rules_service::LogEntry& entry : stored.log) {
    const absl::Status applied = entry.revision == state.revision + 1
                                     ? rules_service::Advance(state, entry)
                                     : absl::DataLossError("the one before is missing");
    deals = state.match.deals_dealt;
    if (!applied.ok()) {
      return absl::StrCat("deal ", deals, ", revision ", entry.revision, ": ", applied.message());
    }
    if (deals > 0 && !state.match.DealRunning()) finished.insert(state.match.deals_dealt);
  }
  if (finished != listed) {
    return absl::StrCat(finished.size(), " deals are finished by the log, ", listed.size(),
                        " are listed, and not the same");
  }
  return ProblemOfEnd(state.match, stored.end);
}

absl::Status CheckTable(TableStore& store, TableId table, std::vector<Wrong>& wrong, long& deals) {
  TAROT_ASSIGN_OR_RETURN(const auto stored, store.Load(table));
  TAROT_ASSIGN_OR_RETURN(const auto listed, ListedDeals(store, table));
  std::string problem = Problem(stored, listed, deals);
  if (!problem.empty()) {
    wrong.push_back({absl::StrCat("tables/", table.ToString()), std::move(problem)});
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status AddHistory(TableStore& store, const std::function<void(Auditor::Job)>& add) {
  rules_service::TableQuery query{.show_finished = true, .limit = kTablesAJob};
  for (;;) {
    TAROT_ASSIGN_OR_RETURN(const auto keys, store.ListTables(query));
    if (keys.empty()) return absl::OkStatus();
    query.after = keys.back();
    add([&store, keys](std::vector<Wrong>& wrong) {
      long records = 0;
      for (const auto& key : keys) {
        long deals = 0;
        const absl::Status read = CheckTable(store, key.table, wrong, deals);
        if (!read.ok()) {
          wrong.push_back({absl::StrCat("tables/", key.table.ToString()),
                           absl::StrCat("cannot be read: ", read.message())});
        }
        records += deals;
      }
      return records;
    });
  }
}

}  // namespace tarot::tarotctl
