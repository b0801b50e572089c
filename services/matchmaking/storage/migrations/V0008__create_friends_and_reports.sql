-- A row says that a player asks another one to be a friend, or blocks the other one. Two players
-- who ask each other are friends.
CREATE TABLE matchmaking.relations (
  player_id uuid NOT NULL,
  other_id uuid NOT NULL,
  kind text NOT NULL CONSTRAINT relations_ck_kind CHECK (kind IN ('asks', 'blocks')),
  change_time timestamptz NOT NULL,
  CONSTRAINT relations_pk PRIMARY KEY (player_id, other_id),
  CONSTRAINT relations_ck_self CHECK (player_id <> other_id)
);
CREATE INDEX relations_other ON matchmaking.relations (other_id, player_id);

-- The time of the last call, to the half minute, and the name of the player at that time. Friends
-- see both. A player without friends, requests and blocks is forgotten after a long time.
ALTER TABLE matchmaking.players
  ADD COLUMN display_name text NOT NULL DEFAULT '',
  ADD COLUMN seen_time timestamptz NOT NULL DEFAULT now();
CREATE INDEX players_seen_time ON matchmaking.players (seen_time);

-- The players' reports of other players. A report names a deal and holds no card.
CREATE TABLE matchmaking.reports (
  reporter_id uuid NOT NULL,
  player_id uuid NOT NULL,
  table_id uuid NOT NULL,
  deal_number integer NOT NULL,
  reason text NOT NULL,
  report_time timestamptz NOT NULL,
  CONSTRAINT reports_pk PRIMARY KEY (reporter_id, player_id, table_id, deal_number)
);
CREATE INDEX reports_time ON matchmaking.reports
  (report_time, reporter_id, player_id, table_id, deal_number);
