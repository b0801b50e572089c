#include "libs/rating/collusion.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/ai/analysis/credits.h"
#include "libs/base/error.h"
#include "libs/notation/prove.h"
#include "tools/cli/records.h"
#include "tools/cli/text.h"
#include "tools/lab/audit/audit.h"
#include "tools/lab/commands/commands.h"

namespace tarot::lab {
namespace {

constexpr double kFalseShare = 0.01;
constexpr std::size_t kDealsShown = 10;

// A scored deal that had a taker, and the name of its record.
struct Evidence {
  std::string record;  // "tables/{table}/deals/{number}", or for example "deals.tdn record 17".
  rating::DefendedDeal deal;
};

// The players and the deals of all files.
struct Table {
  std::map<std::string, int> numbers;  // The number of each player, by name.
  std::vector<std::string> names;
  std::vector<Evidence> deals;
  // The deals of the platform, in the form tables/{table}/deals/{number}.
  std::set<std::string> platform_deals;

  int NumberOf(const std::string& name) {
    const auto [at, is_new] = numbers.try_emplace(name, static_cast<int>(names.size()));
    if (is_new) names.push_back(name);
    return at->second;
  }
};

// Adds the deal of `record` to `table`. Adds nothing if the record does not name all players, if
// `table` has this deal of the platform already, or if ai::CreditDefenders() gives no credits for
// the deal.
absl::Status AddRecord(const std::string& where, const notation::Record& record, Table& table) {
  TAROT_ASSIGN_OR_RETURN(const notation::Replayed replayed, notation::Replay(record));
  if (!replayed.problem.empty()) {
    return BadRequest("record",
                      absl::StrCat("action ", replayed.legal + 1, ": ", replayed.problem));
  }
  for (int seat = 0; seat < record.players; ++seat) {
    const std::string& name = record.names[notation::Slot(seat)];
    if (name.empty() || name == "?") return absl::OkStatus();
  }
  const bool of_platform = absl::StartsWith(record.site, "tables/");
  if (of_platform && !table.platform_deals.insert(record.site).second) return absl::OkStatus();
  ai::History history;
  TAROT_ASSIGN_OR_RETURN(history.start, notation::Start(record));
  for (const notation::Entry& entry : record.entries) {
    history.entries.emplace_back(entry.seat, entry.action);
  }
  const auto credits = ai::CreditDefenders(history);
  if (!credits) return absl::OkStatus();
  const auto number = [&](rules::Seat seat) {
    return table.NumberOf(record.names[notation::Slot(seat)]);
  };
  Evidence evidence{.record = of_platform ? record.site : where,
                    .deal = {.taker = number(credits->taker)}};
  for (int seat = 0; seat < record.players; ++seat) {
    if ((credits->defenders >> seat & 1u) == 0) continue;
    evidence.deal.defenders.push_back(
        {.player = number(seat), .credit = credits->credits[notation::Slot(seat)]});
  }
  table.deals.push_back(std::move(evidence));
  return absl::OkStatus();
}

// A deal in which one player of a pair took and the other player defended.
struct Shown {
  double credit = 0;
  int defender = 0;
  int taker = 0;
  std::string record;
};

// Returns at most kDealsShown deals in which one player of the pair took and the other player
// defended. The deals in which this defender's credit is lowest come first: they are the best
// evidence that the pair helps each other.
std::vector<Shown> EvidenceOf(const rating::PairResult& pair, const Table& table) {
  std::vector<Shown> rows;
  for (const Evidence& evidence : table.deals) {
    for (const auto& defender : evidence.deal.defenders) {
      if (std::minmax(defender.player, evidence.deal.taker) !=
          std::minmax(pair.first, pair.second)) {
        continue;
      }
      rows.push_back({.credit = defender.credit,
                      .defender = defender.player,
                      .taker = evidence.deal.taker,
                      .record = evidence.record});
    }
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Shown& a, const Shown& b) { return a.credit < b.credit; });
  if (rows.size() > kDealsShown) rows.resize(kDealsShown);
  return rows;
}

std::string Quoted(const std::string& text) {
  std::string json = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      absl::StrAppend(&json, absl::StrFormat("\\u%04x", static_cast<int>(c)));
      continue;
    }
    if (c == '"' || c == '\\') json += '\\';
    json += c;
  }
  return json + "\"";
}

// Returns a flag in the form that `tarotctl admin add-flags` reads. The platform stores the texts
// of the evidence, which must contain no name. So these texts call the players "first" and
// "second".
std::string FlagJson(const rating::PairResult& pair, const Table& table) {
  std::string json = absl::StrFormat(
      R"({"players": [%s, %s], "z": %.3f, "deal_count": %d, "lost_credit": %.3f, "evidence": [)",
      Quoted(table.names[static_cast<std::size_t>(pair.first)]),
      Quoted(table.names[static_cast<std::size_t>(pair.second)]), pair.z, pair.deals,
      pair.lost_credit);
  const char* separator = "";
  for (const Shown& shown : EvidenceOf(pair, table)) {
    const std::string text =
        absl::StrFormat("%+.1f, the %s defends: %s", shown.credit,
                        shown.defender == pair.first ? "first" : "second", shown.record);
    absl::StrAppend(&json, separator, Quoted(text));
    separator = ", ";
  }
  return json + "]}";
}

// Prints the flagged pairs and the totals. Returns the text of the file of flags.
std::string Print(const cli::Invocation& run, const Table& table, double false_share) {
  std::vector<rating::DefendedDeal> deals;
  for (const Evidence& evidence : table.deals) deals.push_back(evidence.deal);
  const std::vector<rating::PairResult> pairs = rating::TestPairs(deals, false_share);
  std::size_t flagged = 0;
  std::string flags;
  for (const rating::PairResult& pair : pairs) {
    if (!pair.flagged) continue;
    ++flagged;
    run.out() << cli::Safe(absl::StrFormat(
                     "%s and %s: z %.1f, %d deals, each loses %.1f card points a deal for the "
                     "other one",
                     table.names[static_cast<std::size_t>(pair.first)],
                     table.names[static_cast<std::size_t>(pair.second)], pair.z, pair.deals,
                     pair.lost_credit))
              << "\n";
    for (const Shown& shown : EvidenceOf(pair, table)) {
      run.out() << cli::Safe(absl::StrFormat("  %+7.1f  %s defends against %s: %s", shown.credit,
                                             table.names[static_cast<std::size_t>(shown.defender)],
                                             table.names[static_cast<std::size_t>(shown.taker)],
                                             shown.record))
                << "\n";
    }
    absl::StrAppend(&flags, flags.empty() ? "" : ",\n", FlagJson(pair, table));
  }
  run.out() << absl::StrCat(deals.size(), " deals, ", pairs.size(), " pairs tested, ", flagged,
                            " flagged\n");
  return absl::StrCat("{\"flags\": [", flags, "]}\n");
}

cli::ExitCode RunCollusion(const cli::Invocation& run) {
  double false_share = kFalseShare;
  if (run.line().Has("false-share") &&
      !(absl::SimpleAtod(run.line().Get("false-share", ""), &false_share) && false_share > 0 &&
        false_share < 1)) {
    return run.Fail("--false-share takes a number between 0 and 1", cli::kUsage);
  }
  const auto files = FindAuditFiles(run.line().words);
  if (!files.ok()) return run.Fail(files.status().message(), cli::ExitCodeFor(files.status()));
  Table table;
  for (const AuditFile& file : *files) {
    const auto documents = cli::ReadRecords(file.path);
    if (!documents.ok()) return run.FailFile(file.path, documents.status());
    for (std::size_t i = 0; i < documents->size(); ++i) {
      const std::string where = absl::StrCat(file.path, " record ", i + 1);
      const absl::Status added = AddRecord(where, (*documents)[i].record, table);
      if (!added.ok()) return run.FailFile(where, added);
    }
  }
  const std::string flags = Print(run, table, false_share);
  if (!run.line().Has("flags")) return cli::kOk;
  const std::string path = run.line().Get("flags");
  std::ofstream out(path);
  out << flags;
  if (!out.flush()) return run.Fail(absl::StrCat(path, " cannot be written"), cli::kFailed);
  return cli::kOk;
}

}  // namespace

cli::Command CollusionCommand() {
  return {
      .name = "collusion",
      .usage = "collusion PATH...",
      .summary = "find pairs of players who help each other",
      .help =
          "  tarot-lab collusion deals.tdn history.tarotrec   files of TDN, JSON or archives\n"
          "  tarot-lab collusion /var/backups/tarot           every such file below a directory\n\n"
          "Values each card of a defender by play-outs with open hands: the card points that the\n"
          "attack lacks after it, minus those before it. A pair is flagged if each of them loses\n"
          "more for the other one than for other takers (docs/collusion.md). Prints the flagged\n"
          "pairs with the deals that show it best, worst first. Takes about a millisecond a deal.\n"
          "Players are told apart by their names.\n\n"
          "  --false-share Q   the expected share of honest pairs among the flagged ones (0.01)\n"
          "  --flags FILE      writes the flagged pairs for `tarotctl admin add-flags FILE`\n",
      .options = {{"false-share"}, {"flags"}},
      .words_min = 1,
      .words_max = std::numeric_limits<std::size_t>::max(),
      .run = RunCollusion};
}

}  // namespace tarot::lab
