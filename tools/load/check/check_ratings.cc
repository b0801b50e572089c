// Checks that every finished match is rated once, and that the ladder is the fold of the ledger.
#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/load/check/checker.h"

namespace tarot::check {

void Checker::CheckRatings() {
  std::map<TableId, int> rated;
  for (const TableId& table : truth_.rated) ++rated[table];
  std::map<TableId, std::map<PlayerId, std::vector<int>>> totals;
  for (const LedgerRow& row : truth_.ledger) totals[row.table][row.player].push_back(row.total);
  report_.matches_rated = static_cast<long>(rated.size());
  for (const auto& [table, match] : truth_.finished) {
    ++report_.matches_finished;
    if (!match.ranked || match.end.deals_scored == 0) continue;
    if (!rated.contains(table)) Find("unrated", table, "finished, ranked, and not rated");
  }
  for (const auto& [table, times] : rated) {
    const auto match = truth_.finished.find(table);
    const auto stored = truth_.tables.find(table);
    if (match == truth_.finished.end() || stored == truth_.tables.end()) {
      Find("rated", table, "rated, and not finished");
      continue;
    }
    if (times > 1) Find("rated twice", table, absl::StrCat(times, " matches"));
    const auto& seats = stored->second.config.seats;
    for (std::size_t seat = 0; seat < seats.size(); ++seat) {
      const std::vector<int>& rows = totals[table][seats[seat].player];
      if (rows.size() > 1) Find("rated twice", table, absl::StrCat("seat ", seat));
      if (rows.empty() || rows[0] != match->second.end.totals[seat]) {
        Find("rated", table, absl::StrCat("seat ", seat, " with a wrong total"));
      }
    }
    if (totals[table].size() != seats.size()) Find("rated", table, "other players than played");
  }
}

void Checker::CheckStandings() {
  std::map<std::pair<PlayerId, int>, StandingRow> fold;
  for (const LedgerRow& row : truth_.ledger) {
    StandingRow& standing = fold[{row.player, row.player_count}];
    if (standing.match_count > 0 && standing.mu != row.mu_before) {
      Find("ledger", row.table,
           absl::StrCat("does not go on from the match before of player ", row.player.ToString()));
    }
    standing.mu = row.mu_after;
    ++standing.match_count;
  }
  for (const StandingRow& row : truth_.standings) {
    const StandingRow& sum = fold[{row.player, row.player_count}];
    if (sum.match_count != row.match_count || sum.mu != row.mu) {
      Find("ledger", TableId{},
           absl::StrCat("player ", row.player.ToString(),
                        " stands elsewhere than the ledger leads"));
    }
  }
}

std::string Text(const Report& report) {
  std::string text = absl::StrCat(
      report.tables, " tables, ", report.entries, " entries in their logs; ", report.calls,
      " calls: ", report.acknowledged, " requests acknowledged, ", report.refused, " refused, ",
      report.unknown, " unknown; ", report.views, " views; ", report.matches_finished,
      " matches finished, ", report.matches_rated, " rated\n");
  for (const auto& [kind, found] : report.findings) {
    absl::StrAppend(&text, "WRONG ", kind, ": ", found.count, "\n  ",
                    absl::StrJoin(found.examples, "\n  "), "\n");
  }
  if (report.ok()) text += "history and log agree\n";
  return text;
}

}  // namespace tarot::check
