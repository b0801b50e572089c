// The settings of a table, fixed when it is made.
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

struct SeatConfig {
  PlayerId player;
  std::string display_name;
  std::string bot_level;  // Empty for a person.

  bool bot() const { return !bot_level.empty(); }
  friend bool operator==(const SeatConfig&, const SeatConfig&) = default;
};

struct TableConfig {
  TableId id;
  std::string rule_set;  // For display: a name of rules::RuleSets(), or rules::RuleSetText().
  rules::RuleSet rules;  // The values that are played, whatever the name means later.
  int deal_count = 0;    // Scored deals.
  absl::Duration move_limit;
  absl::Duration time_bank;
  bool ranked = false;
  std::vector<SeatConfig> seats;  // In order of play.
  absl::Time create_time;
  // The first deal's seed, secret until that deal is over. Nothing at a table made before seeds
  // were fixed ahead.
  std::optional<dealing::DealSeed> first_seed;

  // Returns true when a repeated CreateTable asks for the same table: all but the time and the seed
  // are equal.
  bool SameRequest(const TableConfig& other) const;
};

// INVALID_ARGUMENT BAD_REQUEST.
absl::Status CheckConfig(const TableConfig& config);

}  // namespace tarot::rules_service
