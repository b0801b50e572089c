-- Casual matches also have rows, so that players find them in their histories. They do not change
-- ratings: the columns of the skill and the number of the match are NULL.
ALTER TABLE ratings.matches ADD COLUMN rated boolean NOT NULL DEFAULT true;

ALTER TABLE ratings.ledger
  ALTER COLUMN mu_before DROP NOT NULL,
  ALTER COLUMN variance_before DROP NOT NULL,
  ALTER COLUMN mu_after DROP NOT NULL,
  ALTER COLUMN variance_after DROP NOT NULL,
  ADD CONSTRAINT ledger_ck_rated
    CHECK (num_nulls(mu_before, variance_before, mu_after, variance_after) IN (0, 4));

-- A player's matches on all ladders, newest first.
CREATE INDEX ledger_ix_player_sequence ON ratings.ledger (player_id, sequence);
