#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/rules/parameters/parameters.h"
#include "tools/tarotctl/commands/commands.h"
#include "tools/tarotctl/text/columns.h"

namespace tarot::tarotctl {
namespace {

using rules::NamedRuleSet;

// One JSON object: each rule set by its name, with every parameter.
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

std::string AsList(const std::vector<NamedRuleSet>& sets, const Style& style) {
  std::vector<std::vector<std::string>> rows = {{style.Paint(Tone::kBold, "NAME"),
                                                 style.Paint(Tone::kBold, "PLAYERS"),
                                                 style.Paint(Tone::kBold, "WHAT")}};
  for (const NamedRuleSet& set : sets) {
    rows.push_back({std::string(set.name), Players(set.rules), std::string(set.description)});
  }
  return Columns(rows, {});
}

// Every parameter of one; a star where it is not that of fft.
std::string AsTable(const rules::RuleSet& rules, const Style& style) {
  std::vector<std::vector<std::string>> rows;
  for (const rules::Parameter& parameter : rules::Parameters()) {
    const std::string value = parameter.get(rules);
    const bool own = value != parameter.get(rules::RuleSet());
    rows.push_back({own ? "*" : "", std::string(parameter.key),
                    own ? style.Paint(Tone::kBold, value) : value, std::string(parameter.meaning)});
  }
  return absl::StrCat(Columns(rows, {}),
                      "\n* differs from fft. As text: ", rules::RuleSetText(rules), "\n");
}

ExitCode RunRulesets(Context& context) {
  const std::string text = absl::StrJoin(context.line().words, " ");
  if (text.empty()) {
    context.out() << (context.json() ? AsJson(rules::RuleSets())
                                     : AsList(rules::RuleSets(), context.style()));
    return kOk;
  }
  const auto parsed = rules::ParseRuleSet(text);
  if (!parsed.ok()) {
    context.err() << "tarotctl: " << Safe(text) << ": " << Safe(parsed.status().message())
                  << "\nSee: tarotctl rulesets\n";
    return kFailed;
  }
  const std::string name = rules::RuleSetText(*parsed);
  context.out() << (context.json() ? AsJson({{.name = name, .rules = *parsed}})
                                   : AsTable(*parsed, context.style()));
  return kOk;
}

}  // namespace

Command RulesetsCommand() {
  return {.name = "rulesets",
          .usage = "rulesets [RULES]",
          .summary = "the named rule sets, or every parameter of one",
          .help =
              "  tarotctl rulesets                         names, player counts, what they are\n"
              "  tarotctl rulesets booklet                 every parameter, with its meaning\n"
              "  tarotctl rulesets fft +mult=1,2,3,4       of a custom one, checked for sense\n"
              "  tarotctl rulesets --json                  all of them with all parameters\n\n"
              "RULES is a name, or a name and what differs from it: +PARAMETER=VALUE, lists with\n"
              "commas and without brackets (+bids=garde,garde_sans), by player count as 3:4,4:3.\n"
              "The same text stands in the Rules tag of TDN. A rule set that contradicts itself\n"
              "is refused, with the names of both parameters. No platform is asked.\n",
          .options = {{"json", false}},
          .words_min = 0,
          .words_max = std::numeric_limits<std::size_t>::max(),
          .run = RunRulesets};
}

}  // namespace tarot::tarotctl
