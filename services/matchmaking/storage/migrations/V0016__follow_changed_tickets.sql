-- The transaction that last changed the ticket. Replicas read only the tickets that have changed
-- since their last read (docs/adr/2026-11-26-follow-changed-tickets.md).
ALTER TABLE matchmaking.tickets
  ADD COLUMN changed_by xid8 NOT NULL DEFAULT pg_current_xact_id();
CREATE INDEX tickets_changed_by ON matchmaking.tickets (changed_by);

-- Triggers do this, because replicas of an older version also change tickets.
CREATE FUNCTION matchmaking.stamp_ticket() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.changed_by := pg_current_xact_id();
  RETURN NEW;
END $$;
CREATE TRIGGER tickets_stamp BEFORE UPDATE ON matchmaking.tickets
  FOR EACH ROW EXECUTE FUNCTION matchmaking.stamp_ticket();

-- A waiting ticket also counts as changed when the persons of its room may have changed, and when
-- its player blocks or unblocks another player. These functions lock tickets in the same order as
-- all other statements, so that no two of them can block each other forever.
CREATE FUNCTION matchmaking.stamp_tickets_of_room() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH picked AS (
    SELECT ticket_id FROM matchmaking.tickets
    WHERE party_id = NEW.room_id AND state = 'waiting'
    ORDER BY ticket_id FOR UPDATE
  )
  UPDATE matchmaking.tickets AS t SET changed_by = pg_current_xact_id()
  FROM picked WHERE t.ticket_id = picked.ticket_id;
  RETURN NULL;
END $$;
CREATE TRIGGER rooms_stamp AFTER UPDATE OF revision ON matchmaking.rooms
  FOR EACH ROW EXECUTE FUNCTION matchmaking.stamp_tickets_of_room();

CREATE FUNCTION matchmaking.stamp_tickets_of_player() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH picked AS (
    SELECT ticket_id FROM matchmaking.tickets
    WHERE player_id = coalesce(NEW.player_id, OLD.player_id) AND state = 'waiting'
    ORDER BY ticket_id FOR UPDATE
  )
  UPDATE matchmaking.tickets AS t SET changed_by = pg_current_xact_id()
  FROM picked WHERE t.ticket_id = picked.ticket_id;
  RETURN NULL;
END $$;
CREATE TRIGGER relations_stamp AFTER INSERT OR UPDATE OR DELETE ON matchmaking.relations
  FOR EACH ROW EXECUTE FUNCTION matchmaking.stamp_tickets_of_player();
