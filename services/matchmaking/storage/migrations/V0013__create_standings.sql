-- What the persons' finished matches of queues mean for their next ranked tickets
-- (app/standing.h).
CREATE TABLE matchmaking.standings (
  player_id uuid CONSTRAINT standings_pk PRIMARY KEY,
  -- Matches that the person has played to the end.
  finished_count integer NOT NULL DEFAULT 0,
  -- Leaves of ranked matches that still count, and the time of the last one. NULL: there was none.
  leave_steps double precision NOT NULL DEFAULT 0,
  leave_time timestamptz,
  -- Matches played to the end since the last leave, or since ten of them forgave a leave.
  finished_since integer NOT NULL DEFAULT 0,
  -- Until then, the person gets no ranked ticket. NULL: the person never had a penalty.
  penalty_end timestamptz
);

-- The service did not store before which persons left a match, so every match counts as finished.
INSERT INTO matchmaking.standings (player_id, finished_count)
SELECT s.player_id, count(*)
FROM matchmaking.tables t JOIN matchmaking.table_seats s USING (table_id)
WHERE t.state = 'over' AND t.queue_id IS NOT NULL AND s.bot_level = ''
GROUP BY s.player_id;
