-- Everybody who was ever rated. A match locks its players here, in the order of their ids.
CREATE TABLE ratings.players (
  player_id uuid CONSTRAINT players_pk PRIMARY KEY,
  display_name text NOT NULL,
  bot boolean NOT NULL
);

-- The referee: one row a match, for ever. Sequence grows along each player's matches, because it is
-- drawn while the players are locked.
CREATE TABLE ratings.matches (
  table_id uuid CONSTRAINT matches_pk PRIMARY KEY,
  sequence bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT matches_uq_sequence UNIQUE,
  player_count smallint NOT NULL
    CONSTRAINT matches_ck_player_count CHECK (player_count IN (3, 4, 5)),
  deal_count integer NOT NULL CONSTRAINT matches_ck_deal_count CHECK (deal_count >= 1),
  match_time timestamptz NOT NULL
);

-- Append-only: what each match did to each of its players, with all that rating it again needs.
CREATE TABLE ratings.ledger (
  sequence bigint NOT NULL CONSTRAINT ledger_fk_match REFERENCES ratings.matches (sequence),
  player_id uuid NOT NULL CONSTRAINT ledger_fk_player REFERENCES ratings.players (player_id),
  player_count smallint NOT NULL,
  bot boolean NOT NULL,
  total integer NOT NULL,
  mu_before double precision NOT NULL,
  variance_before double precision NOT NULL,
  mu_after double precision NOT NULL,
  variance_after double precision NOT NULL,
  CONSTRAINT ledger_pk PRIMARY KEY (sequence, player_id)
);
CREATE INDEX ledger_ix_player ON ratings.ledger (player_id, player_count, sequence);

-- The fold of the ledger: where everybody stands now, on the ladder of each size of table.
CREATE TABLE ratings.ratings (
  player_id uuid NOT NULL CONSTRAINT ratings_fk_player REFERENCES ratings.players (player_id),
  player_count smallint NOT NULL,
  mu double precision NOT NULL,
  variance double precision NOT NULL CONSTRAINT ratings_ck_variance CHECK (variance > 0),
  match_count integer NOT NULL,
  update_time timestamptz NOT NULL,
  CONSTRAINT ratings_pk PRIMARY KEY (player_id, player_count)
);
CREATE INDEX ratings_ix_board ON ratings.ratings (player_count, mu, player_id);

-- The variance after an absence; see rating::Model::Aged. Inlined by the planner.
CREATE FUNCTION ratings.grown_variance(variance double precision, update_time timestamptz,
                                       now_time timestamptz, growth_per_second double precision)
RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT variance + growth_per_second
         * greatest(0, extract(epoch FROM now_time - update_time))::double precision
$$;
