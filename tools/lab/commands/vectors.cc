#include <filesystem>
#include <limits>

#include "absl/strings/numbers.h"
#include "libs/rpc/call.h"
#include "libs/rules/parameters/parameters.h"
#include "tools/cli/text.h"
#include "tools/lab/commands/commands.h"
#include "tools/lab/vectors/files.h"

namespace tarot::lab {
namespace {

absl::StatusOr<std::unique_ptr<Referee>> MakeReferee(const std::string& address) {
  if (address.empty()) return MakeLocalReferee();
  if (!rpc::IsTarget(address)) return absl::InvalidArgumentError("--address takes HOST:PORT");
  return MakeRemoteReferee(address);
}

// Prints `--count` random deals with answers, for one rule set and player count. With `--rules
// all`, prints this number of deals for each rule set and each of its player counts. If `--players`
// is also given, prints them only for this player count.
cli::ExitCode Make(const cli::Invocation& run, Referee& referee) {
  const cli::CommandLine& line = run.line();
  int players = 0, count = 0;
  std::uint64_t seed = 0;
  if (!absl::SimpleAtoi(line.Get("players", "0"), &players) ||
      !absl::SimpleAtoi(line.Get("count"), &count) || count < 1 ||
      !absl::SimpleAtoi(line.Get("seed", "1"), &seed)) {
    run.err() << "tarot-lab: --count takes 1 or more, --players and --seed whole numbers\n";
    return cli::kUsage;
  }
  const std::string rules = line.Get("rules", "fft");
  if (rules != "all") {
    const Tally tally =
        MakePlays(rules, players == 0 ? 4 : players, count, seed, referee, run.out(), run.err());
    return tally.failed == 0 ? cli::kOk : cli::kFailed;
  }
  int failed = 0;
  for (const rules::NamedRuleSet& named : rules::RuleSets()) {
    for (int n = named.rules.players_min; n <= named.rules.players_max; ++n) {
      if (players != 0 && players != n) continue;
      failed +=
          MakePlays(std::string(named.name), n, count, seed, referee, run.out(), run.err()).failed;
    }
  }
  return failed == 0 ? cli::kOk : cli::kFailed;
}

cli::ExitCode RunVectors(const cli::Invocation& run) {
  const cli::CommandLine& line = run.line();
  const bool make = line.Has("count");
  if (make == !line.words.empty() || (make && line.Has("answer"))) {
    run.err() << "tarot-lab: vectors takes files, or --count to make some\n"
                 "See: tarot-lab vectors --help\n";
    return cli::kUsage;
  }
  const std::string rules = line.Get("rules", "fft");
  if (const auto parsed = rules::ParseRuleSet(rules); !parsed.ok() && !(make && rules == "all")) {
    run.err() << "tarot-lab: --rules: " << cli::Safe(parsed.status().message()) << "\n";
    return cli::kUsage;
  }
  std::error_code error;
  for (const std::string& file : line.words) {
    if (file == "-" || std::filesystem::exists(file, error)) continue;
    return run.FailFile(file, absl::NotFoundError("there is no such file"));
  }
  const auto made = MakeReferee(line.Get("address"));
  if (!made.ok()) {
    run.err() << "tarot-lab: " << cli::Safe(made.status().message()) << "\n";
    return absl::IsInvalidArgument(made.status()) ? cli::kUsage : cli::ExitCodeFor(made.status());
  }
  Referee& referee = **made;
  if (make) return Make(run, referee);
  const Tally tally = line.Has("answer")
                          ? AnswerFiles(line.words, rules, referee, run.out(), run.err())
                          : CheckFiles(line.words, rules, referee, run.out());
  return tally.failed == 0 ? cli::kOk : cli::kFailed;
}

}  // namespace

cli::Command VectorsCommand() {
  return {
      .name = "vectors",
      .usage = "vectors FILE...",
      .summary = "check files of expected results; make or answer such files",
      .help =
          "  tarot-lab vectors score.json fullplay_4.jsonl       checked by libs/rules\n"
          "  tarot-lab vectors --address 127.0.0.1:7101 FILE...  checked by a rules service\n"
          "  tarot-lab vectors --rules booklet deals.jsonl       for deals without a rule set\n"
          "Answer the deals of a file (\"-\" is standard input):\n"
          "  tarot-lab vectors --answer --rules pagat deals.jsonl >answered.jsonl\n"
          "Make deals, with answers. Some are random; in others, the players keep the Excuse and "
          "the\n"
          "Petit, or one camp wins nearly all tricks:\n"
          "  tarot-lab vectors --count 1000 --rules shogix_free5 --players 5 --seed 7\n"
          "  tarot-lab vectors --count 100 --rules all           each rule set and player count\n"
          "  tarot-lab vectors --count 9 --rules 'fft +mult=1,2,3,4' --players 3\n\n"
          "A file that begins with \"[\" lists scores: {id, preset, n, contract, bouts, points,\n"
          "expect_unit, expect_scores}, and petit_au_bout, handles_attack, handles_defence,\n"
          "slam, partner if they apply. Any other file has one whole deal per line: {n, taker\n"
          "(-1: none), partner (-1: none), called, contract, counted_apart, hands_at_play,\n"
          "tricks: [{leader, cards}], slam_announced, handles: [{seat, level}], expect}, and\n"
          "preset if it differs from --rules. Cards are S H D C with 1 to 14, T1 to T21, EX.\n"
          "\n"
          "--rules      a name of `tarot-lab rulesets`, a custom rule set in the same form, or\n"
          "             all (with --count); fft by default\n"
          "--players    with --count: 4 by default; with --rules all, every player count\n"
          "--seed       with --count: 1 by default; the same arguments give the same deals\n"
          "--answer     writes each deal with the referee's result as its \"expect\"\n\n"
          "A check lists every mismatch and ends with \"N passed, M failed\". The exit code is 1\n"
          "when a result differs, or when a deal is invalid or cannot be read; 5 when there is no\n"
          "such file; 3 when --address does not answer.\n",
      .options = {{"address"}, {"rules"}, {"players"}, {"count"}, {"seed"}, {"answer", false}},
      .words_min = 0,
      .words_max = std::numeric_limits<std::size_t>::max(),
      .run = RunVectors};
}

}  // namespace tarot::lab
