#include "services/rules/app/table_config.h"

#include <algorithm>
#include <set>

#include "absl/strings/ascii.h"
#include "libs/base/error.h"
#include "libs/rules/parameters/parameters.h"
#include "libs/rules/parameters/validation.h"
#include "services/rules/limits.h"

namespace tarot::rules_service {
namespace {

// Returns true if `level` has the form of a level's name. Only the bot service knows which levels
// exist.
bool IsLevelName(const std::string& level) {
  return level.size() <= kBotLevelBytesMax && std::all_of(level.begin(), level.end(), [](char c) {
           return absl::ascii_islower(c) || absl::ascii_isdigit(c);
         });
}

absl::Status CheckSeats(const TableConfig& config) {
  std::set<PlayerId> players;
  for (const SeatConfig& seat : config.seats) {
    if (seat.player.empty()) return BadRequest("seats.player", "required");
    if (!players.insert(seat.player).second) return BadRequest("seats.player", "seated twice");
    if (seat.display_name.empty() || seat.display_name.size() > kDisplayNameBytesMax) {
      return BadRequest("seats.display_name", "1 to 128 bytes");
    }
    if (!IsLevelName(seat.bot_level)) {
      return BadRequest("seats.bot_level", "at most 32 lower-case letters and digits");
    }
  }
  return absl::OkStatus();
}

}  // namespace

bool TableConfig::SameRequest(const TableConfig& other) const {
  return id == other.id && rule_set == other.rule_set && rules == other.rules &&
         deal_count == other.deal_count && move_limit == other.move_limit &&
         time_bank == other.time_bank && ranked == other.ranked && take_back == other.take_back &&
         breaks == other.breaks && seats == other.seats;
}

absl::Status CheckConfig(const TableConfig& config) {
  if (config.id.empty()) return BadRequest("name", "tables/{uuid}");
  TAROT_RETURN_IF_ERROR(rules::CheckRuleSet(config.rules));
  const int players = static_cast<int>(config.seats.size());
  if (players < config.rules.players_min || players > config.rules.players_max) {
    return BadRequest("seats", "wrong number of players for this rule set");
  }
  if (config.ranked && config.rules.scoring != rules::Scoring::kNormal) {
    return BadRequest("ranked", "a practice game is not rated: its scores do not sum to zero");
  }
  if (config.ranked && (config.take_back || config.breaks)) {
    return BadRequest("options", "must be unset at a ranked table");
  }
  if (config.deal_count < 1 || config.deal_count > kDealCountMax) {
    return BadRequest("deal_count", "1 to 100");
  }
  if (config.move_limit < kMoveLimitMin || config.move_limit > kClockMax) {
    return BadRequest("clocks.move_limit", "one second to one day");
  }
  if (config.time_bank < absl::ZeroDuration() || config.time_bank > kClockMax) {
    return BadRequest("clocks.time_bank", "none to one day");
  }
  return CheckSeats(config);
}

}  // namespace tarot::rules_service
