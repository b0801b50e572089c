-- Operators void results, and all ratings are computed again without them. A recomputation makes
-- new tables in the place of ratings.ratings and ratings.recomputed_results, with the same names of
-- indexes (storage/pg_recomputation.cc). Replicas of the version before this one work on beside the
-- new ones until the first recomputation. After it, they cannot store a match of a player with a
-- void match, and the rules service sends the result again to the new replicas.
CREATE TABLE ratings.voids (
  void_id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT voids_pk PRIMARY KEY,
  table_id uuid,           -- The match, or NULL.
  player_id uuid,          -- The player whose matches since since_time are void, or NULL.
  since_time timestamptz,  -- NULL unless player_id is set.
  operator_name text NOT NULL,
  reason text NOT NULL,
  create_time timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT voids_ck_subject CHECK (num_nonnulls(table_id, player_id) = 1
                                     AND (player_id IS NULL) = (since_time IS NULL))
);

-- The matches that each void covers. A match has at most one row.
CREATE TABLE ratings.voided_matches (
  sequence bigint CONSTRAINT voided_matches_pk PRIMARY KEY
    CONSTRAINT voided_matches_fk_match REFERENCES ratings.matches (sequence),
  void_id bigint NOT NULL CONSTRAINT voided_matches_fk_void REFERENCES ratings.voids (void_id)
);

-- The results of the last recomputation that differ from those in the ledger. A void match has NULL
-- in all four columns of the skill.
CREATE TABLE ratings.recomputed_results (
  sequence bigint NOT NULL,
  player_id uuid NOT NULL,
  mu_before double precision,
  variance_before double precision,
  mu_after double precision,
  variance_after double precision,
  CONSTRAINT recomputed_results_pk PRIMARY KEY (sequence, player_id)
);

-- The recomputations that have ended.
CREATE TABLE ratings.recomputations (
  recomputation_id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT recomputations_pk PRIMARY KEY,
  void_id bigint NOT NULL,  -- The newest void that it knew, or 0.
  end_time timestamptz NOT NULL DEFAULT now()
);

-- A row with match_count 0 belongs to a player whose matches are all void. Each match of the ledger
-- has the number match_count + void_count at its time, so that the numbers stay unique. The ledger
-- references the players, so the foreign key of this table is not needed.
ALTER TABLE ratings.ratings
  ADD COLUMN void_count integer NOT NULL DEFAULT 0,
  DROP CONSTRAINT ratings_fk_player;

-- ledger_ix_player_sequence serves the same statements.
DROP INDEX ratings.ledger_ix_player;
