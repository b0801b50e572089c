// RatingStore in memory, for tests and the simulation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "libs/base/error.h"
#include "libs/testkit/fake_statements.h"
#include "services/ratings/app/rating_service.h"

namespace tarot::ratings_service {

struct FakeRatings {
  struct Person {
    std::string display_name;
    bool bot = false;
  };
  struct StoredMatch : LedgerMatch {
    bool rated = true;
  };

  std::map<PlayerId, Person> people;
  std::map<std::pair<int, PlayerId>, Standing> standings;
  std::vector<StoredMatch> ledger;                 // The sequence of a match is its index plus one.
  std::map<std::int64_t, Revocation> revocations;  // By sequence.
  std::int64_t last_revocation = 0;
  std::vector<Season> seasons;

  void Append(const MatchResult& match, std::vector<LedgerEntry> entries) {
    StoredMatch stored;
    stored.sequence = static_cast<std::int64_t>(ledger.size()) + 1;
    stored.table = match.table;
    stored.deal_count = match.deal_count;
    stored.match_time = match.match_time;
    stored.entries = std::move(entries);
    stored.rated = match.rated;
    stored.season = match.season;
    ledger.push_back(std::move(stored));
  }

  bool IsRecorded(TableId table) const {
    return std::any_of(ledger.begin(), ledger.end(),
                       [&](const LedgerMatch& match) { return match.table == table; });
  }

  Standing Find(int player_count, PlayerId player) const {
    Standing standing{.player = player};
    if (const auto rated = standings.find({player_count, player}); rated != standings.end()) {
      standing = rated->second;
    }
    if (const auto person = people.find(player); person != people.end()) {
      standing.display_name = person->second.display_name;
      standing.bot = person->second.bot;
    }
    return standing;
  }

  static bool HoldsPlace(const Standing& standing, const PlaceRule& rule) {
    const double absence = std::max(0.0, absl::ToDoubleSeconds(rule.now - standing.update_time));
    return standing.skill.variance + rule.variance_growth_per_second * absence <= rule.variance_max;
  }

  LadderStanding OnLadder(int player_count, PlayerId player) const {
    return {.player_count = player_count, .standing = standings.at({player_count, player})};
  }
};

// Thread-safe. This store and the store on Postgres pass the same tests (rating_store_contract.h).
class FakeRatingStore : public RatingStore, public testkit::FakeStatements<FakeRatings> {
 public:
  absl::StatusOr<MatchState> ReadMatchState(const MatchResult& match) override {
    return Run([=](const FakeRatings& data) -> absl::StatusOr<MatchState> {
      MatchState state{.recorded = data.IsRecorded(match.table)};
      for (const MatchPlayer& player : match.players) {
        Standing standing = data.Find(match.player_count(), player.player);
        standing.display_name = player.display_name;
        standing.bot = player.bot;
        state.standings.push_back(std::move(standing));
      }
      for (const Season& season : data.seasons) {
        const bool own = season.numbers.player_count == match.player_count();
        if (own) state.season = std::max(state.season, season.number);
      }
      return state;
    });
  }

  absl::StatusOr<bool> Record(const MatchResult& match, const RatedMatch& rated) override {
    return Run([=](FakeRatings& data) -> absl::StatusOr<bool> {
      if (data.IsRecorded(match.table)) return false;
      for (const Standing& after : rated.after) {
        const Standing before = data.Find(match.player_count(), after.player);
        if (before.match_count + 1 == after.match_count) continue;
        return Error(absl::StatusCode::kAborted, "STORAGE_CONFLICT",
                     "Another match of a player was stored first.");
      }
      for (const MatchPlayer& player : match.players) {
        data.people[player.player] = {.display_name = player.display_name, .bot = player.bot};
      }
      for (const Standing& after : rated.after) {
        data.standings[{match.player_count(), after.player}] = after;
      }
      data.Append(match, rated.entries);
      return true;
    });
  }

  absl::StatusOr<bool> RecordUnrated(const MatchResult& match) override {
    return Run([=](FakeRatings& data) -> absl::StatusOr<bool> {
      if (data.IsRecorded(match.table)) return false;
      std::vector<LedgerEntry> entries;
      for (const MatchPlayer& player : match.players) {
        data.people[player.player] = {.display_name = player.display_name, .bot = player.bot};
        entries.push_back({.player = player.player, .bot = player.bot, .total = player.total});
      }
      data.Append(match, std::move(entries));
      return true;
    });
  }

  absl::StatusOr<std::vector<Standing>> GetStandings(int player_count,
                                                     absl::Span<const PlayerId> players) override {
    const std::vector<PlayerId> wanted(players.begin(), players.end());
    return Run([=](const FakeRatings& data) -> absl::StatusOr<std::vector<Standing>> {
      std::vector<Standing> standings;
      for (const PlayerId player : wanted) standings.push_back(data.Find(player_count, player));
      return standings;
    });
  }

  absl::StatusOr<std::vector<Standing>> ListProvisional(const ProvisionalQuery& query) override {
    return Run([=](const FakeRatings& data) -> absl::StatusOr<std::vector<Standing>> {
      const auto key = [](const Standing& standing) {
        return PlaceKey{.mu = standing.skill.mu, .player = standing.player};
      };
      std::vector<Standing> standings;
      for (const auto& [ladder, standing] : data.standings) {
        if (ladder.first != query.player_count || FakeRatings::HoldsPlace(standing, query.rule)) {
          continue;
        }
        const bool beyond = !query.past || (query.upwards ? key(standing) > *query.past
                                                          : key(standing) < *query.past);
        if (beyond) standings.push_back(data.Find(ladder.first, ladder.second));
      }
      std::sort(standings.begin(), standings.end(), [&](const Standing& a, const Standing& b) {
        return query.upwards ? key(a) < key(b) : key(a) > key(b);
      });
      standings.resize(std::min(standings.size(), static_cast<std::size_t>(query.limit)));
      return standings;
    });
  }

  absl::StatusOr<std::vector<LadderStanding>> ListStandings(PlayerId player, int player_count,
                                                            int limit) override {
    return Run([=](const FakeRatings& data) -> absl::StatusOr<std::vector<LadderStanding>> {
      std::set<std::pair<PlayerId, int>> keys;
      for (const auto& [key, standing] : data.standings) keys.emplace(key.second, key.first);
      std::vector<LadderStanding> standings;
      for (auto key = keys.upper_bound({player, player_count});
           key != keys.end() && static_cast<int>(standings.size()) < limit; ++key) {
        standings.push_back(data.OnLadder(key->second, key->first));
      }
      return standings;
    });
  }

  // The cursor is the number of matches in the ledger.
  absl::StatusOr<StandingChanges> ReadChangedStandings(
      std::optional<std::int64_t> cursor) override {
    return Run([=](const FakeRatings& data) -> absl::StatusOr<StandingChanges> {
      StandingChanges changes{.cursor = static_cast<std::int64_t>(data.ledger.size())};
      if (!cursor) return changes;
      for (const FakeRatings::StoredMatch& match : data.ledger) {
        if (!match.rated || match.sequence <= *cursor) continue;
        for (const LedgerEntry& entry : match.entries) {
          changes.standings.push_back(
              data.OnLadder(static_cast<int>(match.entries.size()), entry.player));
        }
      }
      return changes;
    });
  }

  absl::StatusOr<std::vector<RatingChange>> ListChanges(int player_count, PlayerId player,
                                                        std::int64_t before, int limit) override {
    return Run([=](const FakeRatings& data) -> absl::StatusOr<std::vector<RatingChange>> {
      std::vector<RatingChange> changes;
      for (auto match = data.ledger.rbegin(); match != data.ledger.rend(); ++match) {
        const bool wanted = match->rated &&
                            static_cast<int>(match->entries.size()) == player_count &&
                            match->sequence < before && static_cast<int>(changes.size()) < limit;
        for (const LedgerEntry& entry : match->entries) {
          if (!wanted || entry.player != player) continue;
          changes.push_back({.sequence = match->sequence,
                             .table = match->table,
                             .deal_count = match->deal_count,
                             .total = entry.total,
                             .luck = entry.luck ? std::optional(entry.luck->luck) : std::nullopt,
                             .before = entry.before,
                             .after = entry.after,
                             .match_time = match->match_time});
        }
      }
      return changes;
    });
  }

  absl::StatusOr<std::vector<PlayedMatch>> ListMatches(PlayerId player, std::int64_t before,
                                                       int limit) override {
    return Run([=](const FakeRatings& data) -> absl::StatusOr<std::vector<PlayedMatch>> {
      std::vector<PlayedMatch> matches;
      for (auto stored = data.ledger.rbegin(); stored != data.ledger.rend(); ++stored) {
        PlayedMatch match{.sequence = stored->sequence,
                          .table = stored->table,
                          .deal_count = stored->deal_count,
                          .match_time = stored->match_time};
        bool own = false;
        for (const LedgerEntry& entry : stored->entries) {
          match.players.push_back({.player = entry.player,
                                   .display_name = data.people.at(entry.player).display_name,
                                   .bot = entry.bot,
                                   .total = entry.total});
          if (entry.player != player) continue;
          own = true;
          if (!stored->rated) continue;
          match.before = entry.before;
          match.after = entry.after;
        }
        const bool wanted = own && stored->sequence < before;
        if (wanted && static_cast<int>(matches.size()) < limit) matches.push_back(std::move(match));
      }
      return matches;
    });
  }

  absl::StatusOr<std::vector<LedgerMatch>> ReadLedger(std::int64_t after, int limit) override {
    return Run([=](const FakeRatings& data) -> absl::StatusOr<std::vector<LedgerMatch>> {
      std::vector<LedgerMatch> matches;
      for (const FakeRatings::StoredMatch& match : data.ledger) {
        if (match.rated && match.sequence > after && static_cast<int>(matches.size()) < limit) {
          matches.push_back(match);
        }
      }
      return matches;
    });
  }

  absl::StatusOr<std::vector<Season>> ReadSeasons() override {
    return Run([](const FakeRatings& data) -> absl::StatusOr<std::vector<Season>> {
      return data.seasons;
    });
  }

  absl::Status AddSeason(const Season& season) override {
    return Run([=](FakeRatings& data) -> absl::StatusOr<bool> {
             for (const Season& other : data.seasons) {
               if (other.numbers.player_count != season.numbers.player_count ||
                   other.number != season.number) {
                 continue;
               }
               return Error(absl::StatusCode::kAborted, "STORAGE_CONFLICT",
                            "Another season was stored first.");
             }
             data.seasons.push_back(season);
             return true;
           })
        .status();
  }

  absl::StatusOr<std::int64_t> CountPlayers() override {
    return Run([](const FakeRatings& data) -> absl::StatusOr<std::int64_t> {
      std::set<PlayerId> players;
      for (const auto& [key, standing] : data.standings) players.insert(key.second);
      return static_cast<std::int64_t>(players.size());
    });
  }

  absl::StatusOr<std::vector<RankedName>> ListRankedNames(const RankedName& after, absl::Time since,
                                                          int limit) override {
    return Run([=](const FakeRatings& data) -> absl::StatusOr<std::vector<RankedName>> {
      const auto place = [](const RankedName& name) {
        return std::tie(name.update_time, name.player, name.player_count);
      };
      std::vector<RankedName> names;
      for (const auto& [key, standing] : data.standings) {
        const auto person = data.people.find(key.second);
        const RankedName name{.display_name = person->second.display_name,
                              .update_time = standing.update_time,
                              .player = key.second,
                              .player_count = key.first};
        const bool recent = standing.update_time >= since && place(name) < place(after);
        if (recent && !person->second.bot) names.push_back(name);
      }
      std::sort(names.begin(), names.end(),
                [&](const RankedName& a, const RankedName& b) { return place(b) < place(a); });
      names.resize(std::min(names.size(), static_cast<std::size_t>(limit)));
      return names;
    });
  }

  absl::StatusOr<bool> Revoke(const Revocation& revocation, int limit) override {
    return Run([=](FakeRatings& data) -> absl::StatusOr<bool> {
      if (!data.revocations.empty() &&
          data.last_revocation - data.revocations.begin()->first + 1 >= limit) {
        return false;
      }
      Revocation stored = revocation;
      stored.sequence = ++data.last_revocation;
      for (auto old = data.revocations.begin(); old != data.revocations.end();) {
        if (old->second.subject != stored.subject) {
          ++old;
          continue;
        }
        stored.latest_sign_in_time =
            std::max(stored.latest_sign_in_time, old->second.latest_sign_in_time);
        stored.expire_time = std::max(stored.expire_time, old->second.expire_time);
        old = data.revocations.erase(old);
      }
      data.revocations[stored.sequence] = stored;
      return true;
    });
  }

  absl::StatusOr<RevocationPage> ListRevocations(std::int64_t after, int limit) override {
    return Run([=](const FakeRatings& data) -> absl::StatusOr<RevocationPage> {
      RevocationPage page{.known_sequence = data.last_revocation,
                          .last_sequence = data.last_revocation};
      for (auto each = data.revocations.upper_bound(after); each != data.revocations.end();
           ++each) {
        page.revocations.push_back(each->second);
        if (static_cast<int>(page.revocations.size()) < limit) continue;
        page.known_sequence = each->first;
        break;
      }
      return page;
    });
  }

  absl::StatusOr<int> RemoveRevocations(absl::Time now, int limit) override {
    return Run([=](FakeRatings& data) -> absl::StatusOr<int> {
      int removed = 0;
      for (auto each = data.revocations.begin(); each != data.revocations.end();) {
        const bool expired = each->second.expire_time <= now && removed < limit;
        removed += expired ? 1 : 0;
        each = expired ? data.revocations.erase(each) : std::next(each);
      }
      return removed;
    });
  }
};

}  // namespace tarot::ratings_service
