// Defines the settings of a table. They are fixed when the table is made.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "libs/base/ids.h"
#include "libs/dealing/shuffle.h"
#include "libs/rules/parameters/rule_set.h"

namespace tarot::rules_service {

enum class TablePhase {
  kDealing,  // No deal runs: the match is between two deals.
  kPlaying,
  kFinished,  // The match is over.
};

struct SeatConfig {
  PlayerId player;
  std::string display_name;
  std::string bot_level;  // Empty for a person.

  bool bot() const { return !bot_level.empty(); }
  friend bool operator==(const SeatConfig&, const SeatConfig&) = default;
};

struct TableConfig {
  TableId id;
  // The name of the rule set that players see. It is a name in rules::RuleSets(), or a text that
  // rules::NearestRuleSetText() has made. A table of an older version has a text that
  // rules::RuleSetText() has made.
  std::string rule_set;
  // The rules of this table. They stay the same even if the named rule set changes later.
  rules::RuleSet rules;
  int deal_count = 0;  // Number of scored deals.
  absl::Duration move_limit;
  absl::Duration time_bank;
  bool ranked = false;
  // The proposals that the seats may make (TableService::Propose). Both fields are false at a
  // ranked table.
  bool take_back = false;
  bool breaks = false;
  std::vector<SeatConfig> seats;  // The seats, in the order of play.
  absl::Time create_time;
  // The seed of the first deal. It is secret at least until that deal is over. If a table was made
  // by an old version that fixed no seeds in advance, this field is unset.
  std::optional<dealing::DealSeed> first_seed;

  // Returns true if a CreateTable request with `other` asks for the same table again. Then all
  // settings except the time and the seed are equal.
  bool SameRequest(const TableConfig& other) const;
};

// Returns INVALID_ARGUMENT BAD_REQUEST for settings that are not valid.
absl::Status CheckConfig(const TableConfig& config);

}  // namespace tarot::rules_service
