// What is fixed when a table is made.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "libs/base/ids.h"

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
  std::string rule_set;  // A name of rules::RuleSets().
  int deal_count = 0;    // Scored deals.
  absl::Duration move_limit;
  absl::Duration time_bank;
  bool ranked = false;
  std::vector<SeatConfig> seats;  // In order of play; the last one deals first.
  absl::Time create_time;

  // True when a repeated CreateTable asks for the same table; the time does not count.
  bool SameRequest(const TableConfig& other) const;
};

// INVALID_ARGUMENT BAD_REQUEST.
absl::Status CheckConfig(const TableConfig& config);

}  // namespace tarot::rules_service
