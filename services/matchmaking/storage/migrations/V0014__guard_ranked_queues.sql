-- Number of matches of queues that a person must finish before joining this ranked queue.
ALTER TABLE matchmaking.queues ADD COLUMN required_matches integer NOT NULL DEFAULT 0;
-- The network of the client. It is set only while the ticket waits or is being placed. NULL:
-- unknown, or forgotten.
ALTER TABLE matchmaking.tickets ADD COLUMN network text;
