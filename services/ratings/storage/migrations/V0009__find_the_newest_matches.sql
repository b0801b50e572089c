-- The transaction that stored the match. Replicas find new matches by it, because a match with a
-- lower sequence may become visible later than one with a higher sequence. Replicas of the version
-- before this one do not know the column, and its default serves them too. Old matches get the
-- transaction of this migration.
ALTER TABLE ratings.matches
  ADD COLUMN stored_by xid8 NOT NULL DEFAULT pg_current_xact_id();
CREATE INDEX matches_ix_stored_by ON ratings.matches (stored_by);
