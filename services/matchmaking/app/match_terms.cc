#include "services/matchmaking/app/match_terms.h"

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/rules/parameters/parameters.h"
#include "libs/rules/parameters/validation.h"
#include "services/matchmaking/app/errors.h"
#include "services/matchmaking/limits.h"

namespace tarot::matchmaking_service {

using error::FieldInvalid;

bool IsSeconds(absl::Duration duration, absl::Duration least, absl::Duration most) {
  return duration >= least && duration <= most &&
         duration == absl::Trunc(duration, absl::Seconds(1));
}

const rules::RuleSet* RulesOf(const MatchTerms& terms) {
  if (terms.rules) return &*terms.rules;
  const rules::NamedRuleSet* const named = rules::FindRuleSet(terms.rule_set);
  return named == nullptr ? nullptr : &named->rules;
}

absl::Status CheckTerms(const MatchTerms& terms, int player_count, const ClockLimits& limits,
                        const std::string& path) {
  const rules::RuleSet* const rules = RulesOf(terms);
  if (rules == nullptr) {
    // The custom rule sets of rooms come with their values in `terms.rules`.
    const bool custom = rules::ParseRuleSet(terms.rule_set).ok();
    return FieldInvalid(path + "rule_set",
                        absl::StrCat("\"", terms.rule_set, "\" is ",
                                     custom ? "a custom rule set; a queue takes only the name of a "
                                              "rule set, but a room may have a custom one"
                                            : "not a rule set"));
  }
  TAROT_RETURN_IF_ERROR(rules::CheckRuleSet(*rules));
  if (player_count < rules->players_min || player_count > rules->players_max) {
    const bool one_count = rules->players_min == rules->players_max;
    return FieldInvalid(path + "player_count",
                        absl::StrCat("must be ", rules->players_min,
                                     one_count ? "" : absl::StrCat(" to ", rules->players_max),
                                     " for the rule set ", terms.rule_set));
  }
  if (terms.deal_count < 1 || terms.deal_count > kDealCountMax) {
    return FieldInvalid(path + "deal_count", absl::StrCat("must be from 1 to ", kDealCountMax));
  }
  if (!IsSeconds(terms.move_limit, kMoveLimitMin, limits.move_limit_max)) {
    return FieldInvalid(
        path + "move_limit",
        absl::StrCat("must be whole seconds, from ", absl::FormatDuration(kMoveLimitMin), " to ",
                     absl::FormatDuration(limits.move_limit_max)));
  }
  if (!IsSeconds(terms.time_bank, absl::ZeroDuration(), limits.time_bank_max)) {
    return FieldInvalid(path + "time_bank",
                        absl::StrCat("must be whole seconds, at most ",
                                     absl::FormatDuration(limits.time_bank_max)));
  }
  if (terms.ranked && rules->scoring != rules::Scoring::kNormal) {
    return FieldInvalid(path + "ranked",
                        absl::StrCat("must be false: ", terms.rule_set,
                                     " is a practice game, whose scores cannot be rated"));
  }
  return absl::OkStatus();
}

}  // namespace tarot::matchmaking_service
