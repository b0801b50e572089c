-- The proposals that the players of a room may make. The tables of queues allow none.
ALTER TABLE matchmaking.rooms
  ADD COLUMN take_back boolean NOT NULL DEFAULT false,
  ADD COLUMN breaks boolean NOT NULL DEFAULT false;
ALTER TABLE matchmaking.tables
  ADD COLUMN take_back boolean NOT NULL DEFAULT false,
  ADD COLUMN breaks boolean NOT NULL DEFAULT false;
