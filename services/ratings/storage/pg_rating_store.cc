#include "services/ratings/storage/pg_rating_store.h"

#include <algorithm>
#include <limits>
#include <map>
#include <pqxx/pqxx>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/base/check.h"
#include "libs/base/error.h"
#include "services/ratings/app/ledger.h"
#include "services/ratings/storage/statements.h"

namespace tarot::ratings {
namespace {

// Locks are taken in one order, so conflicts are rare; this many in a row mean trouble elsewhere.
constexpr int kAttemptsMax = 5;

// A snapshot for answers of two statements.
using ReadTransaction = pqxx::transaction<pqxx::repeatable_read, pqxx::read_only>;

std::string Timestamp(absl::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E6S+00:00", time, absl::UTCTimeZone());
}

std::string UuidArray(absl::Span<const PlayerId> players) {
  return absl::StrCat("{",
                      absl::StrJoin(players, ",",
                                    [](std::string* out, const PlayerId& player) {
                                      out->append(player.ToString());
                                    }),
                      "}");
}

template <typename SomeId>
SomeId IdOf(const pqxx::field& field) {
  const auto id = SomeId::Parse(field.c_str());
  TAROT_CHECK(id.has_value());  // The column is a uuid.
  return *id;
}

absl::Time TimeOf(const pqxx::field& micros) {
  return absl::FromUnixMicros(micros.as<std::int64_t>());
}

rating::Skill SkillOf(const pqxx::field& mu, const pqxx::field& variance) {
  return {.mu = mu.as<double>(), .variance = variance.as<double>()};
}

// The columns common to every statement that reads ratings.
Standing RatingOf(const pqxx::row& row) {
  return {.player = IdOf<PlayerId>(row["player_id"]),
          .skill = SkillOf(row["mu"], row["variance"]),
          .match_count = row["match_count"].as<int>(),
          .update_time = TimeOf(row["update_micros"])};
}

Place PlaceOf(const pqxx::row& row) {
  Place place{.standing = RatingOf(row)};
  place.standing.display_name = row["display_name"].as<std::string>();
  place.standing.bot = row["bot"].as<bool>();
  return place;
}

// In the order of the match's players, who are locked.
std::vector<Standing> ReadStandings(pqxx::work& tx, const MatchResult& match) {
  std::vector<PlayerId> players;
  for (const MatchPlayer& player : match.players) players.push_back(player.player);
  std::map<PlayerId, Standing> rated;
  for (const pqxx::row& row :
       tx.exec_prepared(kReadStandings.name, match.player_count(), UuidArray(players))) {
    const Standing standing = RatingOf(row);
    rated[standing.player] = standing;
  }
  std::vector<Standing> standings;
  for (const MatchPlayer& player : match.players) {
    Standing standing = rated[player.player];
    standing.player = player.player;
    standing.display_name = player.display_name;
    standing.bot = player.bot;
    standings.push_back(std::move(standing));
  }
  return standings;
}

RatingStore::Recorded RecordOnce(pqxx::connection& connection, const MatchResult& match,
                                 RatingStore::Rater rate) {
  RatingStore::Recorded recorded;
  pqxx::work tx(connection);
  for (const MatchPlayer& player : match.players) {  // By id: no two matches can deadlock.
    const pqxx::row locked = tx.exec_prepared1(kLockPlayer.name, player.player.ToString(),
                                               player.display_name, player.bot);
    if (locked["created"].as<bool>()) ++recorded.new_player_count;
  }
  const pqxx::result claimed =
      tx.exec_prepared(kRecordMatch.name, match.table.ToString(), match.player_count(),
                       match.deal_count, Timestamp(match.match_time));
  if (claimed.empty()) return {.replayed = true};  // Rolls the names back, too.
  const auto sequence = claimed[0]["sequence"].as<std::int64_t>();

  const std::vector<Standing> before = ReadStandings(tx, match);
  const std::vector<LedgerEntry> entries = rate(before);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const LedgerEntry& entry = entries[i];
    const Standing after = After(before[i], entry, match.match_time);
    tx.exec_prepared0(kStoreRating.name, sequence, entry.player.ToString(), match.player_count(),
                      entry.bot, entry.total, entry.before.mu, entry.before.variance,
                      entry.after.mu, entry.after.variance, after.match_count,
                      Timestamp(after.update_time));
  }
  tx.commit();
  return recorded;
}

// Gives the places of `places`, neighbours on the board and best first, their ranks.
void Rank(ReadTransaction& tx, const PlacesQuery& query, std::vector<Place>& places) {
  const PlaceKey best = places.front().key();
  auto rank = tx.exec_prepared1(kCountAbove.name, query.player_count, best.mu,
                                best.player.ToString(), Timestamp(query.rule.now),
                                query.rule.variance_growth_per_second, query.rule.variance_max)[0]
                  .as<std::int64_t>();
  for (Place& place : places) place.rank = ++rank;
}

}  // namespace

PgRatingStore::PgRatingStore(const std::string& dsn, int connections,
                             prometheus::Registry& registry)
    : pool_({.dsn = dsn, .connections = connections, .application_name = "tarot-ratings"},
            {kLockPlayer, kRecordMatch, kReadStandings, kStoreRating, kGetPlaces, kListBelow,
             kListAbove, kCountAbove, kListChanges, kReadLedger, kCountPlayers},
            registry) {}

absl::StatusOr<RatingStore::Recorded> PgRatingStore::Record(const MatchResult& match, Rater rate) {
  for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
    absl::StatusOr<Recorded> recorded =
        pool_.With(kRecordMatch, [&](pqxx::connection& connection) -> absl::StatusOr<Recorded> {
          return RecordOnce(connection, match, rate);
        });
    if (!absl::IsAborted(recorded.status())) return recorded;
  }
  return Error(absl::StatusCode::kUnavailable, "OVERLOADED", "Too many conflicting matches.");
}

absl::StatusOr<std::vector<Place>> PgRatingStore::GetPlaces(int player_count, const PlaceRule& rule,
                                                            absl::Span<const PlayerId> players) {
  return pool_.With(
      kGetPlaces, [&](pqxx::connection& connection) -> absl::StatusOr<std::vector<Place>> {
        pqxx::nontransaction tx(connection);
        std::vector<Place> places;
        for (const pqxx::row& row : tx.exec_prepared(
                 kGetPlaces.name, player_count, UuidArray(players), Timestamp(rule.now),
                 rule.variance_growth_per_second, rule.variance_max)) {
          places.push_back(PlaceOf(row));
          if (!row["rank"].is_null()) places.back().rank = row["rank"].as<std::int64_t>();
        }
        return places;
      });
}

absl::StatusOr<std::vector<Place>> PgRatingStore::ListPlaces(const PlacesQuery& query) {
  const pg::Statement& statement = query.upwards ? kListAbove : kListBelow;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const PlaceKey past = query.past.value_or(PlaceKey{.mu = query.upwards ? -kInfinity : kInfinity});
  return pool_.With(
      statement, [&](pqxx::connection& connection) -> absl::StatusOr<std::vector<Place>> {
        ReadTransaction tx(connection);
        std::vector<Place> places;
        for (const pqxx::row& row :
             tx.exec_prepared(statement.name, query.player_count, past.mu, past.player.ToString(),
                              Timestamp(query.rule.now), query.rule.variance_growth_per_second,
                              query.rule.variance_max, query.provisional, query.limit)) {
          places.push_back(PlaceOf(row));
        }
        if (query.provisional || places.empty()) return places;
        if (query.upwards) std::reverse(places.begin(), places.end());
        Rank(tx, query, places);
        if (query.upwards) std::reverse(places.begin(), places.end());
        return places;
      });
}

absl::StatusOr<std::vector<Change>> PgRatingStore::ListChanges(int player_count, PlayerId player,
                                                               std::int64_t before, int limit) {
  return pool_.With(
      kListChanges, [&](pqxx::connection& connection) -> absl::StatusOr<std::vector<Change>> {
        pqxx::nontransaction tx(connection);
        std::vector<Change> changes;
        for (const pqxx::row& row :
             tx.exec_prepared(kListChanges.name, player.ToString(), player_count, before, limit)) {
          changes.push_back({.sequence = row["sequence"].as<std::int64_t>(),
                             .table = IdOf<TableId>(row["table_id"]),
                             .deal_count = row["deal_count"].as<int>(),
                             .total = row["total"].as<int>(),
                             .before = SkillOf(row["mu_before"], row["variance_before"]),
                             .after = SkillOf(row["mu_after"], row["variance_after"]),
                             .match_time = TimeOf(row["match_micros"])});
        }
        return changes;
      });
}

absl::StatusOr<std::vector<LedgerMatch>> PgRatingStore::ReadLedger(std::int64_t after, int limit) {
  return pool_.With(
      kReadLedger, [&](pqxx::connection& connection) -> absl::StatusOr<std::vector<LedgerMatch>> {
        pqxx::nontransaction tx(connection);
        std::vector<LedgerMatch> matches;
        for (const pqxx::row& row : tx.exec_prepared(kReadLedger.name, after, limit)) {
          const auto sequence = row["sequence"].as<std::int64_t>();
          if (matches.empty() || matches.back().sequence != sequence) {
            matches.push_back({.sequence = sequence,
                               .table = IdOf<TableId>(row["table_id"]),
                               .deal_count = row["deal_count"].as<int>(),
                               .match_time = TimeOf(row["match_micros"])});
          }
          matches.back().entries.push_back(
              {.player = IdOf<PlayerId>(row["player_id"]),
               .bot = row["bot"].as<bool>(),
               .total = row["total"].as<int>(),
               .before = SkillOf(row["mu_before"], row["variance_before"]),
               .after = SkillOf(row["mu_after"], row["variance_after"])});
        }
        return matches;
      });
}

absl::StatusOr<std::int64_t> PgRatingStore::CountPlayers() {
  return pool_.With(kCountPlayers,
                    [](pqxx::connection& connection) -> absl::StatusOr<std::int64_t> {
                      pqxx::nontransaction tx(connection);
                      return tx.exec_prepared1(kCountPlayers.name)[0].as<std::int64_t>();
                    });
}

}  // namespace tarot::ratings
