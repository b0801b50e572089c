-- Lists read the state of a match from its last deal in rules.deals. So the start of a deal writes
-- nothing for lists, and the end of a deal writes no further row.

ALTER TABLE rules.deals
  ADD COLUMN deals_scored integer,    -- The deals of the match scored so far.
  ADD COLUMN totals       integer[];  -- Indexed by seat, from 1.

UPDATE rules.deals d
SET deals_scored = p.deals_scored, totals = p.totals
FROM rules.table_progress p JOIN rules.tables t USING (table_id)
WHERE t.finish_time IS NULL AND d.table_id = p.table_id
  AND d.number = (SELECT max(e.number) FROM rules.deals e WHERE e.table_id = d.table_id);

-- This release does not use rules.table_progress. It stays for replicas of the release before.
