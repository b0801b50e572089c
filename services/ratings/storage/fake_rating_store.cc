#include "services/ratings/storage/fake_rating_store.h"

#include <algorithm>

#include "services/ratings/app/ledger.h"

namespace tarot::ratings {
namespace {

bool HoldsAPlace(const Standing& standing, const PlaceRule& rule) {
  const double absence = std::max(0.0, absl::ToDoubleSeconds(rule.now - standing.update_time));
  return standing.skill.variance + rule.variance_growth_per_second * absence <= rule.variance_max;
}

}  // namespace

absl::StatusOr<RatingStore::Recorded> FakeRatingStore::Record(const MatchResult& match,
                                                              Rater rate) {
  const std::lock_guard lock(mutex_);
  for (const LedgerMatch& old : ledger_) {
    if (old.table == match.table) return Recorded{.replayed = true};
  }
  Recorded recorded;
  std::vector<Standing> before;
  for (const MatchPlayer& player : match.players) {
    const Person person{.display_name = player.display_name, .bot = player.bot};
    if (people_.insert_or_assign(player.player, person).second) ++recorded.new_player_count;
    before.push_back(Find(match.player_count(), player.player));
  }
  LedgerMatch entry{.sequence = static_cast<std::int64_t>(ledger_.size()) + 1,
                    .table = match.table,
                    .deal_count = match.deal_count,
                    .match_time = match.match_time,
                    .entries = rate(before)};
  for (std::size_t i = 0; i < before.size(); ++i) {
    standings_[{match.player_count(), before[i].player}] =
        After(before[i], entry.entries[i], match.match_time);
  }
  ledger_.push_back(std::move(entry));
  return recorded;
}

absl::StatusOr<std::vector<Place>> FakeRatingStore::GetPlaces(int player_count,
                                                              const PlaceRule& rule,
                                                              absl::Span<const PlayerId> players) {
  const std::lock_guard lock(mutex_);
  const std::vector<Place> board = Sorted(player_count, rule);
  std::vector<Place> places;
  for (const PlayerId player : players) {
    const auto found = std::find_if(board.begin(), board.end(), [&](const Place& place) {
      return place.standing.player == player;
    });
    places.push_back(found != board.end() ? *found : Place{.standing = Find(player_count, player)});
  }
  return places;
}

absl::StatusOr<std::vector<Place>> FakeRatingStore::ListPlaces(const PlacesQuery& query) {
  const std::lock_guard lock(mutex_);
  std::vector<Place> board = Sorted(query.player_count, query.rule);
  if (query.upwards) std::reverse(board.begin(), board.end());
  std::vector<Place> places;
  for (const Place& place : board) {
    if (static_cast<int>(places.size()) == query.limit) break;
    const bool beyond =
        !query.past || (query.upwards ? place.key() > *query.past : place.key() < *query.past);
    if (beyond && query.provisional == !place.rank) places.push_back(place);
  }
  return places;
}

absl::StatusOr<std::vector<Change>> FakeRatingStore::ListChanges(int player_count, PlayerId player,
                                                                 std::int64_t before, int limit) {
  const std::lock_guard lock(mutex_);
  std::vector<Change> changes;
  for (auto match = ledger_.rbegin(); match != ledger_.rend(); ++match) {
    const bool wanted = static_cast<int>(match->entries.size()) == player_count &&
                        match->sequence < before && static_cast<int>(changes.size()) < limit;
    for (const LedgerEntry& entry : match->entries) {
      if (!wanted || entry.player != player) continue;
      changes.push_back({.sequence = match->sequence,
                         .table = match->table,
                         .deal_count = match->deal_count,
                         .total = entry.total,
                         .before = entry.before,
                         .after = entry.after,
                         .match_time = match->match_time});
    }
  }
  return changes;
}

absl::StatusOr<std::vector<LedgerMatch>> FakeRatingStore::ReadLedger(std::int64_t after,
                                                                     int limit) {
  const std::lock_guard lock(mutex_);
  std::vector<LedgerMatch> matches;
  for (const LedgerMatch& match : ledger_) {
    if (match.sequence > after && static_cast<int>(matches.size()) < limit) {
      matches.push_back(match);
    }
  }
  return matches;
}

absl::StatusOr<std::int64_t> FakeRatingStore::CountPlayers() {
  const std::lock_guard lock(mutex_);
  return static_cast<std::int64_t>(people_.size());
}

Standing FakeRatingStore::Find(int player_count, PlayerId player) const {
  Standing standing{.player = player};
  if (const auto rated = standings_.find({player_count, player}); rated != standings_.end()) {
    standing = rated->second;
  }
  if (const auto person = people_.find(player); person != people_.end()) {
    standing.display_name = person->second.display_name;
    standing.bot = person->second.bot;
  }
  return standing;
}

std::vector<Place> FakeRatingStore::Sorted(int player_count, const PlaceRule& rule) const {
  std::vector<Place> board;
  for (const auto& [key, standing] : standings_) {
    if (key.first == player_count) board.push_back({.standing = Find(player_count, key.second)});
  }
  std::sort(board.begin(), board.end(),
            [](const Place& a, const Place& b) { return a.key() > b.key(); });
  std::int64_t rank = 0;
  for (Place& place : board) {
    if (HoldsAPlace(place.standing, rule)) place.rank = ++rank;
  }
  return board;
}

}  // namespace tarot::ratings
