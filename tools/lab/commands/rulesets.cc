#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/rules/parameters/parameters.h"
#include "tools/cli/text.h"
#include "tools/lab/commands/commands.h"

namespace tarot::lab {
namespace {

using rules::NamedRuleSet;

// Returns one JSON object: each rule set by its name, with every parameter.
std::string AsJson(const std::vector<NamedRuleSet>& sets) {
  std::string json;
  for (const NamedRuleSet& set : sets) {
    absl::StrAppend(&json, json.empty() ? "{\n  \"" : ",\n  \"", set.name,
                    "\": ", rules::RuleSetJson(set.rules, "  "));
  }
  return json + "\n}\n";
}

std::string Players(const rules::RuleSet& rules) {
  std::string out;
  for (int n = rules.players_min; n <= rules.players_max; ++n) {
    absl::StrAppend(&out, out.empty() ? "" : ",", n);
  }
  return out;
}

std::string AsList(const std::vector<NamedRuleSet>& sets, const cli::TextStyle& style) {
  std::vector<std::vector<std::string>> rows = {{style.Paint(cli::Tone::kBold, "NAME"),
                                                 style.Paint(cli::Tone::kBold, "PLAYERS"),
                                                 style.Paint(cli::Tone::kBold, "WHAT")}};
  for (const NamedRuleSet& set : sets) {
    rows.push_back({std::string(set.name), Players(set.rules), std::string(set.description)});
  }
  return cli::Columns(rows, {});
}

// Returns all parameters of one rule set as a table. A star marks a value that differs from fft.
std::string AsTable(const rules::RuleSet& rules, const cli::TextStyle& style) {
  std::vector<std::vector<std::string>> rows;
  for (const rules::Parameter& parameter : rules::Parameters()) {
    const std::string value = parameter.get(rules);
    const bool own = value != parameter.get(rules::RuleSet());
    rows.push_back({own ? "*" : "", std::string(parameter.key),
                    own ? style.Paint(cli::Tone::kBold, value) : value,
                    std::string(parameter.meaning)});
  }
  return absl::StrCat(cli::Columns(rows, {}),
                      "\n* differs from fft. As text: ", rules::RuleSetText(rules), "\n");
}

cli::ExitCode RunRulesets(const cli::Invocation& run) {
  const std::string text = absl::StrJoin(run.line().words, " ");
  if (text.empty()) {
    run.out() << (run.json() ? AsJson(rules::RuleSets()) : AsList(rules::RuleSets(), run.style()));
    return cli::kOk;
  }
  const auto parsed = rules::ParseRuleSet(text);
  if (!parsed.ok()) {
    run.err() << "tarot-lab: " << cli::Safe(text) << ": " << cli::Safe(parsed.status().message())
              << "\nSee: tarot-lab rulesets\n";
    return cli::kFailed;
  }
  const std::string name = rules::RuleSetText(*parsed);
  run.out() << (run.json() ? AsJson({{.name = name, .rules = *parsed}})
                           : AsTable(*parsed, run.style()));
  return cli::kOk;
}

}  // namespace

cli::Command RulesetsCommand() {
  return {
      .name = "rulesets",
      .usage = "rulesets [RULES]",
      .summary = "list the named rule sets, or every parameter of one rule set",
      .help =
          "  tarot-lab rulesets                         names, player counts, descriptions\n"
          "  tarot-lab rulesets booklet                 every parameter, with its meaning\n"
          "  tarot-lab rulesets fft +mult=1,2,3,4       a custom rule set\n"
          "  tarot-lab rulesets --json                  all rule sets with all parameters\n\n"
          "RULES is a name, or a name and the parameters that differ: +PARAMETER=VALUE. A list\n"
          "has commas and no brackets (+bids=garde,garde_sans). Values by player count have the\n"
          "form 3:4,4:3. The Rules tag of TDN contains the same text. If two parameters\n"
          "contradict each other, the command names both and fails. It needs no platform.\n",
      .options = {{"json", false}},
      .words_min = 0,
      .words_max = std::numeric_limits<std::size_t>::max(),
      .run = RunRulesets};
}

}  // namespace tarot::lab
