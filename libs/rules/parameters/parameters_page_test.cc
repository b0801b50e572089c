// Tests that docs/rules/parameters.md has the content of the table of parameters (parameters.cc).
#include <gtest/gtest.h>

#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "libs/rules/parameters/parameters.h"
#include "libs/testkit/golden.h"

namespace tarot::rules {
namespace {

constexpr absl::string_view kHead = R"(# Parameters

The parameters of a rule set, in the order of the game. A test writes this page from
`libs/rules/parameters/parameters.cc` (run it with `TAROT_UPDATE_GOLDEN=1`). The column "values"
lists the allowed values; any other value is refused. The column "elsewhere" lists the rule sets
that differ from `fft`. `club` is source 000, `webguide` 001, `booklet…` 002, `preneur` 003,
`shogix…` 004; `fft…` is the federation's text. As JSON: `tarot-lab rulesets --json`.

| parameter | meaning | values | `fft` | elsewhere |
| --- | --- | --- | --- | --- |
)";

std::string Cell(absl::string_view value) {
  if (value.empty()) return "nothing";
  return absl::StrCat("`", absl::StrReplaceAll(value, {{"|", "\\|"}}), "`");
}

// Returns the values that differ from the value of fft, each with the rule sets that have it, for
// example "`cw`: webguide, booklet".
std::string Elsewhere(const Parameter& parameter) {
  const std::string of_fft = parameter.get(FindRuleSet("fft")->rules);
  std::map<std::string, std::vector<absl::string_view>> names;
  for (const NamedRuleSet& named : RuleSets()) {
    const std::string value = parameter.get(named.rules);
    if (value != of_fft) names[value].push_back(named.name);
  }
  return absl::StrJoin(names, "; ", [](std::string* out, const auto& entry) {
    absl::StrAppend(out, Cell(BareValue(entry.first)), ": ", absl::StrJoin(entry.second, ", "));
  });
}

TEST(ParametersPageTest, ListsEveryParameterAndValue) {
  std::string page(kHead);
  for (const Parameter& p : Parameters()) {
    absl::StrAppend(&page, "| ", Cell(p.key), " | ", p.meaning, " | ",
                    absl::StrReplaceAll(p.allowed, {{"|", "\\|"}}), " | ",
                    Cell(BareValue(p.get(FindRuleSet("fft")->rules))), " | ", Elsewhere(p), " |\n");
  }
  EXPECT_TRUE(testkit::MatchesGolden(TAROT_SOURCE_DIR "/docs/rules/parameters.md", page));
}

}  // namespace
}  // namespace tarot::rules
