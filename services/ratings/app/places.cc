#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "libs/base/error.h"
#include "services/ratings/app/rating_service.h"
#include "services/ratings/limits.h"

namespace tarot::ratings_service {
namespace {

bool HoldsPlace(const Standing& standing, const PlaceRule& rule) {
  const double growth = rule.Growth(standing.update_time, rule.now);
  return standing.match_count > 0 && standing.skill.variance + growth <= rule.variance_max;
}

// Returns the variance with its growth at the starts of seasons, but without its growth over time.
double WithSeasons(const Standing& standing, const PlaceRule& rule) {
  return standing.skill.variance +
         rule.variance_growth_per_season *
             CountChanges(rule.season_changes, standing.update_time, rule.now);
}

// Returns the first second of Unix time at which the player no longer has a place, because the
// variance is then above `variance_max`.
std::uint32_t EndSecond(const Standing& standing, const PlaceRule& rule) {
  const double held_seconds =
      (rule.variance_max - WithSeasons(standing, rule)) / rule.variance_growth_per_second;
  const double end = absl::ToDoubleSeconds(standing.update_time - absl::UnixEpoch()) + held_seconds;
  constexpr double kMax = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::clamp(std::floor(end) + 1, 1.0, kMax));
}

bool SameLimits(const PlaceRule& a, const PlaceRule& b) {
  return a.variance_max == b.variance_max &&
         a.variance_growth_per_second == b.variance_growth_per_second &&
         a.variance_growth_per_season == b.variance_growth_per_season &&
         a.season_changes == b.season_changes;
}

void SetRank(const Standing& standing, const PlaceRule& rule, rating::Ranks& ranks) {
  if (standing.match_count == 0 || WithSeasons(standing, rule) > rule.variance_max) {
    ranks.Erase(standing.player);
  } else {
    ranks.Set({.mu = standing.skill.mu, .player = standing.player}, EndSecond(standing, rule));
  }
}

std::uint32_t UnixSecond(absl::Time time) {
  constexpr std::int64_t kMax = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(absl::ToUnixSeconds(time), 0, kMax));
}

// Returns the beginning of the week that contains `now`: Monday, 0:00 UTC.
absl::Time StartOfWeek(absl::Time now) {
  const absl::CivilDay today = absl::ToCivilDay(now, absl::UTCTimeZone());
  // PrevWeekday() returns a day that is earlier than its argument, so the argument is tomorrow.
  return absl::FromCivil(absl::PrevWeekday(today + 1, absl::Weekday::monday), absl::UTCTimeZone());
}

// Returns the place that the player had at `time` with the skill `earlier`. If the skill was too
// uncertain for a place, returns nullopt. `earlier` is the skill before a match, and `time` must
// not be after this match.
std::optional<PlaceKey> PlaceAt(absl::Time time, const EarlierSkill& earlier,
                                const PlaceRule& rule) {
  const double variance = earlier.before->variance - rule.Growth(time, earlier.match_time);
  if (variance > rule.variance_max) return std::nullopt;
  return PlaceKey{.mu = earlier.before->mu, .player = earlier.player};
}

constexpr std::int64_t kPlacesPerCopy = 10'000;

}  // namespace

void Places::Ladder::Set(const Standing& standing, const PlaceRule& rule) {
  SetRank(standing, rule, all);
  const auto old = country_of.find(standing.player);
  if (old != country_of.end() && old->second != standing.country) {
    countries[old->second].Erase(standing.player);
    country_of.erase(old);
  }
  if (standing.country.empty()) return;
  country_of[standing.player] = standing.country;
  SetRank(standing, rule, countries[standing.country]);
}

Places::Places(RatingStore& store, SeasonCache& seasons, Clock& clock, double place_deviation_max)
    : store_(store), seasons_(seasons), clock_(clock), place_deviation_max_(place_deviation_max) {}

absl::Status Places::Refresh() {
  const std::lock_guard lock(read_mutex_);
  // A new season has a new model, and makes ratings less certain. Both change the time at which
  // each place ends.
  const Rules rules = RulesNow();
  const auto same = [](const auto& a, const auto& b) { return SameLimits(a.second, b.second); };
  if (!cursor_ || !std::equal(rules.begin(), rules.end(), rules_.begin(), rules_.end(), same)) {
    TAROT_RETURN_IF_ERROR(Load(rules));
  }
  // Clear `old_` before the read: if a match is stored during the read, `old_` must become true
  // again.
  const bool old = old_.exchange(false);
  const absl::Time now = clock_.Now();
  if (!old && absl::AbsDuration(now - read_time_) < kPlacesAgeMax) return absl::OkStatus();
  absl::StatusOr<StandingChanges> changes = store_.ReadChangedStandings(cursor_);
  // A recomputation changes standings without a new match. So all standings must be read again
  // after each recomputation.
  while (changes.ok() && changes->recomputation != recomputation_) {
    const absl::Status loaded = Load(rules);
    changes = loaded.ok() ? store_.ReadChangedStandings(cursor_) : loaded;
  }
  if (!changes.ok()) {
    old_ = true;
    return changes.status();
  }
  cursor_ = changes->cursor;
  read_time_ = now;
  const std::lock_guard ranks_lock(ranks_mutex_);
  if (const absl::Time week = StartOfWeek(now); week > week_start_) BeginWeek(week);
  Apply(changes->standings);
  return absl::OkStatus();
}

void Places::Apply(const std::vector<LadderStanding>& standings) {
  for (const auto& [player_count, standing] : standings) {
    weeks_[player_count].rated.try_emplace(standing.player,
                                           RanksNow({player_count}).Find(standing.player));
    ladders_[player_count].Set(standing, rules_.at(player_count));
  }
}

void Places::BeginWeek(absl::Time start) {
  week_start_ = start;
  weeks_.clear();
  for (const auto& [player_count, rule] : rules_) {
    const rating::Ranks& ranks = RanksNow({player_count});
    rating::PastPlaces& places = weeks_[player_count].places;
    for (std::int64_t first = 1; first <= ranks.size(); first += kPlacesPerCopy) {
      for (const rating::Ranks::Ranked& each : ranks.Range(first, first + kPlacesPerCopy - 1)) {
        places.Append(each.key);
      }
    }
  }
}

absl::Status Places::Load(const Rules& rules) {
  // Read the cursor before the standings. If a match is stored while the standings are read, the
  // first read of changes then includes this match.
  TAROT_ASSIGN_OR_RETURN(const StandingChanges begin, store_.ReadChangedStandings(std::nullopt));
  const absl::Time week_start = StartOfWeek(clock_.Now());
  std::map<int, Ladder> ladders;
  PlaceKeys unrated;
  LadderStanding last;
  while (true) {
    TAROT_ASSIGN_OR_RETURN(
        const std::vector<LadderStanding> page,
        store_.ListStandings(last.standing.player, last.player_count, kStandingsPerRead));
    if (page.empty()) break;
    for (const auto& [player_count, standing] : page) {
      PlaceRule rule = rules.at(player_count);
      ladders[player_count].Set(standing, rule);
      rule.now = week_start;
      if (standing.update_time >= week_start || !HoldsPlace(standing, rule)) continue;
      unrated[player_count].push_back({.mu = standing.skill.mu, .player = standing.player});
    }
    last = page.back();
  }
  TAROT_ASSIGN_OR_RETURN(Weeks weeks, LoadWeek(week_start, rules, std::move(unrated)));
  old_ = true;
  cursor_ = begin.cursor;
  recomputation_ = begin.recomputation;
  rules_ = rules;
  const std::lock_guard lock(ranks_mutex_);
  ladders_ = std::move(ladders);
  week_start_ = week_start;
  weeks_ = std::move(weeks);
  return absl::OkStatus();
}

absl::StatusOr<Places::Weeks> Places::LoadWeek(absl::Time start, const Rules& rules,
                                               PlaceKeys unrated) {
  std::map<std::pair<int, PlayerId>, EarlierSkill> first;  // By ladder and player.
  std::optional<std::int64_t> before;
  while (true) {
    TAROT_ASSIGN_OR_RETURN(const ResultPage page,
                           store_.ListResults(before, kResultMatchesPerRead));
    bool of_this_week = page.results.empty();
    for (const EarlierSkill& result : page.results) {
      if (result.match_time < start) continue;
      of_this_week = true;
      // The pages begin with the newest match. So the last assignment for a player comes from the
      // player's first match of the week.
      if (result.before) first[{result.player_count, result.player}] = result;
    }
    if (page.first_sequence <= 1 || !of_this_week) break;
    before = page.first_sequence;
  }
  Weeks weeks;
  for (const auto& [key, earlier] : first) {
    const PlaceRule& rule = rules.at(key.first);
    weeks[key.first].rated[key.second] = PlaceAt(earlier.match_time, earlier, rule);
    if (const auto place = PlaceAt(start, earlier, rule)) unrated[key.first].push_back(*place);
  }
  for (auto& [player_count, keys] : unrated) {
    std::sort(keys.begin(), keys.end(), std::greater<>());
    // If a player's first match of the week was stored during these reads, the list contains the
    // player twice.
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    for (const PlaceKey& key : keys) weeks[player_count].places.Append(key);
  }
  return weeks;
}

Places::Rules Places::RulesNow() {
  Rules rules;
  for (int players = rating::kPlayersMin; players <= rating::kPlayersMax; ++players) {
    rules[players] = RuleFor(players);
  }
  return rules;
}

PlaceRule Places::RuleFor(int player_count) {
  const absl::Time now = clock_.Now();
  const rating::Model model = seasons_.ModelNow(player_count);
  std::vector<absl::Time> changes = SeasonChanges(*seasons_.Recent(), player_count);
  std::erase_if(changes, [&](absl::Time change) { return change > now; });
  return {.now = now,
          .variance_max = model.VarianceOfDeviation(place_deviation_max_),
          .variance_growth_per_second = model.VarianceGrowthPerSecond(),
          .variance_growth_per_season = model.VarianceGrowthPerSeason(),
          .season_changes = std::move(changes)};
}

rating::Ranks& Places::RanksNow(const BoardName& board) {
  Ladder& ladder = ladders_[board.player_count];
  rating::Ranks& ranks = board.country.empty() ? ladder.all : ladder.countries[board.country];
  ranks.EraseEnded(UnixSecond(clock_.Now()));
  return ranks;
}

std::optional<std::int64_t> Places::RankOf(const BoardName& board, const Standing& standing) {
  if (!HoldsPlace(standing, RuleFor(board.player_count))) return std::nullopt;
  const std::lock_guard lock(ranks_mutex_);
  const rating::Ranks& ranks = RanksNow(board);
  const PlaceKey key{.mu = standing.skill.mu, .player = standing.player};
  // If the player was rated after the last read, `ranks` still has the player's old place. This old
  // place must not count as a place above the player's new place.
  const std::optional<PlaceKey> known = ranks.Find(standing.player);
  return ranks.CountAbove(key) + (known && *known > key ? 0 : 1);
}

std::optional<std::int64_t> Places::RankAtWeekStart(int player_count, PlayerId player) {
  const std::lock_guard lock(ranks_mutex_);
  const Week& week = weeks_[player_count];
  const auto rated = week.rated.find(player);
  const std::optional<PlaceKey> key =
      rated == week.rated.end() ? RanksNow({player_count}).Find(player) : rated->second;
  if (!key) return std::nullopt;
  return week.places.RankOf(*key);
}

std::int64_t Places::Count(const BoardName& board) {
  const std::lock_guard lock(ranks_mutex_);
  return RanksNow(board).size();
}

std::optional<rating::Ranks::Ranked> Places::Find(const BoardName& board, PlayerId player) {
  const std::lock_guard lock(ranks_mutex_);
  const rating::Ranks& ranks = RanksNow(board);
  const std::optional<PlaceKey> key = ranks.Find(player);
  if (!key) return std::nullopt;
  return rating::Ranks::Ranked{.key = *key, .rank = ranks.CountAbove(*key) + 1};
}

std::vector<rating::Ranks::Ranked> Places::Below(const BoardName& board,
                                                 const std::optional<PlaceKey>& past, int limit) {
  const std::lock_guard lock(ranks_mutex_);
  const rating::Ranks& ranks = RanksNow(board);
  std::int64_t above = 0;
  if (past) {
    above = ranks.CountAbove(*past);
    above += ranks.Find(past->player) == past ? 1 : 0;
  }
  return ranks.Range(above + 1, above + limit);
}

std::vector<rating::Ranks::Ranked> Places::Above(const BoardName& board,
                                                 const std::optional<PlaceKey>& past, int limit) {
  const std::lock_guard lock(ranks_mutex_);
  const rating::Ranks& ranks = RanksNow(board);
  const std::int64_t last = past ? ranks.CountAbove(*past) : ranks.size();
  std::vector<rating::Ranks::Ranked> places = ranks.Range(last - limit + 1, last);
  std::reverse(places.begin(), places.end());
  return places;
}

}  // namespace tarot::ratings_service
