#include "services/ratings/app/ledger.h"

#include <algorithm>

#include "libs/base/status_macros.h"
#include "services/ratings/app/limits.h"

namespace tarot::ratings_service {
namespace {

MatchResult ResultOf(const LedgerMatch& match) {
  MatchResult result{
      .table = match.table, .deal_count = match.deal_count, .match_time = match.match_time};
  for (const LedgerEntry& entry : match.entries) {
    result.players.push_back({.player = entry.player, .bot = entry.bot, .total = entry.total});
  }
  return result;
}

// Returns the standing after `entry`, for a match at `match_time`.
Standing After(const Standing& before, const LedgerEntry& entry, absl::Time match_time) {
  Standing after = before;
  after.skill = entry.after;
  after.match_count = before.match_count + 1;
  // A result may arrive after a newer one. Time that already counted as absence must not count
  // again.
  after.update_time =
      before.match_count == 0 ? match_time : std::max(before.update_time, match_time);
  return after;
}

void Fold(const LedgerMatch& match, Standings& standings) {
  const MatchResult result = ResultOf(match);
  std::vector<Standing> before;
  for (const MatchPlayer& player : result.players) {
    Standing& standing = standings[{result.player_count(), player.player}];
    standing.player = player.player;
    standing.bot = player.bot;
    before.push_back(standing);
  }
  for (const Standing& after : RateMatch(result, before).after) {
    standings[{result.player_count(), after.player}] = after;
  }
}

}  // namespace

RatedMatch RateMatch(const MatchResult& match, absl::Span<const Standing> standings) {
  const rating::Model model = rating::Model::ForTable(match.player_count());
  std::vector<rating::Entrant> entrants;
  for (std::size_t i = 0; i < standings.size(); ++i) {
    const Standing& standing = standings[i];
    const MatchPlayer& player = match.players[i];
    entrants.push_back(
        {.skill = standing.match_count == 0
                      ? model.Prior()
                      : model.Aged(standing.skill, match.match_time - standing.update_time),
         .points_per_deal = static_cast<double>(player.total) / match.deal_count,
         .bot = player.bot});
  }
  const std::vector<rating::Skill> after = rating::Rate(model, entrants, match.deal_count);
  RatedMatch rated{.surprises = rating::Surprises(model, entrants, match.deal_count)};
  for (std::size_t i = 0; i < entrants.size(); ++i) {
    rated.entries.push_back({.player = match.players[i].player,
                             .bot = match.players[i].bot,
                             .total = match.players[i].total,
                             .before = entrants[i].skill,
                             .after = after[i]});
    rated.after.push_back(After(standings[i], rated.entries[i], match.match_time));
  }
  return rated;
}

absl::StatusOr<Standings> Recompute(RatingStore& store) {
  Standings standings;
  for (std::int64_t after = 0;;) {
    TAROT_ASSIGN_OR_RETURN(const std::vector<LedgerMatch> matches,
                           store.ReadLedger(after, kMatchesPerRead));
    if (matches.empty()) return standings;
    for (const LedgerMatch& match : matches) Fold(match, standings);
    after = matches.back().sequence;
  }
}

}  // namespace tarot::ratings_service
