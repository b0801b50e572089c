-- Numbers each player's rated matches on each ladder, from 1. The unique key lets one statement
-- rate a match without locks: two matches that were rated from the same standing of a player get
-- the same number, so the second one fails and is rated again.
ALTER TABLE ratings.ledger ADD COLUMN match_number integer;

UPDATE ratings.ledger AS l SET match_number = numbered.match_number
FROM (SELECT sequence, player_id,
             row_number() OVER (PARTITION BY player_id, player_count ORDER BY sequence)
               AS match_number
      FROM ratings.ledger) AS numbered
WHERE l.sequence = numbered.sequence AND l.player_id = numbered.player_id;

ALTER TABLE ratings.ledger ADD CONSTRAINT ledger_uq_match_number
  UNIQUE (player_id, player_count, match_number);
