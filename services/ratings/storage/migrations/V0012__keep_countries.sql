-- The country that a player has chosen, as two letters of ISO 3166. Replicas find new choices by
-- the transaction that stored them, as they find new matches. Replicas of the version before this
-- one do not know the columns and change no country.
ALTER TABLE ratings.players
  ADD COLUMN country text CONSTRAINT players_ck_country CHECK (country ~ '^[A-Z]{2}$'),
  ADD COLUMN country_stored_by xid8;
CREATE INDEX players_ix_country_stored_by ON ratings.players (country_stored_by)
  WHERE country_stored_by IS NOT NULL;
