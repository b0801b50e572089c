// Defines the RatingStore in memory, for tests and the simulation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/testkit/fake_statements.h"
#include "services/ratings/app/rating_store.h"

namespace tarot::ratings_service {

struct FakeRatings {
  struct Person {
    std::string display_name;
    bool bot = false;
    std::string country;
    std::int64_t country_event = 0;  // The value of `events` when `country` was set the last time.
    bool deleted = false;
  };
  struct StoredMatch : LedgerMatch {
    bool rated = true;
    std::int64_t event = 0;
    std::vector<PlayerId> seats;
    std::vector<DealtDeal> deals;
  };

  std::map<PlayerId, Person> people;
  std::int64_t events = 0;  // The number of stored matches plus the number of changes of countries.
  std::map<std::pair<int, PlayerId>, Standing> standings;
  // The sequence number of a match is its index plus one.
  std::vector<StoredMatch> ledger;
  std::map<std::int64_t, Revocation> revocations;  // By sequence.
  std::int64_t last_revocation = 0;
  std::map<PlayerId, Ban> bans;
  LimitValues gateway_limits;
  std::vector<Season> seasons;
  // The key is the sequence number of a void match. The value is the number of the ResultVoid that
  // covers the match.
  std::map<std::int64_t, int> voided;
  int void_count = 0;
  std::map<std::pair<std::int64_t, PlayerId>, RecomputedResult> recomputed;
  std::int64_t recomputation = 0;
  bool recomputing = false;
  bool blocked = false;  // True while a recomputation makes new matches wait.

  void Append(const MatchResult& match, std::vector<LedgerEntry> entries) {
    StoredMatch stored;
    stored.sequence = static_cast<std::int64_t>(ledger.size()) + 1;
    stored.table = match.table;
    stored.deal_count = match.deal_count;
    stored.match_time = match.match_time;
    stored.entries = std::move(entries);
    stored.rated = match.rated;
    stored.event = ++events;
    stored.season = match.season;
    stored.seats = match.seats;
    stored.deals = match.deals;
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
      standing.country = person->second.country;
    }
    return standing;
  }

  static bool HoldsPlace(const Standing& standing, const PlaceRule& rule) {
    return standing.skill.variance + rule.Growth(standing.update_time, rule.now) <=
           rule.variance_max;
  }

  // Returns the result that the last recomputation stored. If it stored no result, returns the
  // result in the ledger.
  RecomputedResult ResultOf(const StoredMatch& match, const LedgerEntry& entry) const {
    const auto found = recomputed.find({match.sequence, entry.player});
    if (found != recomputed.end()) return found->second;
    return {.before = entry.before, .after = entry.after};
  }

  void Store(const MatchResult& match, const std::optional<RatedMatch>& rated) {
    std::vector<LedgerEntry> entries;
    for (const MatchPlayer& player : match.players) {
      Person& person = people[player.player];
      if (!person.deleted) person.display_name = player.display_name;
      person.bot = player.bot;
      entries.push_back(
          {.player = player.player, .bot = player.bot, .total = player.total, .left = player.left});
    }
    Append(match, rated ? rated->entries : entries);
    if (!rated) return;
    for (const Standing& after : rated->after) {
      standings[{match.player_count(), after.player}] = after;
    }
  }

  LadderStanding OnLadder(int player_count, PlayerId player) const {
    LadderStanding ladder{.player_count = player_count,
                          .standing = standings.at({player_count, player})};
    ladder.standing.country = people.at(player).country;
    return ladder;
  }
};

// Thread-safe. This store and the store on Postgres pass the same tests (rating_store_contract.h).
class FakeRatingStore : public RatingStore, public testkit::FakeStatements<FakeRatings> {
 public:
  absl::StatusOr<std::vector<Recorded>> RecordBatch(const std::vector<MatchResult>& matches,
                                                    const RateBatch& rate) override {
    return Run([=](FakeRatings& data) -> absl::StatusOr<std::vector<Recorded>> {
      if (data.blocked) {
        return Error(absl::StatusCode::kUnavailable, "STORAGE_SLOW", "A recomputation ends.");
      }
      BatchState state{.standings = data.standings};
      for (const MatchResult& match : matches) {
        state.recorded.push_back(data.IsRecorded(match.table));
      }
      for (const Season& season : data.seasons) {
        int& newest = state.newest_seasons[season.numbers.player_count];
        newest = std::max(newest, season.number);
      }
      const std::vector<std::optional<RatedMatch>> rated = rate(matches, state);
      std::vector<Recorded> results;
      for (std::size_t i = 0; i < matches.size(); ++i) {
        const bool left_out = matches[i].rated && !rated[i];
        results.push_back(state.recorded[i] ? Recorded::kBefore
                          : left_out        ? Recorded::kLeftOut
                                            : Recorded::kNow);
        if (results.back() == Recorded::kNow) data.Store(matches[i], rated[i]);
      }
      return results;
    });
  }

  absl::StatusOr<VoidCount> AddVoid(const ResultVoid& added) override {
    return Run([=](FakeRatings& data) -> absl::StatusOr<VoidCount> {
      VoidCount count{.found = added.player && data.people.contains(*added.player)};
      std::vector<std::int64_t> fresh;
      for (const FakeRatings::StoredMatch& match : data.ledger) {
        const auto is_player = [&](const LedgerEntry& entry) {
          return entry.player == added.player;
        };
        const bool covered = added.table == match.table ||
                             (match.match_time >= added.since &&
                              std::any_of(match.entries.begin(), match.entries.end(), is_player));
        if (!covered) continue;
        count.found = true;
        if (!match.rated) continue;
        ++count.rated;
        if (!data.voided.contains(match.sequence)) fresh.push_back(match.sequence);
      }
      count.voided = static_cast<int>(fresh.size());
      if (!fresh.empty()) ++data.void_count;
      for (const std::int64_t sequence : fresh) data.voided[sequence] = data.void_count;
      return count;
    });
  }

  absl::StatusOr<std::unique_ptr<Recomputation>> BeginRecomputation() override {
    TAROT_ASSIGN_OR_RETURN(const int last_void, Run([](FakeRatings& data) -> absl::StatusOr<int> {
                             if (data.recomputing) {
                               return Error(absl::StatusCode::kAborted, "STORAGE_CONFLICT",
                                            "Another recomputation runs.");
                             }
                             data.recomputing = true;
                             return data.void_count;
                           }));
    return std::make_unique<FakeRecomputation>(*this, last_void);
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
        if (ladder.first != query.player_count || standing.match_count == 0 ||
            FakeRatings::HoldsPlace(standing, query.rule)) {
          continue;
        }
        const std::string& country = data.people.at(ladder.second).country;
        if (!query.country.empty() && country != query.country) continue;
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
      for (const auto& [key, standing] : data.standings) {
        if (standing.match_count > 0) keys.emplace(key.second, key.first);
      }
      std::vector<LadderStanding> standings;
      for (auto key = keys.upper_bound({player, player_count});
           key != keys.end() && static_cast<int>(standings.size()) < limit; ++key) {
        standings.push_back(data.OnLadder(key->second, key->first));
      }
      return standings;
    });
  }

  // The cursor is FakeRatings::events.
  absl::StatusOr<StandingChanges> ReadChangedStandings(
      std::optional<std::int64_t> cursor) override {
    return Run([=](const FakeRatings& data) -> absl::StatusOr<StandingChanges> {
      StandingChanges changes{.cursor = data.events, .recomputation = data.recomputation};
      if (!cursor) return changes;
      for (const FakeRatings::StoredMatch& match : data.ledger) {
        if (!match.rated || match.event <= *cursor) continue;
        for (const LedgerEntry& entry : match.entries) {
          changes.standings.push_back(
              data.OnLadder(static_cast<int>(match.entries.size()), entry.player));
        }
      }
      for (const auto& [key, standing] : data.standings) {
        if (data.people.at(key.second).country_event <= *cursor) continue;
        changes.standings.push_back(data.OnLadder(key.first, key.second));
      }
      return changes;
    });
  }

  absl::StatusOr<ResultPage> ListResults(std::optional<std::int64_t> before, int count) override {
    return Run([=](const FakeRatings& data) -> absl::StatusOr<ResultPage> {
      const std::int64_t end = before.value_or(static_cast<std::int64_t>(data.ledger.size()) + 1);
      ResultPage page{.first_sequence = std::max<std::int64_t>(1, end - count)};
      for (auto match = data.ledger.rbegin(); match != data.ledger.rend(); ++match) {
        if (!match->rated || match->sequence >= end || match->sequence < page.first_sequence) {
          continue;
        }
        for (const LedgerEntry& entry : match->entries) {
          page.results.push_back({.player_count = match->player_count(),
                                  .player = entry.player,
                                  .match_time = match->match_time,
                                  .before = data.ResultOf(*match, entry).before});
        }
      }
      return page;
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
          const RecomputedResult result = data.ResultOf(*match, entry);
          changes.push_back({.sequence = match->sequence,
                             .table = match->table,
                             .deal_count = match->deal_count,
                             .total = entry.total,
                             .luck = entry.luck ? std::optional(entry.luck->luck) : std::nullopt,
                             .before = result.before,
                             .after = result.after,
                             .match_time = match->match_time});
        }
      }
      return changes;
    });
  }

  absl::StatusOr<std::vector<ScoredDeal>> ListScoredDeals(int player_count, PlayerId player,
                                                          std::int64_t before,
                                                          int matches_max) override {
    return Run([=](const FakeRatings& data) -> absl::StatusOr<std::vector<ScoredDeal>> {
      std::vector<ScoredDeal> deals;
      int matches = 0;
      for (auto match = data.ledger.rbegin(); match != data.ledger.rend(); ++match) {
        if (!match->rated || match->player_count() != player_count || match->sequence >= before) {
          continue;
        }
        const auto entry =
            std::find_if(match->entries.begin(), match->entries.end(),
                         [&](const LedgerEntry& each) { return each.player == player; });
        if (entry == match->entries.end() || !data.ResultOf(*match, *entry).after) continue;
        if (++matches > matches_max) break;
        const auto seat = std::find(match->seats.begin(), match->seats.end(), player);
        for (const DealtDeal& deal : match->deals) {
          if (deal.outcome != DealOutcome::kScored) continue;
          deals.push_back({.sequence = match->sequence,
                           .season = match->season,
                           .seat = static_cast<std::size_t>(seat - match->seats.begin()),
                           .deal = deal});
        }
      }
      return deals;
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
          const RecomputedResult result = data.ResultOf(*stored, entry);
          match.voided = !result.after;
          match.before = result.before;
          match.after = result.after;
        }
        const bool wanted = own && stored->sequence < before;
        if (wanted && static_cast<int>(matches.size()) < limit) matches.push_back(std::move(match));
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
      for (const auto& [key, standing] : data.standings) {
        if (standing.match_count > 0) players.insert(key.second);
      }
      return static_cast<std::int64_t>(players.size());
    });
  }

  absl::StatusOr<bool> SetCountry(PlayerId player, const std::string& country) override {
    return Run([=](FakeRatings& data) -> absl::StatusOr<bool> {
      const auto person = data.people.find(player);
      if (person == data.people.end()) return false;
      person->second.country = country;
      person->second.country_event = ++data.events;
      return true;
    });
  }

  // Ignores the case of ASCII letters, but not accents.
  absl::StatusOr<std::vector<PlayerId>> SearchPlayers(const std::string& text, PlayerId after,
                                                      int limit) override {
    return Run([=](const FakeRatings& data) -> absl::StatusOr<std::vector<PlayerId>> {
      std::set<std::pair<std::string, PlayerId>> names;
      for (const auto& [player, person] : data.people) {
        if (!person.deleted) names.emplace(absl::AsciiStrToLower(person.display_name), player);
      }
      const auto last = data.people.find(after);
      const std::string begin =
          last == data.people.end() ? "" : absl::AsciiStrToLower(last->second.display_name);
      std::vector<PlayerId> found;
      for (auto name = names.upper_bound({begin, after});
           name != names.end() && static_cast<int>(found.size()) < limit; ++name) {
        if (!absl::StartsWith(name->first, absl::AsciiStrToLower(text))) continue;
        found.push_back(name->second);
      }
      return found;
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
        const bool recent =
            standing.match_count > 0 && standing.update_time >= since && place(name) < place(after);
        const FakeRatings::Person& of = person->second;
        if (recent && !of.bot && !of.deleted) names.push_back(name);
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
      std::map<std::int64_t, Revocation> all = data.revocations;
      for (const auto& [player, ban] : data.bans) {
        all[ban.sequence] = {.sequence = ban.sequence,
                             .subject = player.uuid,
                             .expire_time = ban.end_time,
                             .ban = true,
                             .message = ban.message};
      }
      for (auto each = all.upper_bound(after); each != all.end(); ++each) {
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

  absl::Status SetBan(const Ban& ban) override {
    return Run([=](FakeRatings& data) {
      data.bans[ban.player] = ban;
      data.bans[ban.player].sequence = ++data.last_revocation;
      return absl::OkStatus();
    });
  }

  absl::StatusOr<std::vector<Ban>> ListBans(absl::Time now, std::int64_t before,
                                            int limit) override {
    return Run([=](const FakeRatings& data) -> absl::StatusOr<std::vector<Ban>> {
      std::vector<Ban> bans;
      for (const auto& [player, ban] : data.bans) {
        if (ban.end_time > now && ban.sequence < before) bans.push_back(ban);
      }
      std::sort(bans.begin(), bans.end(),
                [](const Ban& a, const Ban& b) { return a.sequence > b.sequence; });
      bans.resize(std::min(bans.size(), static_cast<std::size_t>(limit)));
      return bans;
    });
  }

  absl::StatusOr<LimitValues> GatewayLimits() override {
    return Run([=](const FakeRatings& data) -> absl::StatusOr<LimitValues> {
      return data.gateway_limits;
    });
  }

  absl::Status SetGatewayLimits(const LimitValues& set,
                                const std::vector<std::string>& reset) override {
    return Run([=](FakeRatings& data) {
      for (const std::string& name : reset) data.gateway_limits.erase(name);
      for (const auto& [name, value] : set) data.gateway_limits[name] = value;
      return absl::OkStatus();
    });
  }

  absl::StatusOr<std::string> ExportPlayer(PlayerId player) override {
    return Run([=](const FakeRatings& data) -> absl::StatusOr<std::string> {
      const auto person = data.people.find(player);
      return absl::StrCat("{\"display_name\": \"",
                          person == data.people.end() ? "" : person->second.display_name, "\"}");
    });
  }

  absl::Status DeletePlayer(PlayerId player, absl::Time) override {
    return Run([=](FakeRatings& data) {
      FakeRatings::Person& person = data.people[player];
      person.display_name = kDeletedName;
      person.country.clear();
      person.country_event = ++data.events;
      person.deleted = true;
      return absl::OkStatus();
    });
  }

 private:
  // Holds the new ratings. Finish() copies them into the store.
  class FakeRecomputation final : public Recomputation {
   public:
    FakeRecomputation(FakeRatingStore& store, int last_void)
        : store_(store), last_void_(last_void) {}
    ~FakeRecomputation() override {
      store_.RunNow([](FakeRatings& data) { data.recomputing = data.blocked = false; });
    }

    absl::StatusOr<std::vector<LedgerMatch>> ReadMatches(int limit) override {
      auto read =
          store_.Run([=, after = after_, last_void = last_void_](
                         const FakeRatings& data) -> absl::StatusOr<std::vector<LedgerMatch>> {
            std::vector<LedgerMatch> matches;
            for (const FakeRatings::StoredMatch& match : data.ledger) {
              const bool next = match.rated && match.sequence > after;
              if (!next || static_cast<int>(matches.size()) == limit) continue;
              matches.push_back(match);
              const auto found = data.voided.find(match.sequence);
              matches.back().voided = found != data.voided.end() && found->second <= last_void;
            }
            return matches;
          });
      if (read.ok() && !read->empty()) after_ = read->back().sequence;
      return read;
    }

    absl::Status AddResults(absl::Span<const RecomputedResult> results) override {
      for (const RecomputedResult& result : results) {
        results_[{result.sequence, result.player}] = result;
      }
      return absl::OkStatus();
    }

    absl::Status SetStandings(absl::Span<const LadderStanding> standings) override {
      for (const auto& [player_count, standing] : standings) {
        standings_[{player_count, standing.player}] = standing;
      }
      return absl::OkStatus();
    }

    absl::Status BlockRecording() override {
      return store_.Run([](FakeRatings& data) {
        data.blocked = true;
        return absl::OkStatus();
      });
    }

    absl::Status Finish() override {
      return store_.Run([standings = standings_, results = results_](FakeRatings& data) {
        data.standings = standings;
        data.recomputed = results;
        ++data.recomputation;
        return absl::OkStatus();
      });
    }

   private:
    FakeRatingStore& store_;
    const int last_void_;
    std::int64_t after_ = 0;
    Standings standings_;
    std::map<std::pair<std::int64_t, PlayerId>, RecomputedResult> results_;
  };
};

}  // namespace tarot::ratings_service
