#include "services/ratings/storage/pg_rating_store.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <pqxx/pqxx>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "libs/base/check.h"
#include "libs/base/error.h"
#include "libs/pg/pool.h"

namespace tarot::ratings_service {
namespace {

std::string Timestamp(absl::Time time) {
  if (time == absl::InfiniteFuture()) return "infinity";
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E6S+00:00", time, absl::UTCTimeZone());
}

// Returns a Postgres array literal. `to_text` returns the text of one element, which this function
// quotes.
template <typename Items, typename ToText>
std::string ArrayOf(const Items& items, ToText to_text) {
  std::string array = "{";
  for (const auto& item : items) {
    if (array.size() > 1) array += ',';
    array += '"';
    for (const char c : std::string(to_text(item))) {
      if (c == '"' || c == '\\') array += '\\';
      array += c;
    }
    array += '"';
  }
  return array + '}';
}

std::string UuidArray(absl::Span<const PlayerId> players) {
  return ArrayOf(players, [](PlayerId player) { return player.ToString(); });
}

// Returns the number as text with 17 digits. From this text Postgres reads the same double.
std::string DoubleText(double value) { return absl::StrFormat("%.17g", value); }

std::string DoublesText(absl::Span<const double> values) {
  const auto append = [](std::string* out, double value) { out->append(DoubleText(value)); };
  return absl::StrCat("{", absl::StrJoin(values, ",", append), "}");
}

std::string ScoresText(const DealtDeal& deal) {
  return absl::StrCat("{", absl::StrJoin(deal.scores, ","), "}");
}

int StandInBits(const DealtDeal& deal) {
  int bits = 0;
  for (const int seat : deal.stand_ins) bits |= 1 << seat;
  return bits;
}

// Returns a Postgres array literal whose elements may be NULL. `to_text` returns the text of one
// element, or nullopt for NULL.
template <typename Items, typename ToText>
std::string NullableArray(const Items& items, ToText to_text) {
  std::string array = "{";
  for (const auto& item : items) {
    if (array.size() > 1) array += ',';
    const std::optional<std::string> text = to_text(item);
    array += text ? absl::StrCat("\"", *text, "\"") : "NULL";
  }
  return array + '}';
}

std::optional<std::string> MeansText(const DealtDeal& deal) {
  if (!deal.baseline) return std::nullopt;
  return DoublesText(deal.baseline->mean_scores);
}

std::optional<std::string> DeviationText(const DealtDeal& deal) {
  if (!deal.baseline) return std::nullopt;
  return DoubleText(deal.baseline->deviation);
}

std::optional<std::string> LuckText(const LedgerEntry& entry, double PlayerLuck::*member) {
  if (!entry.luck) return std::nullopt;
  return DoubleText((*entry.luck).*member);
}

// Reads the columns `luck` and `result`.
std::optional<PlayerLuck> LuckOf(const pqxx::row& row) {
  if (row["result"].is_null()) return std::nullopt;
  return PlayerLuck{.luck = row["luck"].as<double>(), .result = row["result"].as<double>()};
}

template <typename SomeId>
SomeId IdOf(const pqxx::field& field) {
  const auto id = SomeId::Parse(field.c_str());
  TAROT_CHECK(id.has_value());  // The column has the type uuid, so the text is valid.
  return *id;
}

absl::Time TimeOf(const pqxx::field& micros) {
  return absl::FromUnixMicros(micros.as<std::int64_t>());
}

rating::Skill SkillOf(const pqxx::field& mu, const pqxx::field& variance) {
  return {.mu = mu.as<double>(), .variance = variance.as<double>()};
}

// Reads the columns that every statement about standings selects.
Standing StandingOf(const pqxx::row& row) {
  return {.player = IdOf<PlayerId>(row["player_id"]),
          .skill = SkillOf(row["mu"], row["variance"]),
          .match_count = row["match_count"].as<int>(),
          .update_time = TimeOf(row["update_micros"])};
}

Season SeasonOf(const pqxx::row& row) {
  Season season{.number = row["number"].as<int>(),
                .rule_set = row["rule_set"].as<std::string>(),
                .baseline_policy = row["baseline_policy"].as<int>(),
                .baseline_replays = row["baseline_replays"].as<int>(),
                .numbers = {.player_count = row["player_count"].as<int>(),
                            .bid_shift = row["bid_shift"].as<double>(),
                            .luck_share = row["luck_share"].as<double>(),
                            .weight_scale = row["weight_scale"].as<double>(),
                            .noise_variance = row["noise_variance"].as<double>(),
                            .prior_variance = row["prior_variance"].as<double>()},
                .provenance = row["provenance"].as<std::string>()};
  for (std::size_t place = 0; place < season.numbers.place_means.size(); ++place) {
    season.numbers.place_means[place] = row[absl::StrCat("mean_", place + 1)].as<double>();
  }
  return season;
}

Standing NamedStandingOf(const pqxx::row& row) {
  Standing standing = StandingOf(row);
  standing.display_name = row["display_name"].as<std::string>();
  standing.bot = row["bot"].as<bool>();
  return standing;
}

LadderStanding LadderStandingOf(const pqxx::row& row) {
  return {.player_count = row["player_count"].as<int>(), .standing = StandingOf(row)};
}

// The result has one row per player, in the order of the match's players.
constexpr pg::Statement kReadMatchState{"ratings_read_match_state", R"sql(
    SELECT EXISTS (SELECT FROM ratings.matches WHERE table_id = $1) AS recorded,
           asked.player_id, coalesce(r.mu, 0) AS mu, coalesce(r.variance, 0) AS variance,
           coalesce(r.match_count, 0) AS match_count,
           coalesce(extract(epoch FROM r.update_time) * 1000000, 0)::bigint AS update_micros,
           (SELECT coalesce(max(number), 0) FROM ratings.seasons WHERE player_count = $2) AS season
    FROM unnest($3::uuid[]) WITH ORDINALITY AS asked (player_id, position)
    LEFT JOIN ratings.ratings r ON r.player_id = asked.player_id AND r.player_count = $2
    ORDER BY asked.position
)sql"};

// If two statements store the same match, the primary key of `matches` refuses the second one,
// which then returns no row. If two statements store different matches of one player, the key
// ledger_uq_match_number refuses the second one, which then fails. Every statement inserts its
// players in the order of their ids, so that no deadlock is possible.
constexpr pg::Statement kRecordMatch{"ratings_record_match", R"sql(
    WITH claimed AS (
      INSERT INTO ratings.matches (table_id, player_count, deal_count, match_time, season)
      VALUES ($1, $2, $3, $4, nullif($23::integer, 0))
      ON CONFLICT (table_id) DO NOTHING
      RETURNING sequence, player_count
    ), seats AS (
      SELECT claimed.*, s.*
      FROM claimed, unnest($5::uuid[], $6::text[], $7::boolean[], $8::integer[],
                           $9::double precision[], $10::double precision[],
                           $11::double precision[], $12::double precision[], $13::integer[],
                           $14::timestamptz[], $26::double precision[], $27::double precision[],
                           $28::boolean[])
        AS s (player_id, display_name, bot, total, mu_before, variance_before, mu_after,
              variance_after, match_number, update_time, luck, result, left_match)
    ), named AS (
      INSERT INTO ratings.players (player_id, display_name, bot)
      SELECT player_id, display_name, bot FROM seats ORDER BY player_id
      ON CONFLICT (player_id) DO UPDATE
        SET display_name = excluded.display_name, bot = excluded.bot
    ), logged AS (
      INSERT INTO ratings.ledger (sequence, player_id, player_count, bot, total, mu_before,
                                  variance_before, mu_after, variance_after, match_number, luck,
                                  result, left_match)
      SELECT sequence, player_id, player_count, bot, total, mu_before, variance_before, mu_after,
             variance_after, match_number, luck, result, left_match
      FROM seats ORDER BY player_id
    ), rated AS (
      INSERT INTO ratings.ratings (player_id, player_count, mu, variance, match_count, update_time)
      SELECT player_id, player_count, mu_after, variance_after, match_number, update_time
      FROM seats ORDER BY player_id
      ON CONFLICT (player_id, player_count) DO UPDATE
        SET mu = excluded.mu, variance = excluded.variance, match_count = excluded.match_count,
            update_time = excluded.update_time
    ), sheet AS (
      INSERT INTO ratings.match_sheets (sequence, rule_values, seats)
      SELECT sequence, $15, $16::uuid[] FROM claimed WHERE cardinality($17::integer[]) > 0
    ), dealt AS (
      INSERT INTO ratings.match_deals (sequence, number, dealer, pack, outcome, scores, stand_ins,
                                       mean_scores, deviation)
      SELECT claimed.sequence, d.number, d.dealer, decode(d.pack, 'hex'), d.outcome,
             d.scores::integer[], d.stand_ins, d.mean_scores::double precision[], d.deviation
      FROM claimed, unnest($17::integer[], $18::smallint[], $19::text[], $20::smallint[],
                           $21::text[], $22::smallint[], $24::text[], $25::double precision[])
        AS d (number, dealer, pack, outcome, scores, stand_ins, mean_scores, deviation)
    )
    SELECT sequence FROM claimed
)sql"};

constexpr pg::Statement kRecordUnratedMatch{"ratings_record_unrated_match", R"sql(
    WITH claimed AS (
      INSERT INTO ratings.matches (table_id, player_count, deal_count, match_time, rated)
      VALUES ($1, $2, $3, $4, false)
      ON CONFLICT (table_id) DO NOTHING
      RETURNING sequence, player_count
    ), seats AS (
      SELECT claimed.*, s.*
      FROM claimed, unnest($5::uuid[], $6::text[], $7::boolean[], $8::integer[])
        AS s (player_id, display_name, bot, total)
    ), named AS (
      INSERT INTO ratings.players (player_id, display_name, bot)
      SELECT player_id, display_name, bot FROM seats ORDER BY player_id
      ON CONFLICT (player_id) DO UPDATE
        SET display_name = excluded.display_name, bot = excluded.bot
    ), logged AS (
      INSERT INTO ratings.ledger (sequence, player_id, player_count, bot, total)
      SELECT sequence, player_id, player_count, bot, total FROM seats ORDER BY player_id
    )
    SELECT sequence FROM claimed
)sql"};

// $1 is the ladder.
constexpr pg::Statement kGetStandings{"ratings_get_standings", R"sql(
    SELECT asked.player_id, coalesce(p.display_name, '') AS display_name,
           coalesce(p.bot, false) AS bot, coalesce(r.mu, 0) AS mu,
           coalesce(r.variance, 0) AS variance, coalesce(r.match_count, 0) AS match_count,
           coalesce(extract(epoch FROM r.update_time) * 1000000, 0)::bigint AS update_micros
    FROM unnest($2::uuid[]) WITH ORDINALITY AS asked (player_id, position)
    LEFT JOIN ratings.players p ON p.player_id = asked.player_id
    LEFT JOIN ratings.ratings r ON r.player_id = asked.player_id AND r.player_count = $1
    ORDER BY asked.position
)sql"};

// $1 is the ladder. The page begins after the key ($2, $3). $4 is the time now, and $5 is the
// growth of the variance per second. The page lists the players whose variance, grown until $4, is
// above $6. $7 is the limit.
constexpr pg::Statement kListProvisionalBelow{"ratings_list_provisional_below", R"sql(
    SELECT r.player_id, p.display_name, p.bot, r.mu, r.variance, r.match_count,
           (extract(epoch FROM r.update_time) * 1000000)::bigint AS update_micros
    FROM ratings.ratings r JOIN ratings.players p USING (player_id)
    WHERE r.player_count = $1 AND (r.mu, r.player_id) < ($2, $3)
      AND ratings.grown_variance(r.variance, r.update_time, $4, $5) > $6
    ORDER BY r.mu DESC, r.player_id DESC
    LIMIT $7
)sql"};

constexpr pg::Statement kListProvisionalAbove{"ratings_list_provisional_above", R"sql(
    SELECT r.player_id, p.display_name, p.bot, r.mu, r.variance, r.match_count,
           (extract(epoch FROM r.update_time) * 1000000)::bigint AS update_micros
    FROM ratings.ratings r JOIN ratings.players p USING (player_id)
    WHERE r.player_count = $1 AND (r.mu, r.player_id) > ($2, $3)
      AND ratings.grown_variance(r.variance, r.update_time, $4, $5) > $6
    ORDER BY r.mu, r.player_id
    LIMIT $7
)sql"};

constexpr pg::Statement kListStandings{"ratings_list_standings", R"sql(
    SELECT player_count, player_id, mu, variance, match_count,
           (extract(epoch FROM update_time) * 1000000)::bigint AS update_micros
    FROM ratings.ratings
    WHERE (player_id, player_count) > ($1::uuid, $2::smallint)
    ORDER BY player_id, player_count LIMIT $3
)sql"};

// The cursor is the oldest transaction that runs now. All older ones have ended, so what they
// stored is visible in this snapshot. The others have the same or a higher number, so the
// next read finds it. The upper limit leaves out matches that a restored database has from another
// cluster. The result has at least one row. Without a change, its other columns are NULL.
constexpr pg::Statement kReadChangedStandings{"ratings_read_changed_standings", R"sql(
    SELECT pg_snapshot_xmin(pg_current_snapshot()) AS next_cursor,
           r.player_count, r.player_id, r.mu, r.variance, r.match_count,
           (extract(epoch FROM r.update_time) * 1000000)::bigint AS update_micros
    FROM (SELECT) one
    LEFT JOIN (SELECT DISTINCT l.player_id, l.player_count
               FROM ratings.matches m JOIN ratings.ledger l USING (sequence)
               WHERE m.rated AND m.stored_by >= $1::xid8
                 AND m.stored_by < pg_snapshot_xmax(pg_current_snapshot())) changed ON true
    LEFT JOIN ratings.ratings r
      ON r.player_id = changed.player_id AND r.player_count = changed.player_count
)sql"};

constexpr pg::Statement kListChanges{"ratings_list_changes", R"sql(
    SELECT l.sequence, m.table_id, m.deal_count, l.total, l.luck, l.result,
           l.mu_before, l.variance_before, l.mu_after, l.variance_after,
           (extract(epoch FROM m.match_time) * 1000000)::bigint AS match_micros
    FROM ratings.ledger l JOIN ratings.matches m USING (sequence)
    WHERE l.player_id = $1 AND l.player_count = $2 AND l.sequence < $3 AND m.rated
    ORDER BY l.sequence DESC
    LIMIT $4
)sql"};

// The result has one row per match and player. The limit $3 counts matches.
constexpr pg::Statement kListMatches{"ratings_list_matches", R"sql(
    SELECT m.sequence, m.table_id, m.deal_count,
           (extract(epoch FROM m.match_time) * 1000000)::bigint AS match_micros,
           l.player_id, p.display_name, l.bot, l.total,
           l.mu_before, l.variance_before, l.mu_after, l.variance_after
    FROM (SELECT sequence FROM ratings.ledger
          WHERE player_id = $1 AND sequence < $2 ORDER BY sequence DESC LIMIT $3) own
    JOIN ratings.matches m USING (sequence)
    JOIN ratings.ledger l USING (sequence)
    JOIN ratings.players p ON p.player_id = l.player_id
    ORDER BY m.sequence DESC, l.player_id
)sql"};

constexpr pg::Statement kReadLedger{"ratings_read_ledger", R"sql(
    SELECT m.sequence, m.table_id, m.deal_count,
           (extract(epoch FROM m.match_time) * 1000000)::bigint AS match_micros,
           coalesce(m.season, 0) AS season, l.player_id, l.bot, l.total, l.luck, l.result,
           l.left_match,
           l.mu_before, l.variance_before, l.mu_after, l.variance_after
    FROM (SELECT * FROM ratings.matches WHERE rated AND sequence > $1
          ORDER BY sequence LIMIT $2) m
    JOIN ratings.ledger l USING (sequence)
    ORDER BY m.sequence, l.player_id
)sql"};

constexpr pg::Statement kReadSeasons{"ratings_read_seasons", R"sql(
    SELECT player_count, number, rule_set, baseline_policy, baseline_replays, bid_shift,
           place_means[1] AS mean_1, place_means[2] AS mean_2, place_means[3] AS mean_3,
           place_means[4] AS mean_4, place_means[5] AS mean_5, luck_share, weight_scale,
           noise_variance, prior_variance, provenance
    FROM ratings.seasons ORDER BY number, player_count
)sql"};

constexpr pg::Statement kAddSeason{"ratings_add_season", R"sql(
    INSERT INTO ratings.seasons (player_count, number, rule_set, baseline_policy, baseline_replays,
                                 bid_shift, place_means, luck_share, weight_scale, noise_variance,
                                 prior_variance, provenance)
    VALUES ($1, $2, $3, $4, $5, $6, $7::double precision[], $8, $9, $10, $11, $12)
    ON CONFLICT (player_count, number) DO NOTHING
    RETURNING number
)sql"};

constexpr pg::Statement kCountPlayers{"ratings_count_players", R"sql(
    SELECT count(DISTINCT player_id) FROM ratings.ratings
)sql"};

constexpr pg::Statement kListRankedNames{"ratings_list_ranked_names", R"sql(
    SELECT p.display_name, r.player_id, r.player_count,
           (extract(epoch FROM r.update_time) * 1000000)::bigint AS update_micros
    FROM ratings.ratings r JOIN ratings.players p USING (player_id)
    WHERE NOT p.bot AND r.update_time >= $4
      AND (r.update_time, r.player_id, r.player_count) < ($1::timestamptz, $2::uuid, $3::smallint)
    ORDER BY r.update_time DESC, r.player_id DESC, r.player_count DESC LIMIT $5
)sql"};

// $2 is the limit. The update of the counter waits for the commit of the revocation before. So
// sequences become visible in their order.
constexpr pg::Statement kRevokeTokens{"ratings_revoke_tokens", R"sql(
    WITH next AS (
      UPDATE ratings.revocation_counter SET last_sequence = last_sequence + 1
      WHERE last_sequence - coalesce((SELECT min(sequence) FROM ratings.revocations),
                                     last_sequence + 1) < $2 - 1
      RETURNING last_sequence
    )
    INSERT INTO ratings.revocations (sequence, subject_id, latest_sign_in_time, expire_time)
    SELECT last_sequence, $1::uuid, $3::timestamptz, $4::timestamptz FROM next
    ON CONFLICT (subject_id) DO UPDATE
      SET sequence = excluded.sequence,
          latest_sign_in_time =
            greatest(revocations.latest_sign_in_time, excluded.latest_sign_in_time),
          expire_time = greatest(revocations.expire_time, excluded.expire_time)
    RETURNING sequence
)sql"};

// The result has at least one row. Without a revocation, the other columns of this row are NULL.
constexpr pg::Statement kListRevocations{"ratings_list_revocations", R"sql(
    SELECT c.last_sequence, r.sequence, r.subject_id,
           (extract(epoch FROM r.latest_sign_in_time) * 1000000)::bigint AS sign_in_micros,
           (extract(epoch FROM r.expire_time) * 1000000)::bigint AS expire_micros
    FROM ratings.revocation_counter c
    LEFT JOIN (SELECT * FROM ratings.revocations WHERE sequence > $1
               ORDER BY sequence LIMIT $2) r ON true
    ORDER BY r.sequence
)sql"};

constexpr pg::Statement kRemoveRevocations{"ratings_remove_revocations", R"sql(
    DELETE FROM ratings.revocations WHERE sequence IN (
      SELECT sequence FROM ratings.revocations WHERE expire_time <= $1
      ORDER BY expire_time LIMIT $2)
)sql"};

class PgRatingStore final : public RatingStore {
 public:
  PgRatingStore(const std::string& dsn, int connections, prometheus::Registry& registry)
      : pool_({.dsn = dsn, .connections = connections, .application_name = "tarot-ratings"},
              {kReadMatchState, kRecordMatch, kRecordUnratedMatch, kGetStandings,
               kListProvisionalBelow, kListProvisionalAbove, kListStandings, kReadChangedStandings,
               kListChanges, kListMatches, kReadLedger, kCountPlayers, kRevokeTokens,
               kListRevocations, kRemoveRevocations, kListRankedNames, kReadSeasons, kAddSeason},
              registry) {}

  absl::StatusOr<MatchState> ReadMatchState(const MatchResult& match) override {
    const std::string players =
        ArrayOf(match.players, [](const MatchPlayer& player) { return player.player.ToString(); });
    return pool_.With(
        kReadMatchState, [&](pqxx::connection& connection) -> absl::StatusOr<MatchState> {
          pqxx::nontransaction tx(connection);
          MatchState state;
          for (const pqxx::row& row : tx.exec_prepared(kReadMatchState.name, match.table.ToString(),
                                                       match.player_count(), players)) {
            const MatchPlayer& player = match.players[state.standings.size()];
            state.recorded = row["recorded"].as<bool>();
            state.season = row["season"].as<int>();
            state.standings.push_back(StandingOf(row));
            state.standings.back().display_name = player.display_name;
            state.standings.back().bot = player.bot;
          }
          return state;
        });
  }

  absl::StatusOr<bool> Record(const MatchResult& match, const RatedMatch& rated) override {
    const auto of_entries = [&](auto to_text) { return ArrayOf(rated.entries, to_text); };
    const auto of_deals = [&](auto to_text) { return ArrayOf(match.deals, to_text); };
    using Entry = const LedgerEntry&;
    using Deal = const DealtDeal&;
    const absl::StatusOr<bool> recorded =
        pool_.With(kRecordMatch, [&](pqxx::connection& connection) -> absl::StatusOr<bool> {
          pqxx::nontransaction tx(connection);
          return !tx.exec_prepared(
                        kRecordMatch.name, match.table.ToString(), match.player_count(),
                        match.deal_count, Timestamp(match.match_time),
                        of_entries([](Entry e) { return e.player.ToString(); }),
                        ArrayOf(match.players,
                                [](const MatchPlayer& player) { return player.display_name; }),
                        of_entries([](Entry e) { return e.bot ? "true" : "false"; }),
                        of_entries([](Entry e) { return absl::StrCat(e.total); }),
                        of_entries([](Entry e) { return DoubleText(e.before.mu); }),
                        of_entries([](Entry e) { return DoubleText(e.before.variance); }),
                        of_entries([](Entry e) { return DoubleText(e.after.mu); }),
                        of_entries([](Entry e) { return DoubleText(e.after.variance); }),
                        ArrayOf(rated.after,
                                [](const Standing& s) { return absl::StrCat(s.match_count); }),
                        ArrayOf(rated.after,
                                [](const Standing& s) { return Timestamp(s.update_time); }),
                        match.rule_values, UuidArray(match.seats),
                        of_deals([](Deal d) { return absl::StrCat(d.number); }),
                        of_deals([](Deal d) { return absl::StrCat(d.dealer); }),
                        of_deals([](Deal d) { return absl::BytesToHexString(d.pack); }),
                        of_deals([](Deal d) { return absl::StrCat(static_cast<int>(d.outcome)); }),
                        of_deals([](Deal d) { return ScoresText(d); }),
                        of_deals([](Deal d) { return absl::StrCat(StandInBits(d)); }), match.season,
                        NullableArray(match.deals, MeansText),
                        NullableArray(match.deals, DeviationText),
                        NullableArray(rated.entries,
                                      [](Entry e) { return LuckText(e, &PlayerLuck::luck); }),
                        NullableArray(rated.entries,
                                      [](Entry e) { return LuckText(e, &PlayerLuck::result); }),
                        of_entries([](Entry e) { return e.left ? "true" : "false"; }))
                      .empty();
        });
    if (absl::IsAlreadyExists(recorded.status())) {
      // Another match of a player came first, so ledger_uq_match_number refused this match.
      return Error(absl::StatusCode::kAborted, "STORAGE_CONFLICT",
                   "Another match of a player was stored first.");
    }
    return recorded;
  }

  absl::StatusOr<bool> RecordUnrated(const MatchResult& match) override {
    using Player = const MatchPlayer&;
    const auto of_players = [&](auto to_text) { return ArrayOf(match.players, to_text); };
    return pool_.With(
        kRecordUnratedMatch, [&](pqxx::connection& connection) -> absl::StatusOr<bool> {
          pqxx::nontransaction tx(connection);
          return !tx.exec_prepared(kRecordUnratedMatch.name, match.table.ToString(),
                                   match.player_count(), match.deal_count,
                                   Timestamp(match.match_time),
                                   of_players([](Player p) { return p.player.ToString(); }),
                                   of_players([](Player p) { return p.display_name; }),
                                   of_players([](Player p) { return p.bot ? "true" : "false"; }),
                                   of_players([](Player p) { return absl::StrCat(p.total); }))
                      .empty();
        });
  }

  absl::StatusOr<std::vector<Standing>> GetStandings(int player_count,
                                                     absl::Span<const PlayerId> players) override {
    return pool_.With(
        kGetStandings, [&](pqxx::connection& connection) -> absl::StatusOr<std::vector<Standing>> {
          pqxx::nontransaction tx(connection);
          std::vector<Standing> standings;
          for (const pqxx::row& row :
               tx.exec_prepared(kGetStandings.name, player_count, UuidArray(players))) {
            standings.push_back(NamedStandingOf(row));
          }
          return standings;
        });
  }

  absl::StatusOr<std::vector<Standing>> ListProvisional(const ProvisionalQuery& query) override {
    const pg::Statement& statement = query.upwards ? kListProvisionalAbove : kListProvisionalBelow;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const PlaceKey past =
        query.past.value_or(PlaceKey{.mu = query.upwards ? -kInfinity : kInfinity});
    return pool_.With(
        statement, [&](pqxx::connection& connection) -> absl::StatusOr<std::vector<Standing>> {
          pqxx::nontransaction tx(connection);
          std::vector<Standing> standings;
          for (const pqxx::row& row :
               tx.exec_prepared(statement.name, query.player_count, past.mu, past.player.ToString(),
                                Timestamp(query.rule.now), query.rule.variance_growth_per_second,
                                query.rule.variance_max, query.limit)) {
            standings.push_back(NamedStandingOf(row));
          }
          return standings;
        });
  }

  absl::StatusOr<std::vector<LadderStanding>> ListStandings(PlayerId player, int player_count,
                                                            int limit) override {
    return pool_.With(
        kListStandings,
        [&](pqxx::connection& connection) -> absl::StatusOr<std::vector<LadderStanding>> {
          pqxx::nontransaction tx(connection);
          std::vector<LadderStanding> standings;
          for (const pqxx::row& row :
               tx.exec_prepared(kListStandings.name, player.ToString(), player_count, limit)) {
            standings.push_back(LadderStandingOf(row));
          }
          return standings;
        });
  }

  absl::StatusOr<StandingChanges> ReadChangedStandings(
      std::optional<std::int64_t> cursor) override {
    // No match has this transaction, so a read without a cursor finds no standings.
    const std::int64_t after = cursor.value_or(std::numeric_limits<std::int64_t>::max());
    return pool_.With(kReadChangedStandings,
                      [&](pqxx::connection& connection) -> absl::StatusOr<StandingChanges> {
                        pqxx::nontransaction tx(connection);
                        StandingChanges changes;
                        for (const pqxx::row& row :
                             tx.exec_prepared(kReadChangedStandings.name, absl::StrCat(after))) {
                          changes.cursor = row["next_cursor"].as<std::int64_t>();
                          if (!row["player_id"].is_null())
                            changes.standings.push_back(LadderStandingOf(row));
                        }
                        return changes;
                      });
  }

  absl::StatusOr<std::vector<RatingChange>> ListChanges(int player_count, PlayerId player,
                                                        std::int64_t before, int limit) override {
    return pool_.With(
        kListChanges,
        [&](pqxx::connection& connection) -> absl::StatusOr<std::vector<RatingChange>> {
          pqxx::nontransaction tx(connection);
          std::vector<RatingChange> changes;
          for (const pqxx::row& row : tx.exec_prepared(kListChanges.name, player.ToString(),
                                                       player_count, before, limit)) {
            const std::optional<PlayerLuck> luck = LuckOf(row);
            changes.push_back({.sequence = row["sequence"].as<std::int64_t>(),
                               .table = IdOf<TableId>(row["table_id"]),
                               .deal_count = row["deal_count"].as<int>(),
                               .total = row["total"].as<int>(),
                               .luck = luck ? std::optional(luck->luck) : std::nullopt,
                               .before = SkillOf(row["mu_before"], row["variance_before"]),
                               .after = SkillOf(row["mu_after"], row["variance_after"]),
                               .match_time = TimeOf(row["match_micros"])});
          }
          return changes;
        });
  }

  absl::StatusOr<std::vector<PlayedMatch>> ListMatches(PlayerId player, std::int64_t before,
                                                       int limit) override {
    return pool_.With(
        kListMatches,
        [&](pqxx::connection& connection) -> absl::StatusOr<std::vector<PlayedMatch>> {
          pqxx::nontransaction tx(connection);
          std::vector<PlayedMatch> matches;
          for (const pqxx::row& row :
               tx.exec_prepared(kListMatches.name, player.ToString(), before, limit)) {
            const auto sequence = row["sequence"].as<std::int64_t>();
            if (matches.empty() || matches.back().sequence != sequence) {
              matches.push_back({.sequence = sequence,
                                 .table = IdOf<TableId>(row["table_id"]),
                                 .deal_count = row["deal_count"].as<int>(),
                                 .match_time = TimeOf(row["match_micros"])});
            }
            PlayedMatch& match = matches.back();
            match.players.push_back({.player = IdOf<PlayerId>(row["player_id"]),
                                     .display_name = row["display_name"].as<std::string>(),
                                     .bot = row["bot"].as<bool>(),
                                     .total = row["total"].as<int>()});
            if (match.players.back().player != player || row["mu_after"].is_null()) continue;
            match.before = SkillOf(row["mu_before"], row["variance_before"]);
            match.after = SkillOf(row["mu_after"], row["variance_after"]);
          }
          return matches;
        });
  }

  absl::StatusOr<std::vector<LedgerMatch>> ReadLedger(std::int64_t after, int limit) override {
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
                                 .match_time = TimeOf(row["match_micros"]),
                                 .season = row["season"].as<int>()});
            }
            matches.back().entries.push_back(
                {.player = IdOf<PlayerId>(row["player_id"]),
                 .bot = row["bot"].as<bool>(),
                 .total = row["total"].as<int>(),
                 .luck = LuckOf(row),
                 .left = row["left_match"].as<bool>(),
                 .before = SkillOf(row["mu_before"], row["variance_before"]),
                 .after = SkillOf(row["mu_after"], row["variance_after"])});
          }
          return matches;
        });
  }

  absl::StatusOr<std::vector<Season>> ReadSeasons() override {
    return pool_.With(kReadSeasons,
                      [](pqxx::connection& connection) -> absl::StatusOr<std::vector<Season>> {
                        pqxx::nontransaction tx(connection);
                        std::vector<Season> seasons;
                        for (const pqxx::row& row : tx.exec_prepared(kReadSeasons.name)) {
                          seasons.push_back(SeasonOf(row));
                        }
                        return seasons;
                      });
  }

  absl::Status AddSeason(const Season& season) override {
    const rating::LadderNumbers& numbers = season.numbers;
    const auto added =
        pool_.With(kAddSeason, [&](pqxx::connection& connection) -> absl::StatusOr<bool> {
          pqxx::nontransaction tx(connection);
          return !tx.exec_prepared(kAddSeason.name, numbers.player_count, season.number,
                                   season.rule_set, season.baseline_policy, season.baseline_replays,
                                   numbers.bid_shift, DoublesText(numbers.place_means),
                                   numbers.luck_share, numbers.weight_scale, numbers.noise_variance,
                                   numbers.prior_variance, season.provenance)
                      .empty();
        });
    TAROT_RETURN_IF_ERROR(added.status());
    if (*added) return absl::OkStatus();
    return Error(absl::StatusCode::kAborted, "STORAGE_CONFLICT",
                 "Another season was stored first.");
  }

  absl::StatusOr<std::int64_t> CountPlayers() override {
    return pool_.With(kCountPlayers,
                      [](pqxx::connection& connection) -> absl::StatusOr<std::int64_t> {
                        pqxx::nontransaction tx(connection);
                        return tx.exec_prepared1(kCountPlayers.name)[0].as<std::int64_t>();
                      });
  }

  absl::StatusOr<std::vector<RankedName>> ListRankedNames(const RankedName& after, absl::Time since,
                                                          int limit) override {
    return pool_.With(kListRankedNames,
                      [&](pqxx::connection& connection) -> absl::StatusOr<std::vector<RankedName>> {
                        pqxx::nontransaction tx(connection);
                        std::vector<RankedName> names;
                        for (const pqxx::row& row :
                             tx.exec_prepared(kListRankedNames.name, Timestamp(after.update_time),
                                              after.player.ToString(), after.player_count,
                                              Timestamp(since), limit)) {
                          names.push_back({.display_name = row["display_name"].as<std::string>(),
                                           .update_time = TimeOf(row["update_micros"]),
                                           .player = IdOf<PlayerId>(row["player_id"]),
                                           .player_count = row["player_count"].as<int>()});
                        }
                        return names;
                      });
  }

  absl::StatusOr<bool> Revoke(const Revocation& revocation, int limit) override {
    std::optional<std::string> sign_in_time;
    if (revocation.latest_sign_in_time) sign_in_time = Timestamp(*revocation.latest_sign_in_time);
    return pool_.With(kRevokeTokens, [&](pqxx::connection& connection) -> absl::StatusOr<bool> {
      pqxx::nontransaction tx(connection);
      return !tx.exec_prepared(kRevokeTokens.name, revocation.subject.ToString(), limit,
                               sign_in_time, Timestamp(revocation.expire_time))
                  .empty();
    });
  }

  absl::StatusOr<RevocationPage> ListRevocations(std::int64_t after, int limit) override {
    return pool_.With(
        kListRevocations, [&](pqxx::connection& connection) -> absl::StatusOr<RevocationPage> {
          pqxx::nontransaction tx(connection);
          RevocationPage page;
          for (const pqxx::row& row : tx.exec_prepared(kListRevocations.name, after, limit)) {
            page.last_sequence = row["last_sequence"].as<std::int64_t>();
            if (row["sequence"].is_null()) continue;
            Revocation revocation{.sequence = row["sequence"].as<std::int64_t>(),
                                  .subject = IdOf<Uuid>(row["subject_id"]),
                                  .expire_time = TimeOf(row["expire_micros"])};
            const pqxx::field sign_in = row["sign_in_micros"];
            if (!sign_in.is_null()) revocation.latest_sign_in_time = TimeOf(sign_in);
            page.revocations.push_back(revocation);
          }
          const bool full = static_cast<int>(page.revocations.size()) == limit;
          page.known_sequence = full ? page.revocations.back().sequence : page.last_sequence;
          return page;
        });
  }

  absl::StatusOr<int> RemoveRevocations(absl::Time now, int limit) override {
    return pool_.With(kRemoveRevocations, [&](pqxx::connection& connection) -> absl::StatusOr<int> {
      pqxx::nontransaction tx(connection);
      return static_cast<int>(
          tx.exec_prepared(kRemoveRevocations.name, Timestamp(now), limit).affected_rows());
    });
  }

 private:
  pg::Pool pool_;
};

}  // namespace

std::unique_ptr<RatingStore> MakePgRatingStore(const std::string& dsn, int connections,
                                               prometheus::Registry& registry) {
  return std::make_unique<PgRatingStore>(dsn, connections, registry);
}

}  // namespace tarot::ratings_service
