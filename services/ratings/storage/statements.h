// Every SQL statement of the ratings service.
#pragma once

#include "libs/pg/statement.h"

namespace tarot::ratings {

// Creates the player or brings the name up to date; either way locks the row until the end of the
// transaction.
inline constexpr pg::Statement kLockPlayer{"ratings_lock_player", R"sql(
    INSERT INTO ratings.players (player_id, display_name, bot) VALUES ($1, $2, $3)
    ON CONFLICT (player_id) DO UPDATE
      SET display_name = excluded.display_name, bot = excluded.bot
    RETURNING xmax = 0 AS created
)sql"};

// The primary key referees: no row comes back when the match was rated before. Its name stands for
// the whole transaction in the metrics.
inline constexpr pg::Statement kRecordMatch{"ratings_record_match", R"sql(
    INSERT INTO ratings.matches (table_id, player_count, deal_count, match_time)
    VALUES ($1, $2, $3, $4)
    ON CONFLICT DO NOTHING
    RETURNING sequence
)sql"};

inline constexpr pg::Statement kReadStandings{"ratings_read_standings", R"sql(
    SELECT player_id, mu, variance, match_count,
           (extract(epoch FROM update_time) * 1000000)::bigint AS update_micros
    FROM ratings.ratings
    WHERE player_count = $1 AND player_id = ANY ($2::uuid[])
)sql"};

inline constexpr pg::Statement kStoreRating{"ratings_store_rating", R"sql(
    WITH logged AS (
      INSERT INTO ratings.ledger (sequence, player_id, player_count, bot, total,
                                  mu_before, variance_before, mu_after, variance_after)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
    )
    INSERT INTO ratings.ratings (player_id, player_count, mu, variance, match_count, update_time)
    VALUES ($2, $3, $8, $9, $10, $11)
    ON CONFLICT (player_id, player_count) DO UPDATE
      SET mu = excluded.mu, variance = excluded.variance, match_count = excluded.match_count,
          update_time = excluded.update_time
)sql"};

// $3 now, $4 growth of the variance a second, $5 the most for a place.
inline constexpr pg::Statement kGetPlaces{"ratings_get_places", R"sql(
    SELECT asked.player_id, coalesce(p.display_name, '') AS display_name,
           coalesce(p.bot, false) AS bot, coalesce(r.mu, 0) AS mu,
           coalesce(r.variance, 0) AS variance, coalesce(r.match_count, 0) AS match_count,
           coalesce(extract(epoch FROM r.update_time) * 1000000, 0)::bigint AS update_micros,
           CASE WHEN ratings.grown_variance(r.variance, r.update_time, $3, $4) <= $5
             THEN 1 + (SELECT count(*) FROM ratings.ratings b
                       WHERE b.player_count = $1 AND (b.mu, b.player_id) > (r.mu, r.player_id)
                         AND ratings.grown_variance(b.variance, b.update_time, $3, $4) <= $5)
           END AS rank
    FROM unnest($2::uuid[]) WITH ORDINALITY AS asked (player_id, position)
    LEFT JOIN ratings.players p ON p.player_id = asked.player_id
    LEFT JOIN ratings.ratings r ON r.player_id = asked.player_id AND r.player_count = $1
    ORDER BY asked.position
)sql"};

// $2 and $3 are the key to begin after; $7 is true for those without a place.
inline constexpr pg::Statement kListBelow{"ratings_list_below", R"sql(
    SELECT r.player_id, p.display_name, p.bot, r.mu, r.variance, r.match_count,
           (extract(epoch FROM r.update_time) * 1000000)::bigint AS update_micros
    FROM ratings.ratings r JOIN ratings.players p USING (player_id)
    WHERE r.player_count = $1 AND (r.mu, r.player_id) < ($2, $3)
      AND (ratings.grown_variance(r.variance, r.update_time, $4, $5) > $6) = $7
    ORDER BY r.mu DESC, r.player_id DESC
    LIMIT $8
)sql"};

inline constexpr pg::Statement kListAbove{"ratings_list_above", R"sql(
    SELECT r.player_id, p.display_name, p.bot, r.mu, r.variance, r.match_count,
           (extract(epoch FROM r.update_time) * 1000000)::bigint AS update_micros
    FROM ratings.ratings r JOIN ratings.players p USING (player_id)
    WHERE r.player_count = $1 AND (r.mu, r.player_id) > ($2, $3)
      AND (ratings.grown_variance(r.variance, r.update_time, $4, $5) > $6) = $7
    ORDER BY r.mu, r.player_id
    LIMIT $8
)sql"};

// How many places are better than the key.
inline constexpr pg::Statement kCountAbove{"ratings_count_above", R"sql(
    SELECT count(*) FROM ratings.ratings r
    WHERE r.player_count = $1 AND (r.mu, r.player_id) > ($2, $3)
      AND ratings.grown_variance(r.variance, r.update_time, $4, $5) <= $6
)sql"};

inline constexpr pg::Statement kListChanges{"ratings_list_changes", R"sql(
    SELECT l.sequence, m.table_id, m.deal_count, l.total,
           l.mu_before, l.variance_before, l.mu_after, l.variance_after,
           (extract(epoch FROM m.match_time) * 1000000)::bigint AS match_micros
    FROM ratings.ledger l JOIN ratings.matches m USING (sequence)
    WHERE l.player_id = $1 AND l.player_count = $2 AND l.sequence < $3
    ORDER BY l.sequence DESC
    LIMIT $4
)sql"};

inline constexpr pg::Statement kReadLedger{"ratings_read_ledger", R"sql(
    SELECT m.sequence, m.table_id, m.deal_count,
           (extract(epoch FROM m.match_time) * 1000000)::bigint AS match_micros,
           l.player_id, l.bot, l.total,
           l.mu_before, l.variance_before, l.mu_after, l.variance_after
    FROM (SELECT * FROM ratings.matches WHERE sequence > $1 ORDER BY sequence LIMIT $2) m
    JOIN ratings.ledger l USING (sequence)
    ORDER BY m.sequence, l.player_id
)sql"};

inline constexpr pg::Statement kCountPlayers{"ratings_count_players", R"sql(
    SELECT count(*) FROM ratings.players
)sql"};

}  // namespace tarot::ratings
