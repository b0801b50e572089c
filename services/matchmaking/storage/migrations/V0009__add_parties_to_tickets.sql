-- The room whose persons play together, and the number of its persons when the player joined the
-- queue. NULL: the player joined without a party.
ALTER TABLE matchmaking.tickets
  ADD COLUMN party_id uuid,
  ADD COLUMN party_size integer NOT NULL DEFAULT 1;
CREATE INDEX tickets_party ON matchmaking.tickets (party_id)
  WHERE party_id IS NOT NULL AND state = 'waiting';

-- For the sweep that forgets refused tables.
CREATE INDEX tables_refused ON matchmaking.tables (create_time) WHERE state = 'refused';
