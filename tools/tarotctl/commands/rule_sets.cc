#include "absl/strings/str_cat.h"
#include "tools/tarotctl/commands/commands.h"
#include "tools/tarotctl/view/rooms.h"

namespace tarot::tarotctl {
namespace {

cli::ExitCode RunRuleSets(Context& context) {
  if (const absl::Status status = context.SignIn(""); !status.ok()) {
    return context.Fail("sign in", status);
  }
  const auto sets = context.Call(&client::RuleSets::ListRuleSets, {});
  if (!sets.ok()) return context.Fail("list the rule sets", sets.status());
  const auto& words = context.line().words;
  if (words.empty()) {
    if (context.json()) {
      context.PrintJson(*sets);
    } else {
      context.out() << RenderRuleSets(*sets);
    }
    return cli::kOk;
  }
  for (const rules::v1::RuleSetInfo& set : sets->rule_sets()) {
    if (set.name() != words[0]) continue;
    if (context.json()) {
      context.PrintJson(set);
    } else {
      context.out() << RenderRuleSet(set, context.style());
    }
    return cli::kOk;
  }
  context.err() << "tarotctl: there is no rule set '" << cli::Safe(words[0])
                << "'.\nSee: tarotctl rule-sets\n";
  return cli::kNotFound;
}

}  // namespace

cli::Command RuleSetsCommand() {
  return {.name = "rule-sets",
          .usage = "rule-sets [NAME]",
          .summary = "the rule sets, and what differs from the federation's",
          .help =
              "  tarotctl rule-sets            names, numbers of players, and what they are\n"
              "  tarotctl rule-sets booklet    each parameter that differs from fft\n"
              "  tarotctl rule-sets booklet --json\n",
          .options = {{"json", false}},
          .words_min = 0,
          .words_max = 1,
          .run = WithClient(RunRuleSets)};
}

}  // namespace tarot::tarotctl
