-- Operators now change queues and bots with tarot-apply-queues, which reads deploy/queues.json. A
-- database that was never used gets all of them from there.
DELETE FROM matchmaking.queues WHERE NOT EXISTS (SELECT FROM matchmaking.tickets);
DELETE FROM matchmaking.bots WHERE NOT EXISTS (SELECT FROM matchmaking.tickets);

-- A queue that is missing in the file is closed. Its row stays, because tickets refer to it.
ALTER TABLE matchmaking.queues ADD COLUMN open boolean NOT NULL DEFAULT true;

-- The service checks rule sets, ranges and levels, and names the field that is wrong.
ALTER TABLE matchmaking.bots DROP CONSTRAINT bots_ck_level;

-- The terms of a match, as its queue had them when the table was placed: every request for the
-- table is the same, although the queue may have changed. NULL: an older version placed the table.
ALTER TABLE matchmaking.tables
  ADD COLUMN rule_set text,
  ADD COLUMN deal_count integer,
  ADD COLUMN move_limit_seconds integer,
  ADD COLUMN time_bank_seconds integer,
  ADD COLUMN ranked boolean;
UPDATE matchmaking.tables AS t
SET rule_set = q.rule_set, deal_count = q.deal_count, move_limit_seconds = q.move_limit_seconds,
    time_bank_seconds = q.time_bank_seconds, ranked = q.ranked
FROM matchmaking.queues AS q WHERE q.queue_id = t.queue_id AND t.state = 'placed';
