#include "services/ratings/app/ledger_fold.h"

#include <algorithm>
#include <cstddef>

#include "libs/base/error.h"
#include "services/ratings/app/errors.h"

namespace tarot::ratings_service {
namespace {

MatchResult ResultOf(const LedgerMatch& match) {
  MatchResult result{.table = match.table,
                     .deal_count = match.deal_count,
                     .match_time = match.match_time,
                     .season = match.season};
  for (const LedgerEntry& entry : match.entries) {
    result.players.push_back({.player = entry.player,
                              .bot = entry.bot,
                              .total = entry.total,
                              .luck = entry.luck,
                              .left = entry.left});
  }
  return result;
}

// Returns the standing that the player has after a match. `entry` is the player's ledger entry of
// this match.
Standing After(const Standing& before, const LedgerEntry& entry, absl::Time match_time) {
  Standing after = before;
  after.skill = entry.after;
  after.match_count = before.match_count + 1;
  // The result of a match may arrive after the result of a newer match. In this case `update_time`
  // must not go back to the older match. If it did, the variance would grow twice for the same
  // absence.
  after.update_time =
      before.match_count == 0 ? match_time : std::max(before.update_time, match_time);
  return after;
}

// Returns the model of a season. Season 0 means ratings without a correction for luck. If `seasons`
// does not have the season, returns nullopt.
std::optional<rating::Model> ModelOf(const Seasons& seasons, int player_count, int season) {
  if (season == 0) return rating::Model::ForTable(player_count);
  const auto found = seasons.find({player_count, season});
  if (found == seasons.end()) return std::nullopt;
  return found->second.model();
}

}  // namespace

RatedMatch RateMatch(const MatchResult& match, absl::Span<const Standing> standings,
                     const rating::Model& model, absl::Span<const absl::Time> season_changes) {
  std::vector<rating::Entrant> entrants;
  entrants.reserve(standings.size());
  for (std::size_t i = 0; i < standings.size(); ++i) {
    const Standing& standing = standings[i];
    const MatchPlayer& player = match.players[i];
    entrants.push_back(
        {.skill =
             standing.match_count == 0
                 ? model.Prior()
                 : model.Aged(standing.skill, match.match_time - standing.update_time,
                              CountChanges(season_changes, standing.update_time, match.match_time)),
         .points_per_deal = player.luck ? player.luck->result
                                        : static_cast<double>(player.total) / match.deal_count,
         .bot = player.bot,
         .left = player.left,
         .newcomer = !player.bot && standing.match_count < rating::kHistoryMatches});
  }
  const std::vector<rating::Skill> after = rating::Rate(model, entrants, match.deal_count);
  RatedMatch rated{.surprises = rating::Surprises(model, entrants, match.deal_count)};
  for (std::size_t i = 0; i < entrants.size(); ++i) {
    rated.entries.push_back({.player = match.players[i].player,
                             .bot = match.players[i].bot,
                             .total = match.players[i].total,
                             .luck = match.players[i].luck,
                             .left = match.players[i].left,
                             .before = entrants[i].skill,
                             .after = after[i]});
    rated.after.push_back(After(standings[i], rated.entries[i], match.match_time));
  }
  return rated;
}

std::vector<std::optional<RatedMatch>> RateAll(const std::vector<MatchResult>& matches,
                                               BatchState state, const Seasons& seasons) {
  std::vector<std::optional<RatedMatch>> results(matches.size());
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const MatchResult& match = matches[i];
    const int player_count = match.player_count();
    if (!match.rated || state.recorded[i]) continue;
    const auto newest = state.newest_seasons.find(player_count);
    const bool decided_by_newest =
        match.newest_season == (newest == state.newest_seasons.end() ? 0 : newest->second);
    const std::optional<rating::Model> model = ModelOf(seasons, player_count, match.season);
    if (!decided_by_newest || !model) continue;
    std::vector<Standing> before;
    for (const MatchPlayer& player : match.players) {
      Standing& standing = state.standings[{player_count, player.player}];
      standing.player = player.player;
      standing.display_name = player.display_name;
      standing.bot = player.bot;
      before.push_back(standing);
    }
    results[i] = RateMatch(match, before, *model, SeasonChanges(seasons, player_count));
    for (const Standing& after : results[i]->after) {
      state.standings[{player_count, after.player}] = after;
    }
  }
  return results;
}

absl::Status LedgerFold::Apply(const LedgerMatch& match, const Seasons& seasons,
                               std::vector<RecomputedResult>& different) {
  Ladder& ladder = ladders_[static_cast<std::size_t>(match.player_count())];
  for (const LedgerEntry& entry : match.entries) {
    Entry& standing = ladder[entry.player];
    if (!standing.changed) changed_.emplace_back(entry.player, match.player_count());
    standing.changed = true;
    if (match.voided) {
      ++standing.void_count;
      different.push_back({.sequence = match.sequence, .player = entry.player});
    }
  }
  return match.voided ? absl::OkStatus() : Rate(match, seasons, different);
}

absl::Status LedgerFold::Rate(const LedgerMatch& match, const Seasons& seasons,
                              std::vector<RecomputedResult>& different) {
  Ladder& ladder = ladders_[static_cast<std::size_t>(match.player_count())];
  const std::optional<rating::Model> model = ModelOf(seasons, match.player_count(), match.season);
  if (!model) return error::SeasonLost();
  std::vector<Standing> before;
  before.reserve(match.entries.size());
  for (const LedgerEntry& entry : match.entries) {
    const Entry& standing = ladder[entry.player];
    before.push_back({.player = entry.player,
                      .bot = entry.bot,
                      .skill = standing.skill,
                      .match_count = standing.match_count,
                      .update_time = standing.update_time});
  }
  const RatedMatch rated =
      RateMatch(ResultOf(match), before, *model, SeasonChanges(seasons, match.player_count()));
  for (std::size_t i = 0; i < match.entries.size(); ++i) {
    const Standing& after = rated.after[i];
    Entry& standing = ladder[after.player];
    standing.skill = after.skill;
    standing.match_count = after.match_count;
    standing.update_time = after.update_time;
    const LedgerEntry& stored = match.entries[i];
    const LedgerEntry& computed = rated.entries[i];
    if (stored.before == computed.before && stored.after == computed.after) continue;
    different.push_back({.sequence = match.sequence,
                         .player = computed.player,
                         .before = computed.before,
                         .after = computed.after});
  }
  return absl::OkStatus();
}

std::vector<LadderStanding> LedgerFold::TakeChanged() {
  std::sort(changed_.begin(), changed_.end());
  std::vector<LadderStanding> standings;
  standings.reserve(changed_.size());
  for (const auto& [player, player_count] : changed_) {
    Entry& entry = ladders_[static_cast<std::size_t>(player_count)].at(player);
    entry.changed = false;
    standings.push_back({.player_count = player_count,
                         .standing = {.player = player,
                                      .skill = entry.skill,
                                      .match_count = entry.match_count,
                                      .void_count = entry.void_count,
                                      .update_time = entry.update_time}});
  }
  changed_.clear();
  return standings;
}

}  // namespace tarot::ratings_service
