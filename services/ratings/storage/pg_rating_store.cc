#include "services/ratings/storage/pg_rating_store.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <pqxx/pqxx>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "libs/base/check.h"
#include "libs/base/error.h"
#include "libs/pg/pool.h"
#include "services/ratings/app/errors.h"
#include "services/ratings/storage/match_rows.h"
#include "services/ratings/storage/pg_recomputation.h"
#include "services/ratings/storage/revoke_tokens.h"
#include "services/ratings/storage/sql_values.h"

namespace tarot::ratings_service {
namespace {

// Reads the columns `luck` and `result`.
std::optional<PlayerLuck> LuckOf(const pqxx::row& row) {
  if (row["result"].is_null()) return std::nullopt;
  return PlayerLuck{.luck = row["luck"].as<double>(), .result = row["result"].as<double>()};
}

// Returns nullopt for NULL.
std::optional<rating::Skill> MaybeSkillOf(const pqxx::field& mu, const pqxx::field& variance) {
  if (mu.is_null()) return std::nullopt;
  return SkillOf(mu, variance);
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
                .provenance = row["provenance"].as<std::string>(),
                .start_time = TimeOf(row["start_micros"])};
  for (std::size_t place = 0; place < season.numbers.place_means.size(); ++place) {
    season.numbers.place_means[place] = row[absl::StrCat("mean_", place + 1)].as<double>();
  }
  return season;
}

// Reads numbers with spaces between them.
template <typename Number>
std::vector<Number> NumbersOf(const pqxx::field& text) {
  std::vector<Number> numbers;
  for (const absl::string_view part : absl::StrSplit(text.c_str(), ' ')) {
    const auto parsed =
        std::from_chars(part.data(), part.data() + part.size(), numbers.emplace_back());
    TAROT_CHECK(parsed.ec == std::errc());  // The column has a numeric type.
  }
  return numbers;
}

ScoredDeal ScoredDealOf(const pqxx::row& row) {
  ScoredDeal deal{
      .sequence = row["sequence"].as<std::int64_t>(),
      .season = row["season"].as<int>(),
      .seat = row["seat"].as<std::size_t>(),
      .deal = {.dealer = row["dealer"].as<int>(), .scores = NumbersOf<int>(row["scores"])}};
  const int stand_ins = row["stand_ins"].as<int>();
  for (int seat = 0; seat < rating::kPlayersMax; ++seat) {
    if (stand_ins >> seat & 1) deal.deal.stand_ins.push_back(seat);
  }
  if (row["deviation"].is_null()) return deal;
  deal.deal.baseline = DealBaseline{.mean_scores = NumbersOf<double>(row["mean_scores"]),
                                    .deviation = row["deviation"].as<double>()};
  return deal;
}

Standing NamedStandingOf(const pqxx::row& row) {
  Standing standing = StandingOf(row);
  standing.display_name = row["display_name"].as<std::string>();
  standing.bot = row["bot"].as<bool>();
  standing.country = row["country"].as<std::string>();
  return standing;
}

LadderStanding LadderStandingOf(const pqxx::row& row) {
  LadderStanding ladder{.player_count = row["player_count"].as<int>(), .standing = StandingOf(row)};
  ladder.standing.country = row["country"].as<std::string>();
  return ladder;
}

// $1 is the id of a game table or NULL, and $2 is a player or NULL.
constexpr pg::Statement kAddVoid{"ratings_add_void", R"sql(
    WITH covered AS MATERIALIZED (
      SELECT sequence, rated,
             EXISTS (SELECT FROM ratings.voided_matches v WHERE v.sequence = m.sequence) AS voided
      FROM (SELECT sequence, rated FROM ratings.matches WHERE table_id = $1::uuid
            UNION ALL
            SELECT sequence, rated FROM ratings.ledger JOIN ratings.matches USING (sequence)
            WHERE player_id = $2::uuid AND match_time >= $3::timestamptz) m
    ), fresh AS MATERIALIZED (
      SELECT sequence FROM covered WHERE rated AND NOT voided
    ), added AS (
      INSERT INTO ratings.voids (table_id, player_id, since_time, operator_name, reason)
      SELECT $1, $2, $3, $4, $5 WHERE EXISTS (SELECT FROM fresh)
      RETURNING void_id
    ), listed AS (
      INSERT INTO ratings.voided_matches (sequence, void_id)
      SELECT sequence, void_id FROM fresh, added
    )
    SELECT EXISTS (SELECT FROM covered WHERE $1 IS NOT NULL)
             OR EXISTS (SELECT FROM ratings.players WHERE player_id = $2) AS found,
           (SELECT count(*) FROM covered WHERE rated) AS rated,
           (SELECT count(*) FROM fresh) AS voided
)sql"};

// $1 is the ladder.
constexpr pg::Statement kGetStandings{"ratings_get_standings", R"sql(
    SELECT asked.player_id, coalesce(p.display_name, '') AS display_name,
           coalesce(p.bot, false) AS bot, coalesce(p.country, '') AS country,
           coalesce(r.mu, 0) AS mu,
           coalesce(r.variance, 0) AS variance, coalesce(r.match_count, 0) AS match_count,
           coalesce(r.void_count, 0) AS void_count,
           coalesce(extract(epoch FROM r.update_time) * 1000000, 0)::bigint AS update_micros
    FROM unnest($2::uuid[]) WITH ORDINALITY AS asked (player_id, position)
    LEFT JOIN ratings.players p ON p.player_id = asked.player_id
    LEFT JOIN ratings.ratings r ON r.player_id = asked.player_id AND r.player_count = $1
    ORDER BY asked.position
)sql"};

// Lists players without a place. $1 is the ladder, and the page begins after the key ($2, $3). A
// player is listed if the variance, grown until $4 (now), is above $6. $5 is the growth per second.
// $7 is the limit. $9 has the times before $4 at which seasons made the variance grow, each time by
// $8. $10 is a country or ''.
constexpr pg::Statement kListProvisionalBelow{"ratings_list_provisional_below", R"sql(
    SELECT r.player_id, p.display_name, p.bot, coalesce(p.country, '') AS country, r.mu,
           r.variance, r.match_count, r.void_count,
           (extract(epoch FROM r.update_time) * 1000000)::bigint AS update_micros
    FROM ratings.ratings r JOIN ratings.players p USING (player_id)
    WHERE r.player_count = $1 AND (r.mu, r.player_id) < ($2, $3)
      AND r.match_count > 0
      AND ratings.grown_variance(r.variance, r.update_time, $4, $5)
            + $8::double precision * (SELECT count(*) FROM unnest($9::timestamptz[]) change
                    WHERE change > r.update_time) > $6
      AND ($10 = '' OR p.country = $10)
    ORDER BY r.mu DESC, r.player_id DESC
    LIMIT $7
)sql"};

constexpr pg::Statement kListProvisionalAbove{"ratings_list_provisional_above", R"sql(
    SELECT r.player_id, p.display_name, p.bot, coalesce(p.country, '') AS country, r.mu,
           r.variance, r.match_count, r.void_count,
           (extract(epoch FROM r.update_time) * 1000000)::bigint AS update_micros
    FROM ratings.ratings r JOIN ratings.players p USING (player_id)
    WHERE r.player_count = $1 AND (r.mu, r.player_id) > ($2, $3)
      AND r.match_count > 0
      AND ratings.grown_variance(r.variance, r.update_time, $4, $5)
            + $8::double precision * (SELECT count(*) FROM unnest($9::timestamptz[]) change
                    WHERE change > r.update_time) > $6
      AND ($10 = '' OR p.country = $10)
    ORDER BY r.mu, r.player_id
    LIMIT $7
)sql"};

constexpr pg::Statement kListStandings{"ratings_list_standings", R"sql(
    SELECT player_count, player_id, coalesce(country, '') AS country, mu, variance, match_count,
           void_count, (extract(epoch FROM update_time) * 1000000)::bigint AS update_micros
    FROM ratings.ratings JOIN ratings.players USING (player_id)
    WHERE (player_id, player_count) > ($1::uuid, $2::smallint) AND match_count > 0
    ORDER BY player_id, player_count LIMIT $3
)sql"};

// The next cursor is the number of the oldest transaction that is running now. All transactions
// with lower numbers have ended, so this read shows the rows that they stored. The next read finds
// the rows of all other transactions. In a restored database, old matches may have transaction
// numbers of another cluster, which can be too high; the upper limit leaves out such matches. The
// result has at least one row. If nothing has changed, this row has no player.
constexpr pg::Statement kReadChangedStandings{"ratings_read_changed_standings", R"sql(
    SELECT pg_snapshot_xmin(pg_current_snapshot()) AS next_cursor,
           (SELECT coalesce(max(recomputation_id), 0) FROM ratings.recomputations) AS recomputation,
           r.player_count, r.player_id, coalesce(p.country, '') AS country, r.mu, r.variance,
           r.match_count, r.void_count,
           (extract(epoch FROM r.update_time) * 1000000)::bigint AS update_micros
    FROM (SELECT) one
    LEFT JOIN (SELECT l.player_id, l.player_count
               FROM ratings.matches m JOIN ratings.ledger l USING (sequence)
               WHERE m.rated AND m.stored_by >= $1::xid8
                 AND m.stored_by < pg_snapshot_xmax(pg_current_snapshot())
               UNION
               SELECT own.player_id, own.player_count
               FROM ratings.players p JOIN ratings.ratings own USING (player_id)
               WHERE p.country_stored_by >= $1::xid8
                 AND p.country_stored_by < pg_snapshot_xmax(pg_current_snapshot())) changed ON true
    LEFT JOIN ratings.ratings r
      ON r.player_id = changed.player_id AND r.player_count = changed.player_count
    LEFT JOIN ratings.players p ON p.player_id = r.player_id
)sql"};

// If the last recomputation has stored a result of a match, this statement returns it and not the
// result in the ledger. A void match has NULL in place of skills.
constexpr pg::Statement kListChanges{"ratings_list_changes", R"sql(
    SELECT l.sequence, m.table_id, m.deal_count, l.total, l.luck, l.result,
           CASE WHEN c.sequence IS NULL THEN l.mu_before ELSE c.mu_before END AS mu_before,
           CASE WHEN c.sequence IS NULL THEN l.variance_before ELSE c.variance_before END
             AS variance_before,
           CASE WHEN c.sequence IS NULL THEN l.mu_after ELSE c.mu_after END AS mu_after,
           CASE WHEN c.sequence IS NULL THEN l.variance_after ELSE c.variance_after END
             AS variance_after,
           (extract(epoch FROM m.match_time) * 1000000)::bigint AS match_micros
    FROM ratings.ledger l JOIN ratings.matches m ON m.sequence = l.sequence
    LEFT JOIN ratings.recomputed_results c
      ON c.sequence = l.sequence AND c.player_id = l.player_id
    WHERE l.player_id = $1 AND l.player_count = $2 AND l.sequence < $3 AND m.rated
    ORDER BY l.sequence DESC
    LIMIT $4
)sql"};

// The limit $4 counts matches. For a void match, recomputed_results has NULL in place of skills.
constexpr pg::Statement kListScoredDeals{"ratings_list_scored_deals", R"sql(
    SELECT own.sequence, own.season, array_position(s.seats, $1::uuid) - 1 AS seat, d.dealer,
           array_to_string(d.scores, ' ') AS scores, d.stand_ins,
           array_to_string(d.mean_scores, ' ') AS mean_scores, d.deviation
    FROM (SELECT l.sequence, coalesce(m.season, 0) AS season
          FROM ratings.ledger l JOIN ratings.matches m ON m.sequence = l.sequence
          LEFT JOIN ratings.recomputed_results c
            ON c.sequence = l.sequence AND c.player_id = l.player_id
          WHERE l.player_id = $1 AND l.player_count = $2 AND l.sequence < $3 AND m.rated
            AND (c.sequence IS NULL OR c.mu_after IS NOT NULL)
          ORDER BY l.sequence DESC
          LIMIT $4) own
    JOIN ratings.match_sheets s ON s.sequence = own.sequence
    JOIN ratings.match_deals d ON d.sequence = own.sequence
    WHERE d.outcome = 1
    ORDER BY own.sequence DESC, d.number
)sql"};

// The result has one row for each match and player. The limit $3 counts matches.
constexpr pg::Statement kListMatches{"ratings_list_matches", R"sql(
    SELECT m.sequence, m.table_id, m.deal_count,
           (extract(epoch FROM m.match_time) * 1000000)::bigint AS match_micros,
           l.player_id, p.display_name, l.bot, l.total,
           c.sequence IS NOT NULL AND c.mu_after IS NULL AS voided,
           CASE WHEN c.sequence IS NULL THEN l.mu_before ELSE c.mu_before END AS mu_before,
           CASE WHEN c.sequence IS NULL THEN l.variance_before ELSE c.variance_before END
             AS variance_before,
           CASE WHEN c.sequence IS NULL THEN l.mu_after ELSE c.mu_after END AS mu_after,
           CASE WHEN c.sequence IS NULL THEN l.variance_after ELSE c.variance_after END
             AS variance_after
    FROM (SELECT sequence FROM ratings.ledger
          WHERE player_id = $1 AND sequence < $2 ORDER BY sequence DESC LIMIT $3) own
    JOIN ratings.matches m ON m.sequence = own.sequence
    JOIN ratings.ledger l ON l.sequence = own.sequence
    JOIN ratings.players p ON p.player_id = l.player_id
    LEFT JOIN ratings.recomputed_results c
      ON c.sequence = l.sequence AND c.player_id = l.player_id
    ORDER BY m.sequence DESC, l.player_id
)sql"};

constexpr pg::Statement kGetLastSequence{"ratings_get_last_sequence", R"sql(
    SELECT coalesce(max(sequence), 0) FROM ratings.matches
)sql"};

// Returns the results with a sequence number from $1 to $2 - 1. The conditions on l.sequence
// already follow from the join, but Postgres does not know this and needs them to read few rows.
constexpr pg::Statement kListResults{"ratings_list_results", R"sql(
    SELECT m.player_count, l.player_id,
           (extract(epoch FROM m.match_time) * 1000000)::bigint AS match_micros,
           CASE WHEN c.sequence IS NULL THEN l.mu_before ELSE c.mu_before END AS mu_before,
           CASE WHEN c.sequence IS NULL THEN l.variance_before ELSE c.variance_before END
             AS variance_before
    FROM ratings.matches m
    JOIN ratings.ledger l ON l.sequence = m.sequence AND l.sequence >= $1 AND l.sequence < $2
    LEFT JOIN ratings.recomputed_results c
      ON c.sequence = l.sequence AND c.player_id = l.player_id
    WHERE m.rated AND m.sequence >= $1 AND m.sequence < $2
    ORDER BY m.sequence DESC, l.player_id
)sql"};

constexpr pg::Statement kReadSeasons{"ratings_read_seasons", R"sql(
    SELECT player_count, number, rule_set, baseline_policy, baseline_replays, bid_shift,
           place_means[1] AS mean_1, place_means[2] AS mean_2, place_means[3] AS mean_3,
           place_means[4] AS mean_4, place_means[5] AS mean_5, luck_share, weight_scale,
           noise_variance, prior_variance, provenance,
           (extract(epoch FROM create_time) * 1000000)::bigint AS start_micros
    FROM ratings.seasons ORDER BY number, player_count
)sql"};

constexpr pg::Statement kAddSeason{"ratings_add_season", R"sql(
    INSERT INTO ratings.seasons (player_count, number, rule_set, baseline_policy, baseline_replays,
                                 bid_shift, place_means, luck_share, weight_scale, noise_variance,
                                 prior_variance, provenance, create_time)
    VALUES ($1, $2, $3, $4, $5, $6, $7::double precision[], $8, $9, $10, $11, $12, $13)
    ON CONFLICT (player_count, number) DO NOTHING
    RETURNING number
)sql"};

constexpr pg::Statement kCountPlayers{"ratings_count_players", R"sql(
    SELECT count(DISTINCT player_id) FROM ratings.ratings WHERE match_count > 0
)sql"};

// chr(1114111) is the last character of Unicode. So the names that begin with $1 are the names from
// $1 to $1 || chr(1114111).
constexpr pg::Statement kSearchPlayers{"ratings_search_players", R"sql(
    SELECT player_id FROM ratings.players
    WHERE deleted_time IS NULL
      AND ratings.search_name(display_name) >= ratings.search_name($1)
      AND ratings.search_name(display_name) < ratings.search_name($1) || chr(1114111)
      AND (ratings.search_name(display_name), player_id)
            > (coalesce((SELECT ratings.search_name(display_name) FROM ratings.players
                         WHERE player_id = $2::uuid), ''), $2::uuid)
    ORDER BY ratings.search_name(display_name), player_id
    LIMIT $3
)sql"};

// $2 is a country or NULL.
constexpr pg::Statement kSetCountry{"ratings_set_country", R"sql(
    WITH changed AS (
      UPDATE ratings.players SET country = $2, country_stored_by = pg_current_xact_id()
      WHERE player_id = $1 AND country IS DISTINCT FROM $2
    )
    SELECT EXISTS (SELECT FROM ratings.players WHERE player_id = $1)
)sql"};

constexpr pg::Statement kListRankedNames{"ratings_list_ranked_names", R"sql(
    SELECT p.display_name, r.player_id, r.player_count,
           (extract(epoch FROM r.update_time) * 1000000)::bigint AS update_micros
    FROM ratings.ratings r JOIN ratings.players p USING (player_id)
    WHERE NOT p.bot AND p.deleted_time IS NULL AND r.match_count > 0 AND r.update_time >= $4
      AND (r.update_time, r.player_id, r.player_count) < ($1::timestamptz, $2::uuid, $3::smallint)
    ORDER BY r.update_time DESC, r.player_id DESC, r.player_count DESC LIMIT $5
)sql"};

// The result has at least one row. If there is no revocation, the other columns of this row are
// NULL.
constexpr pg::Statement kListRevocations{"ratings_list_revocations", R"sql(
    SELECT c.last_sequence, r.sequence, r.subject_id, r.ban, r.message,
           (extract(epoch FROM r.latest_sign_in_time) * 1000000)::bigint AS sign_in_micros,
           (extract(epoch FROM r.expire_time) * 1000000)::bigint AS expire_micros
    FROM ratings.revocation_counter c
    LEFT JOIN (SELECT sequence, subject_id, latest_sign_in_time, expire_time, false AS ban,
                      '' AS message
               FROM ratings.revocations WHERE sequence > $1
               UNION ALL
               SELECT sequence, player_id, NULL, end_time, true, message
               FROM ratings.bans WHERE sequence > $1
               ORDER BY sequence LIMIT $2) r ON true
    ORDER BY r.sequence
)sql"};

constexpr pg::Statement kRemoveRevocations{"ratings_remove_revocations", R"sql(
    DELETE FROM ratings.revocations WHERE sequence IN (
      SELECT sequence FROM ratings.revocations WHERE expire_time <= $1
      ORDER BY expire_time LIMIT $2)
)sql"};

constexpr pg::Statement kSetBan{"ratings_set_ban", R"sql(
    WITH next AS (
      UPDATE ratings.revocation_counter SET last_sequence = last_sequence + 1
      RETURNING last_sequence
    )
    INSERT INTO ratings.bans (player_id, sequence, create_time, end_time, message)
    SELECT $1::uuid, last_sequence, $2::timestamptz, $3::timestamptz, $4::text FROM next
    ON CONFLICT (player_id) DO UPDATE
      SET sequence = excluded.sequence, create_time = excluded.create_time,
          end_time = excluded.end_time, message = excluded.message
)sql"};

constexpr pg::Statement kListBans{"ratings_list_bans", R"sql(
    SELECT sequence, player_id, message,
           (extract(epoch FROM create_time) * 1000000)::bigint AS create_micros,
           (extract(epoch FROM end_time) * 1000000)::bigint AS end_micros
    FROM ratings.bans WHERE end_time > $1 AND sequence < $2 ORDER BY sequence DESC LIMIT $3
)sql"};

constexpr pg::Statement kReadGatewayLimits{"ratings_read_gateway_limits",
                                           "SELECT name, value FROM ratings.gateway_limits"};

// $1 and $2 have the names and the values of the limits to set, and $3 has the names of the limits
// to remove. No name is in $1 and in $3.
constexpr pg::Statement kSetGatewayLimits{"ratings_set_gateway_limits", R"sql(
    WITH removed AS (DELETE FROM ratings.gateway_limits WHERE name = ANY ($3::text[]))
    INSERT INTO ratings.gateway_limits (name, value)
    SELECT name, value FROM unnest($1::text[], $2::double precision[]) AS set (name, value)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value
)sql"};

constexpr pg::Statement kExportPlayer{"ratings_export_player", R"sql(
    SELECT jsonb_build_object(
      'player', (SELECT to_jsonb(p) - 'country_stored_by' FROM ratings.players p
                 WHERE p.player_id = $1),
      'ratings', (SELECT coalesce(jsonb_agg(to_jsonb(r) ORDER BY r.player_count), '[]')
                  FROM ratings.ratings r WHERE r.player_id = $1),
      'matches', (SELECT coalesce(jsonb_agg(to_jsonb(l) || jsonb_build_object(
                           'table_id', m.table_id, 'match_time', m.match_time,
                           'deal_count', m.deal_count, 'rated', m.rated) ORDER BY l.sequence), '[]')
                  FROM ratings.ledger l JOIN ratings.matches m USING (sequence)
                  WHERE l.player_id = $1),
      'voids', (SELECT coalesce(jsonb_agg(jsonb_build_object(
                         'since_time', v.since_time, 'create_time', v.create_time)
                         ORDER BY v.void_id), '[]')
                FROM ratings.voids v WHERE v.player_id = $1),
      'account', (SELECT jsonb_build_object('display_name', a.display_name,
                                            'create_time', a.create_time)
                  FROM ratings.accounts a WHERE a.player_id = $1),
      'bans', (SELECT coalesce(jsonb_agg(to_jsonb(b)), '[]')
               FROM ratings.bans b WHERE b.player_id = $1),
      'revocations', (SELECT coalesce(jsonb_agg(to_jsonb(r)), '[]')
                      FROM ratings.revocations r WHERE r.subject_id = $1)
    )::text
)sql"};

constexpr pg::Statement kDeletePlayer{"ratings_delete_player", R"sql(
    WITH account AS (DELETE FROM ratings.accounts WHERE player_id = $1::uuid),
         keys AS (DELETE FROM ratings.account_name_keys WHERE player_id = $1::uuid)
    INSERT INTO ratings.players AS p (player_id, display_name, bot, deleted_time)
    VALUES ($1::uuid, $2::text, false, $3::timestamptz)
    ON CONFLICT (player_id) DO UPDATE
      SET display_name = excluded.display_name, country = NULL,
          country_stored_by = pg_current_xact_id(),
          deleted_time = coalesce(p.deleted_time, excluded.deleted_time)
)sql"};

class PgRatingStore final : public RatingStore {
 public:
  PgRatingStore(const std::string& dsn, int connections, prometheus::Registry& registry)
      : dsn_(dsn),
        pool_({.dsn = dsn, .connections = connections, .application_name = "tarot-ratings"},
              {kLockStandings,
               kReadBatchState,
               kRecordMatches,
               kAddVoid,
               kGetStandings,
               kListProvisionalBelow,
               kListProvisionalAbove,
               kListStandings,
               kReadChangedStandings,
               kListScoredDeals,
               kListChanges,
               kListMatches,
               kGetLastSequence,
               kListResults,
               kCountPlayers,
               kRevokeTokens,
               kListRevocations,
               kRemoveRevocations,
               kSetBan,
               kListBans,
               kReadGatewayLimits,
               kSetGatewayLimits,
               kExportPlayer,
               kDeletePlayer,
               kSetCountry,
               kSearchPlayers,
               kListRankedNames,
               kReadSeasons,
               kAddSeason},
              registry) {}

  absl::StatusOr<std::vector<Recorded>> RecordBatch(const std::vector<MatchResult>& matches,
                                                    const RateBatch& rate) override {
    const absl::StatusOr<std::vector<Recorded>> recorded = pool_.With(
        kRecordMatches,
        [&](pqxx::connection& connection) { return RecordMatches(connection, matches, rate); });
    // The key ledger_uq_match_number refused a match.
    if (absl::IsAlreadyExists(recorded.status())) return error::StoredFirst();
    return recorded;
  }

  absl::StatusOr<VoidCount> AddVoid(const ResultVoid& added) override {
    const auto id_or_null = [](const auto& id) {
      return id ? std::optional(id->ToString()) : std::nullopt;
    };
    std::optional<std::string> since;
    if (added.player) since = Timestamp(added.since);
    return pool_.With(kAddVoid, [&](pqxx::connection& connection) -> absl::StatusOr<VoidCount> {
      pqxx::work tx(connection);
      // Because of the lock, rows of ratings.voids become visible in the order of their ids. So a
      // recomputation that sees a row also sees all earlier rows.
      tx.exec0("LOCK TABLE ratings.voids IN SHARE ROW EXCLUSIVE MODE");
      const pqxx::row row =
          tx.exec_prepared1(kAddVoid.name, id_or_null(added.table), id_or_null(added.player), since,
                            added.operator_name, added.reason);
      const VoidCount count{.found = row["found"].as<bool>(),
                            .rated = row["rated"].as<int>(),
                            .voided = row["voided"].as<int>()};
      tx.commit();
      return count;
    });
  }

  absl::StatusOr<std::unique_ptr<Recomputation>> BeginRecomputation() override {
    return BeginPgRecomputation(dsn_);
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
          for (const pqxx::row& row : tx.exec_prepared(
                   statement.name, query.player_count, past.mu, past.player.ToString(),
                   Timestamp(query.rule.now), query.rule.variance_growth_per_second,
                   query.rule.variance_max, query.limit, query.rule.variance_growth_per_season,
                   ArrayOf(query.rule.season_changes, Timestamp), query.country)) {
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
    // If there is no cursor, the statement gets a number above all transactions, and returns only
    // the new cursor.
    const std::int64_t after = cursor.value_or(std::numeric_limits<std::int64_t>::max());
    return pool_.With(kReadChangedStandings,
                      [&](pqxx::connection& connection) -> absl::StatusOr<StandingChanges> {
                        pqxx::nontransaction tx(connection);
                        StandingChanges changes;
                        for (const pqxx::row& row :
                             tx.exec_prepared(kReadChangedStandings.name, absl::StrCat(after))) {
                          changes.cursor = row["next_cursor"].as<std::int64_t>();
                          changes.recomputation = row["recomputation"].as<std::int64_t>();
                          if (!row["player_id"].is_null())
                            changes.standings.push_back(LadderStandingOf(row));
                        }
                        return changes;
                      });
  }

  absl::StatusOr<ResultPage> ListResults(std::optional<std::int64_t> before, int count) override {
    return pool_.With(
        kListResults, [&](pqxx::connection& connection) -> absl::StatusOr<ResultPage> {
          pqxx::nontransaction tx(connection);
          const std::int64_t end =
              before ? *before : tx.exec_prepared1(kGetLastSequence.name)[0].as<std::int64_t>() + 1;
          ResultPage page{.first_sequence = std::max<std::int64_t>(1, end - count)};
          for (const pqxx::row& row :
               tx.exec_prepared(kListResults.name, page.first_sequence, end)) {
            page.results.push_back(
                {.player_count = row["player_count"].as<int>(),
                 .player = IdOf<PlayerId>(row["player_id"]),
                 .match_time = TimeOf(row["match_micros"]),
                 .before = MaybeSkillOf(row["mu_before"], row["variance_before"])});
          }
          return page;
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
                               .before = MaybeSkillOf(row["mu_before"], row["variance_before"]),
                               .after = MaybeSkillOf(row["mu_after"], row["variance_after"]),
                               .match_time = TimeOf(row["match_micros"])});
          }
          return changes;
        });
  }

  absl::StatusOr<std::vector<ScoredDeal>> ListScoredDeals(int player_count, PlayerId player,
                                                          std::int64_t before,
                                                          int matches_max) override {
    return pool_.With(
        kListScoredDeals,
        [&](pqxx::connection& connection) -> absl::StatusOr<std::vector<ScoredDeal>> {
          pqxx::nontransaction tx(connection);
          std::vector<ScoredDeal> deals;
          for (const pqxx::row& row : tx.exec_prepared(kListScoredDeals.name, player.ToString(),
                                                       player_count, before, matches_max)) {
            deals.push_back(ScoredDealOf(row));
          }
          return deals;
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
            if (match.players.back().player != player) continue;
            match.voided = row["voided"].as<bool>();
            match.before = MaybeSkillOf(row["mu_before"], row["variance_before"]);
            match.after = MaybeSkillOf(row["mu_after"], row["variance_after"]);
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
                                   numbers.prior_variance, season.provenance,
                                   Timestamp(season.start_time))
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

  absl::StatusOr<bool> SetCountry(PlayerId player, const std::string& country) override {
    std::optional<std::string> chosen;
    if (!country.empty()) chosen = country;
    return pool_.With(kSetCountry, [&](pqxx::connection& connection) -> absl::StatusOr<bool> {
      pqxx::nontransaction tx(connection);
      return tx.exec_prepared1(kSetCountry.name, player.ToString(), chosen)[0].as<bool>();
    });
  }

  absl::StatusOr<std::vector<PlayerId>> SearchPlayers(const std::string& text, PlayerId after,
                                                      int limit) override {
    return pool_.With(kSearchPlayers,
                      [&](pqxx::connection& connection) -> absl::StatusOr<std::vector<PlayerId>> {
                        pqxx::nontransaction tx(connection);
                        std::vector<PlayerId> found;
                        for (const pqxx::row& row :
                             tx.exec_prepared(kSearchPlayers.name, text, after.ToString(), limit)) {
                          found.push_back(IdOf<PlayerId>(row["player_id"]));
                        }
                        return found;
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
    return pool_.With(kRevokeTokens, [&](pqxx::connection& connection) -> absl::StatusOr<bool> {
      pqxx::nontransaction tx(connection);
      return RevokeTokens(tx, revocation, limit);
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
            revocation.ban = row["ban"].as<bool>();
            revocation.message = row["message"].as<std::string>();
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

  absl::Status SetBan(const Ban& ban) override {
    return pool_.With(kSetBan, [&](pqxx::connection& connection) -> absl::Status {
      pqxx::nontransaction(connection)
          .exec_prepared(kSetBan.name, ban.player.ToString(), Timestamp(ban.create_time),
                         Timestamp(ban.end_time), ban.message);
      return absl::OkStatus();
    });
  }

  absl::StatusOr<std::vector<Ban>> ListBans(absl::Time now, std::int64_t before,
                                            int limit) override {
    return pool_.With(kListBans,
                      [&](pqxx::connection& connection) -> absl::StatusOr<std::vector<Ban>> {
                        pqxx::nontransaction tx(connection);
                        std::vector<Ban> bans;
                        for (const pqxx::row& row :
                             tx.exec_prepared(kListBans.name, Timestamp(now), before, limit)) {
                          bans.push_back({.sequence = row["sequence"].as<std::int64_t>(),
                                          .player = IdOf<PlayerId>(row["player_id"]),
                                          .create_time = TimeOf(row["create_micros"]),
                                          .end_time = TimeOf(row["end_micros"]),
                                          .message = row["message"].as<std::string>()});
                        }
                        return bans;
                      });
  }

  absl::StatusOr<LimitValues> GatewayLimits() override {
    return pool_.With(kReadGatewayLimits,
                      [&](pqxx::connection& connection) -> absl::StatusOr<LimitValues> {
                        pqxx::nontransaction tx(connection);
                        LimitValues limits;
                        for (const pqxx::row& row : tx.exec_prepared(kReadGatewayLimits.name)) {
                          limits[row["name"].as<std::string>()] = row["value"].as<double>();
                        }
                        return limits;
                      });
  }

  absl::Status SetGatewayLimits(const LimitValues& set,
                                const std::vector<std::string>& reset) override {
    return pool_.With(kSetGatewayLimits, [&](pqxx::connection& connection) -> absl::Status {
      pqxx::nontransaction(connection)
          .exec_prepared(kSetGatewayLimits.name,
                         ArrayOf(set, [](const auto& limit) { return limit.first; }),
                         ArrayOf(set, [](const auto& limit) { return DoubleText(limit.second); }),
                         ArrayOf(reset, [](const std::string& name) { return name; }));
      return absl::OkStatus();
    });
  }

  absl::StatusOr<std::string> ExportPlayer(PlayerId player) override {
    return pool_.With(
        kExportPlayer, [&](pqxx::connection& connection) -> absl::StatusOr<std::string> {
          pqxx::nontransaction tx(connection);
          return tx.exec_prepared1(kExportPlayer.name, player.ToString())[0].as<std::string>();
        });
  }

  absl::Status DeletePlayer(PlayerId player, absl::Time now) override {
    return pool_.With(kDeletePlayer, [&](pqxx::connection& connection) -> absl::Status {
      pqxx::nontransaction(connection)
          .exec_prepared(kDeletePlayer.name, player.ToString(), kDeletedName, Timestamp(now));
      return absl::OkStatus();
    });
  }

 private:
  const std::string dsn_;
  pg::Pool pool_;
};

}  // namespace

std::unique_ptr<RatingStore> MakePgRatingStore(const std::string& dsn, int connections,
                                               prometheus::Registry& registry) {
  return std::make_unique<PgRatingStore>(dsn, connections, registry);
}

}  // namespace tarot::ratings_service
