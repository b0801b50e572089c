// Reads text as a rule set. The text must be refused, or give a rule set. The printed text of the
// rule set must give the same rule set again, and deals under this rule set must be playable to
// their end.
#include "libs/base/check.h"
#include "libs/rules/parameters/parameters.h"
#include "libs/rules/testing/random_deals.h"
#include "tests/fuzz/fuzz.h"

using namespace tarot;

void PlayOneDeal(const rules::RuleSet& rules, int players, Rng& rng) {
  rules::Deal deal = rules::RandomDeal(rules, players, rng);
  for (int actions = 0; deal.phase != rules::Phase::kDone; ++actions) {
    TAROT_CHECK(actions < 200);
    TAROT_CHECK(rules::Apply(deal, deal.turn, rules::RandomAction(deal, rng)).ok());
  }
}

void FuzzOne(absl::string_view input) {
  const auto parsed = rules::ParseRuleSet(input);
  if (!parsed.ok()) return;
  const std::string text = rules::RuleSetText(*parsed);
  const auto again = rules::ParseRuleSet(text);
  TAROT_CHECK(again.ok() && *again == *parsed && rules::RuleSetText(*again) == text);
  Rng rng(input.size());
  for (int players = parsed->players_min; players <= parsed->players_max; ++players) {
    PlayOneDeal(*parsed, players, rng);
  }
}
