#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "libs/notation/names.h"
#include "libs/rules/parameters/parameters.h"
#include "tools/cli/text.h"
#include "tools/lab/arena/match.h"
#include "tools/lab/arena/results_file.h"
#include "tools/lab/commands/commands.h"

namespace tarot::lab {
namespace {

struct Arena {
  MatchSettings match;
  int deals = 100;
  int jobs = 1;
};

// Divides the deals of a match among threads. After a player has failed, no further deal begins.
class Tournament {
 public:
  Tournament(const cli::Invocation& run, const Arena& arena, std::optional<ResultsFile> file)
      : run_(run), arena_(arena), file_(std::move(file)) {
    if (!file_) return;
    for (const auto& [deal, games] : file_->kept()) {
      if (deal >= 0 && deal < arena.deals) played_[deal] = games;
    }
  }

  absl::Status Run() {
    std::vector<std::thread> threads;
    for (int i = 0; i < arena_.jobs; ++i) threads.emplace_back([this] { Work(); });
    for (std::thread& thread : threads) thread.join();
    if (run_.environment().err_is_terminal) run_.err() << "\r\x1b[K" << std::flush;
    return failed_;
  }

  // Returns the results in the order of the deals. They do not depend on the number of threads.
  std::vector<std::vector<SeatResult>> Deals() const {
    std::vector<std::vector<SeatResult>> deals;
    for (const auto& [deal, games] : played_) deals.push_back(games);
    return deals;
  }

 private:
  void Work() {
    MatchTable table(arena_.match);
    while (const std::optional<int> deal = Next()) {
      const auto games = table.Play(*deal);
      const std::lock_guard lock(mutex_);
      absl::Status done = games.status();
      if (done.ok()) {
        played_[*deal] = *games;
        if (file_) done = file_->Append(*deal, *games);
      }
      if (failed_.ok()) failed_ = done;
      Tell();
    }
  }

  std::optional<int> Next() {
    const std::lock_guard lock(mutex_);
    while (next_ < arena_.deals && played_.count(next_) > 0) ++next_;
    if (!failed_.ok() || next_ >= arena_.deals) return std::nullopt;
    return next_++;
  }

  // Shows a bar on a terminal. Elsewhere prints a line after every tenth of the deals.
  void Tell() {
    const int done = static_cast<int>(played_.size());
    if (run_.environment().err_is_terminal) {
      const auto full = static_cast<std::size_t>(30 * done / arena_.deals);
      run_.err() << "\r[" << std::string(full, '#') << std::string(30 - full, '.') << "] " << done
                 << " of " << arena_.deals << " deals\x1b[K" << std::flush;
    } else if (10 * done / arena_.deals > tenths_) {
      tenths_ = 10 * done / arena_.deals;
      run_.err() << done << " of " << arena_.deals << " deals\n" << std::flush;
    }
  }

  const cli::Invocation& run_;
  const Arena& arena_;
  std::mutex mutex_;
  std::optional<ResultsFile> file_;
  std::map<int, std::vector<SeatResult>> played_;
  int next_ = 0;
  int tenths_ = 0;
  absl::Status failed_;
};

std::string Quoted(const std::string& text) {
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"\"", "\\\""}}), "\"");
}

const char* RoleName(Role role) {
  return role == Role::kTaker ? "taker" : role == Role::kPartner ? "partner" : "defender";
}

std::string MeanJson(const Mean& mean) {
  return absl::StrFormat("\"points\": %.3f, \"low95\": %.3f, \"high95\": %.3f", mean.points,
                         mean.low95, mean.high95);
}

std::string AsJson(const MatchSettings& match, const MatchSummary& summary) {
  std::vector<std::string> seats, roles;
  for (const Mean& seat : summary.by_seat) {
    seats.push_back(absl::StrCat("{", MeanJson(seat), "}"));
  }
  for (const auto& [role, mean] : summary.by_role) {
    roles.push_back(
        absl::StrFormat("\"%s\": {\"games\": %d, %s}", RoleName(role), mean.games, MeanJson(mean)));
  }
  return absl::StrFormat(
      "{\"one\": %s, \"rest\": %s, \"rules\": %s, \"players\": %d, \"seed\": %u, \"nodes\": %u, "
      "\"contract\": %s, \"deals\": %d, %s, \"by_seat\": [%s], \"by_role\": {%s}}\n",
      Quoted(match.one), Quoted(match.rest), Quoted(rules::RuleSetText(match.rules)), match.players,
      match.seed, match.node_budget,
      match.contract ? Quoted(std::string(notation::ContractName(*match.contract))) : "null",
      summary.deals, MeanJson(summary.all), absl::StrJoin(seats, ", "), absl::StrJoin(roles, ", "));
}

std::vector<std::string> Row(const std::string& name, const Mean& mean) {
  return {name, absl::StrCat(mean.games), absl::StrFormat("%+.2f", mean.points),
          absl::StrFormat("%+.2f to %+.2f", mean.low95, mean.high95)};
}

std::string AsTable(const MatchSettings& match, const MatchSummary& summary) {
  std::vector<std::vector<std::string>> rows = {{"", "GAMES", "POINTS A DEAL", "95 %"}};
  for (std::size_t seat = 0; seat < summary.by_seat.size(); ++seat) {
    rows.push_back(Row(std::string(1, static_cast<char>('A' + seat)), summary.by_seat[seat]));
  }
  for (const auto& [role, mean] : summary.by_role) rows.push_back(Row(RoleName(role), mean));
  rows.push_back(Row("all", summary.all));
  return absl::StrCat(
      cli::Safe(match.one), " among ", cli::Safe(match.rest), ": ", summary.deals, " deals of ",
      rules::RuleSetText(match.rules), match.contract ? ", contract " : "",
      match.contract ? notation::ContractName(*match.contract) : "", ", each from ",
      summary.by_seat.size(), " seats, seed ", match.seed, "\n", cli::Columns(rows, {1, 2, 3}));
}

absl::StatusOr<Arena> ParseArena(const cli::CommandLine& line) {
  Arena arena;
  int patience = 10;
  arena.match.one = line.words[0];
  arena.match.rest = line.words[1];
  for (const std::string& name : line.words) {
    if (cli::Safe(name) != name || absl::StripAsciiWhitespace(name).empty()) {
      return absl::InvalidArgumentError("ONE and REST are levels, or commands of one line of text");
    }
  }
  const auto parsed = rules::ParseRuleSet(line.Get("rules", "fft"));
  if (!parsed.ok()) return parsed.status();
  arena.match.rules = *parsed;
  arena.jobs = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const bool numbers = absl::SimpleAtoi(line.Get("players", "4"), &arena.match.players) &&
                       absl::SimpleAtoi(line.Get("deals", "100"), &arena.deals) &&
                       absl::SimpleAtoi(line.Get("jobs", absl::StrCat(arena.jobs)), &arena.jobs) &&
                       absl::SimpleAtoi(line.Get("seed", "1"), &arena.match.seed) &&
                       absl::SimpleAtoi(line.Get("nodes", "0"), &arena.match.node_budget) &&
                       absl::SimpleAtoi(line.Get("timeout", "10"), &patience);
  if (!numbers || arena.deals < 1 || arena.jobs < 1 || arena.jobs > 256 || patience < 1) {
    return absl::InvalidArgumentError(
        "--deals and --timeout take 1 or more, --jobs 1 to 256, --players, --seed and --nodes "
        "whole numbers");
  }
  if (arena.match.players < parsed->players_min || arena.match.players > parsed->players_max) {
    return absl::InvalidArgumentError("the rule set is not for this number of players");
  }
  if (line.Has("contract")) {
    arena.match.contract = notation::ParseContractName(line.Get("contract"));
    const bool bid = arena.match.contract && *arena.match.contract != rules::Contract::kPass;
    if (!bid || parsed->taker_by == rules::TakerBy::kBoard) {
      return absl::InvalidArgumentError(
          "--contract takes P, G, GS or GC, and needs a rule set with an auction");
    }
  }
  arena.match.patience = absl::Seconds(patience);
  return arena;
}

cli::ExitCode RunArena(const cli::Invocation& run) {
  const auto arena = ParseArena(run.line());
  if (!arena.ok()) {
    run.err() << "tarot-lab: " << cli::Safe(arena.status().message())
              << "\nSee: tarot-lab arena --help\n";
    return cli::kUsage;
  }
  std::optional<ResultsFile> file;
  if (run.line().Has("out")) {
    auto opened = ResultsFile::Open(run.line().Get("out"), arena->match);
    if (!opened.ok()) {
      run.err() << "tarot-lab: " << cli::Safe(opened.status().message()) << "\n";
      return cli::kFailed;
    }
    file = *std::move(opened);
  }
  Tournament tournament(run, *arena, std::move(file));
  if (const absl::Status played = tournament.Run(); !played.ok()) {
    run.err() << "tarot-lab: the arena stops: " << cli::Safe(played.message()) << "\n";
    return cli::kFailed;
  }
  const MatchSummary summary = Summarize(tournament.Deals());
  run.out() << (run.json() ? AsJson(arena->match, summary) : AsTable(arena->match, summary));
  return cli::kOk;
}

}  // namespace

cli::Command ArenaCommand() {
  return {
      .name = "arena",
      .usage = "arena ONE REST",
      .summary = "play duplicate matches of bots and other programs",
      .help =
          "  tarot-lab arena club novice               100 deals, each from every seat\n"
          "  tarot-lab arena club club/classic         club against club with a textbook's bids\n"
          "  tarot-lab arena 'python3 mine.py' club    a program that speaks the protocol\n"
          "  tarot-lab arena club novice --deals 1000 --out match.txt    continues after a stop\n\n"
          "ONE and REST are levels, or shell commands that start engines of\n"
          "docs/engine_protocol.md: one process for each seat of each table. If an engine ends,\n"
          "is late or plays an illegal action, the arena prints this fault and stops with exit\n"
          "code 1.\n\n"
          "  --rules RULES --players N    a rule set of tarot-lab rulesets (fft, 4)\n"
          "  --deals N --seed S           the cards follow from the seed\n"
          "  --contract C                 no auction: a random seat takes with C, which is P, G,\n"
          "                               GS or GC\n"
          "  --nodes N                    budget of each decision; 0: the player's own budget\n"
          "  --timeout S                  seconds for each answer of a program (10)\n"
          "  --jobs N                     tables at once (all cores)\n"
          "  --out FILE                   stores each deal, and plays only the missing deals\n"
          "  --json                       the result as one object\n",
      .options = {{"rules"},
                  {"players"},
                  {"deals"},
                  {"seed"},
                  {"contract"},
                  {"nodes"},
                  {"timeout"},
                  {"jobs"},
                  {"out"},
                  {"json", false}},
      .words_min = 2,
      .words_max = 2,
      .run = RunArena};
}

}  // namespace tarot::lab
