-- A recomputation makes new tables and swaps them with the old ones. The role of the service may
-- not create or drop tables, so procedures of the owner do this. Only roles with USAGE on the
-- schema can call them.

CREATE PROCEDURE ratings.drop_recomputation()
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
  DROP TABLE IF EXISTS ratings.next_ratings, ratings.next_recomputed_results;
END
$$;

CREATE PROCEDURE ratings.make_recomputation()
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
  CREATE TABLE ratings.next_ratings
    (LIKE ratings.ratings INCLUDING DEFAULTS INCLUDING CONSTRAINTS);
  CREATE TABLE ratings.next_recomputed_results
    (LIKE ratings.recomputed_results INCLUDING DEFAULTS INCLUDING CONSTRAINTS);
  ALTER TABLE ratings.next_recomputed_results
    ADD CONSTRAINT next_recomputed_results_pk PRIMARY KEY (sequence, player_id);
END
$$;

CREATE PROCEDURE ratings.index_recomputation()
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
  ALTER TABLE ratings.next_ratings
    ADD CONSTRAINT next_ratings_pk PRIMARY KEY (player_id, player_count);
  CREATE INDEX next_ratings_ix_board ON ratings.next_ratings (player_count, mu, player_id);
  CREATE INDEX next_ratings_ix_update_time
    ON ratings.next_ratings (update_time, player_id, player_count);
  ANALYZE ratings.next_ratings;
END
$$;

CREATE PROCEDURE ratings.swap_recomputation()
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
  DROP TABLE ratings.ratings, ratings.recomputed_results;
  ALTER TABLE ratings.next_ratings RENAME TO ratings;
  ALTER INDEX ratings.next_ratings_pk RENAME TO ratings_pk;
  ALTER INDEX ratings.next_ratings_ix_board RENAME TO ratings_ix_board;
  ALTER INDEX ratings.next_ratings_ix_update_time RENAME TO ratings_ix_update_time;
  ALTER TABLE ratings.next_recomputed_results RENAME TO recomputed_results;
  ALTER INDEX ratings.next_recomputed_results_pk RENAME TO recomputed_results_pk;
END
$$;
