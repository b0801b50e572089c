// Declares functions that check the terms of a match, for queues and rooms.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "libs/rules/parameters/rule_set.h"
#include "services/matchmaking/app/ticket.h"

namespace tarot::matchmaking_service {

struct ClockLimits {
  absl::Duration move_limit_max;
  absl::Duration time_bank_max;
};

// Returns true if `duration` is a whole number of seconds from `least` to `most`.
bool IsSeconds(absl::Duration duration, absl::Duration least, absl::Duration most);

// Returns the values of the rule set. If `terms.rules` is set, returns these values. If not,
// returns the values of the rule set with the name `terms.rule_set`, or nullptr if no rule set has
// this name. The result lives as long as `terms`.
const rules::RuleSet* RulesOf(const MatchTerms& terms);

// If the terms are not valid for a match of `player_count` players, returns INVALID_ARGUMENT
// BAD_REQUEST. The field in the error begins with `path`, for example "queues[1].".
absl::Status CheckTerms(const MatchTerms& terms, int player_count, const ClockLimits& limits,
                        const std::string& path);

}  // namespace tarot::matchmaking_service
