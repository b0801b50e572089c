// Makes random deals of any rule set, named or random, for tests and benchmarks.
#pragma once

#include <string>

#include "absl/strings/str_cat.h"
#include "libs/base/rng.h"
#include "libs/notation/record.h"
#include "libs/rules/parameters/parameters.h"
#include "libs/rules/parameters/validation.h"
#include "libs/rules/testing/random_deals.h"

namespace tarot::notation {

// Returns a valid rule set without a name. Its values come from named rule sets, but the
// multipliers can be higher.
inline rules::NamedRuleSet RandomRules(Rng& rng) {
  static const std::vector<rules::Parameter>& parameters = rules::Parameters();
  const auto pick = [&](const auto& all) -> const auto& {
    return all[static_cast<std::size_t>(rng.Below(static_cast<int>(all.size())))];
  };
  for (;;) {
    rules::RuleSet rules = pick(rules::RuleSets()).rules;
    for (int changes = 1 + rng.Below(6); changes > 0; --changes) {
      const rules::Parameter& parameter = pick(parameters);
      const std::string value = parameter.get(pick(rules::RuleSets()).rules);
      TAROT_CHECK(rules::SetParameter(rules, parameter.key, value).ok());
    }
    for (std::size_t bid = 1; bid < 5; ++bid) {
      rules.multiplier[bid] = static_cast<std::uint8_t>(rules.multiplier[bid] + rng.Below(3));
    }
    if (rules::Validate(rules).empty()) return {.name = "custom", .rules = rules};
  }
}

// Returns a deal with a new random seed. The deal is played at random, and stops after at most
// `entries_max` entries.
inline Record RandomRecord(const rules::NamedRuleSet& named, int players, Rng& rng,
                           std::size_t entries_max = 1000) {
  Record record;
  record.event = "\"Quoted\" \\ back";
  record.round = absl::StrCat(rng.Below(100));
  record.rule_set = rules::RuleSetText(named.rules);
  record.players = players;
  for (rules::Seat seat = 0; seat < players; ++seat) {
    record.names[Slot(seat)] = absl::StrCat("Zoë ", seat);
  }
  if (rng.Below(2) == 0) record.tags = {{"Rated", "yes"}, {"Annotator", "Zoé"}};
  record.seed.emplace();
  for (std::uint8_t& byte : *record.seed) byte = static_cast<std::uint8_t>(rng.Below(256));
  record.commitment = dealing::Commit(*record.seed);
  const rules::DealtCards dealt =
      rules::DealOut(named.rules, players, record.Dealer(), dealing::ShuffledPack(*record.seed));
  record.hands = dealt.hands;
  record.dog = dealt.dog;
  const bool board = named.rules.taker_by == rules::TakerBy::kBoard;
  if (board) record.board_taker = rng.Below(players);
  rules::Deal deal = rules::StartDeal(named.rules, players, record.Dealer(), record.hands,
                                      record.dog, record.board_taker);
  while (deal.phase != rules::Phase::kDone && record.entries.size() < entries_max) {
    record.entries.push_back({deal.turn, rules::RandomAction(deal, rng)});
    TAROT_CHECK(rules::Apply(deal, deal.turn, record.entries.back().action).ok());
  }
  return record;
}

}  // namespace tarot::notation
