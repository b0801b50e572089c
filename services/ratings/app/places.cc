#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/time/time.h"
#include "libs/base/error.h"
#include "services/ratings/app/rating_service.h"
#include "services/ratings/limits.h"

namespace tarot::ratings_service {
namespace {

bool HoldsPlace(const Standing& standing, const PlaceRule& rule) {
  const double absence = std::max(0.0, absl::ToDoubleSeconds(rule.now - standing.update_time));
  return standing.match_count > 0 &&
         standing.skill.variance + rule.variance_growth_per_second * absence <= rule.variance_max;
}

// Returns the second of Unix time at which the player has no place any more. The player has a place
// now if the variance is at most `variance_max`.
std::uint32_t EndSecond(const Standing& standing, const PlaceRule& rule) {
  const double held_seconds =
      (rule.variance_max - standing.skill.variance) / rule.variance_growth_per_second;
  const double end = absl::ToDoubleSeconds(standing.update_time - absl::UnixEpoch()) + held_seconds;
  constexpr double kMax = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::clamp(std::floor(end) + 1, 1.0, kMax));
}

bool SameLimits(const PlaceRule& a, const PlaceRule& b) {
  return a.variance_max == b.variance_max &&
         a.variance_growth_per_second == b.variance_growth_per_second;
}

void Apply(const std::vector<LadderStanding>& standings, const std::map<int, PlaceRule>& rules,
           std::map<int, rating::Ranks>& ladders) {
  for (const auto& [player_count, standing] : standings) {
    const PlaceRule& rule = rules.at(player_count);
    rating::Ranks& ranks = ladders[player_count];
    if (standing.skill.variance > rule.variance_max) {
      ranks.Erase(standing.player);
    } else {
      ranks.Set({.mu = standing.skill.mu, .player = standing.player}, EndSecond(standing, rule));
    }
  }
}

}  // namespace

Places::Places(RatingStore& store, Clock& clock, double place_deviation_max,
               std::function<rating::Model(int)> model)
    : store_(store),
      clock_(clock),
      place_deviation_max_(place_deviation_max),
      model_(std::move(model)) {}

absl::Status Places::Refresh() {
  const std::lock_guard lock(read_mutex_);
  // The ends of all places depend on the model, which is new when a season begins.
  const Rules rules = RulesNow();
  const auto same = [](const auto& a, const auto& b) { return SameLimits(a.second, b.second); };
  if (!cursor_ || !std::equal(rules.begin(), rules.end(), rules_.begin(), rules_.end(), same)) {
    TAROT_RETURN_IF_ERROR(Load(rules));
  }
  // The mark goes before the read. A match that is stored during the read marks the places again.
  const bool old = old_.exchange(false);
  const absl::Time now = clock_.Now();
  if (!old && absl::AbsDuration(now - read_time_) < kPlacesAgeMax) return absl::OkStatus();
  const absl::StatusOr<StandingChanges> changes = store_.ReadChangedStandings(cursor_);
  if (!changes.ok()) {
    old_ = true;
    return changes.status();
  }
  cursor_ = changes->cursor;
  read_time_ = now;
  const std::lock_guard ranks_lock(ranks_mutex_);
  Apply(changes->standings, rules_, ranks_);
  return absl::OkStatus();
}

absl::Status Places::Load(const Rules& rules) {
  // The cursor comes first. So the first read of changes has each match that is stored while the
  // standings are read.
  TAROT_ASSIGN_OR_RETURN(const StandingChanges begin, store_.ReadChangedStandings(std::nullopt));
  std::map<int, rating::Ranks> ladders;
  LadderStanding last;
  while (true) {
    TAROT_ASSIGN_OR_RETURN(
        const std::vector<LadderStanding> page,
        store_.ListStandings(last.standing.player, last.player_count, kStandingsPerRead));
    if (page.empty()) break;
    Apply(page, rules, ladders);
    last = page.back();
  }
  old_ = true;
  cursor_ = begin.cursor;
  rules_ = rules;
  const std::lock_guard lock(ranks_mutex_);
  ranks_ = std::move(ladders);
  return absl::OkStatus();
}

Places::Rules Places::RulesNow() {
  Rules rules;
  for (int players = rating::kPlayersMin; players <= rating::kPlayersMax; ++players) {
    rules[players] = RuleFor(players);
  }
  return rules;
}

PlaceRule Places::RuleFor(int player_count) {
  const rating::Model model = model_(player_count);
  return {.now = clock_.Now(),
          .variance_max = model.VarianceOfDeviation(place_deviation_max_),
          .variance_growth_per_second = model.VarianceGrowthPerSecond()};
}

rating::Ranks& Places::RanksNow(int player_count) {
  rating::Ranks& ranks = ranks_[player_count];
  const std::int64_t now = absl::ToUnixSeconds(clock_.Now());
  constexpr std::int64_t kMax = std::numeric_limits<std::uint32_t>::max();
  ranks.EraseEnded(static_cast<std::uint32_t>(std::clamp<std::int64_t>(now, 0, kMax)));
  return ranks;
}

std::optional<std::int64_t> Places::RankOf(int player_count, const Standing& standing) {
  if (!HoldsPlace(standing, RuleFor(player_count))) return std::nullopt;
  const std::lock_guard lock(ranks_mutex_);
  const rating::Ranks& ranks = RanksNow(player_count);
  const PlaceKey key{.mu = standing.skill.mu, .player = standing.player};
  // If the player was rated after the last read, the old place does not count.
  const std::optional<PlaceKey> known = ranks.Find(standing.player);
  return ranks.CountAbove(key) + (known && *known > key ? 0 : 1);
}

std::optional<rating::Ranks::Ranked> Places::Find(int player_count, PlayerId player) {
  const std::lock_guard lock(ranks_mutex_);
  const rating::Ranks& ranks = RanksNow(player_count);
  const std::optional<PlaceKey> key = ranks.Find(player);
  if (!key) return std::nullopt;
  return rating::Ranks::Ranked{.key = *key, .rank = ranks.CountAbove(*key) + 1};
}

std::vector<rating::Ranks::Ranked> Places::Below(int player_count,
                                                 const std::optional<PlaceKey>& past, int limit) {
  const std::lock_guard lock(ranks_mutex_);
  const rating::Ranks& ranks = RanksNow(player_count);
  std::int64_t above = 0;
  if (past) {
    above = ranks.CountAbove(*past);
    above += ranks.Find(past->player) == past ? 1 : 0;
  }
  return ranks.Range(above + 1, above + limit);
}

std::vector<rating::Ranks::Ranked> Places::Above(int player_count,
                                                 const std::optional<PlaceKey>& past, int limit) {
  const std::lock_guard lock(ranks_mutex_);
  const rating::Ranks& ranks = RanksNow(player_count);
  const std::int64_t last = past ? ranks.CountAbove(*past) : ranks.size();
  std::vector<rating::Ranks::Ranked> places = ranks.Range(last - limit + 1, last);
  std::reverse(places.begin(), places.end());
  return places;
}

}  // namespace tarot::ratings_service
