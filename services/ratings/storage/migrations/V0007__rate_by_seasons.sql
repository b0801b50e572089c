-- The seasons of the ladders, and what a match that is rated by a season stores. The new table and
-- the new columns are unknown to replicas of the version before this one, which work on beside the
-- new ones. A match that such a replica stores is rated by plain points.
CREATE TABLE ratings.seasons (
  player_count smallint NOT NULL,
  number integer NOT NULL,             -- From 1 on each ladder.
  rule_set text NOT NULL,
  baseline_policy integer NOT NULL,
  baseline_replays integer NOT NULL,
  bid_shift double precision NOT NULL,
  place_means double precision[] NOT NULL,  -- Five numbers; those of missing players are zero.
  luck_share double precision NOT NULL,
  weight_scale double precision NOT NULL,
  noise_variance double precision NOT NULL,
  prior_variance double precision NOT NULL,
  provenance text NOT NULL,
  create_time timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT seasons_pk PRIMARY KEY (player_count, number)
);

ALTER TABLE ratings.matches ADD COLUMN season integer;  -- NULL if it is rated by plain points.

ALTER TABLE ratings.match_deals
  ADD COLUMN mean_scores double precision[],  -- NULL if the deal does not count.
  ADD COLUMN deviation double precision;

ALTER TABLE ratings.ledger
  ADD COLUMN luck double precision,    -- NULL if the match is rated by plain points.
  ADD COLUMN result double precision;
