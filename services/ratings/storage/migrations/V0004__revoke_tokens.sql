-- Players' tokens that every gateway refuses. A row is about one token (subject_id is the id of the
-- token), or about all tokens of a player (subject_id is the id of the player) who signed in at
-- latest_sign_in_time or before. The row goes when the last of these tokens has expired. The table
-- has ids of tokens and no token.
CREATE TABLE ratings.revocations (
  sequence bigint CONSTRAINT revocations_pk PRIMARY KEY,
  subject_id uuid NOT NULL CONSTRAINT revocations_uq_subject UNIQUE,
  latest_sign_in_time timestamptz,
  expire_time timestamptz NOT NULL
);
CREATE INDEX revocations_ix_expire_time ON ratings.revocations (expire_time);

-- The sequence of the newest revocation. Each revocation updates this row, and so it waits for the
-- commit of the revocation before. So sequences become visible in their order, and a reader who
-- asks for the rows after a sequence misses none.
CREATE TABLE ratings.revocation_counter (
  only_row boolean NOT NULL DEFAULT true CONSTRAINT revocation_counter_pk PRIMARY KEY
    CONSTRAINT revocation_counter_ck_only_row CHECK (only_row),
  last_sequence bigint NOT NULL
);
INSERT INTO ratings.revocation_counter (last_sequence) VALUES (0);
