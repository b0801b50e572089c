-- One report of a player and a table; the deal that the first report names stays.
DELETE FROM matchmaking.reports AS r
WHERE EXISTS (SELECT FROM matchmaking.reports AS o
              WHERE o.reporter_id = r.reporter_id AND o.player_id = r.player_id
                AND o.table_id = r.table_id AND o.deal_number < r.deal_number);
ALTER TABLE matchmaking.reports DROP CONSTRAINT reports_pk;
ALTER TABLE matchmaking.reports
  ADD CONSTRAINT reports_pk PRIMARY KEY (reporter_id, player_id, table_id);

-- A wave reads the blocks of waiting players, and a request counts the requests for its player.
-- Neither reads the other rows of these players.
CREATE INDEX relations_blocks ON matchmaking.relations (player_id, other_id)
  WHERE kind = 'blocks';
CREATE INDEX relations_asking ON matchmaking.relations (other_id, player_id)
  WHERE kind = 'asks';

-- A room is in use while its persons wait in a queue, or play a match of a queue, as a party.
CREATE INDEX tickets_live_party ON matchmaking.tickets (party_id)
  WHERE party_id IS NOT NULL AND state IN ('waiting', 'placing', 'matched');
