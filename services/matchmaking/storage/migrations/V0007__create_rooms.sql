-- A room is a company of players that gathers for casual matches. `revision` counts the changes of
-- a room and its seats, so two replicas cannot both change what they have read.
CREATE TABLE matchmaking.rooms (
  room_id uuid CONSTRAINT rooms_pk PRIMARY KEY,
  code text NOT NULL,
  open boolean NOT NULL,
  creator_id uuid NOT NULL,
  request_id uuid NOT NULL,
  rule_set text NOT NULL,
  -- Every parameter of a custom rule set; NULL for a named one.
  rule_values text,
  deal_count integer NOT NULL,
  move_limit_seconds integer NOT NULL,
  time_bank_seconds integer NOT NULL,
  host_seat integer NOT NULL,
  invited uuid[] NOT NULL,
  -- The persons whom the host has removed.
  removed uuid[] NOT NULL,
  create_time timestamptz NOT NULL,
  -- The last change, or the last time when a player watched the room or its match ran.
  use_time timestamptz NOT NULL,
  -- NULL while the room is live.
  end_time timestamptz,
  -- The table of the last match, and the request that started it.
  table_id uuid,
  start_request_id uuid,
  -- The last table of the room before `table_id` that was made.
  last_table_id uuid,
  revision integer NOT NULL,
  CONSTRAINT rooms_uq_request UNIQUE (creator_id, request_id)
);
CREATE UNIQUE INDEX rooms_uq_code ON matchmaking.rooms (code) WHERE end_time IS NULL;
CREATE INDEX rooms_open ON matchmaking.rooms (create_time, room_id)
  WHERE open AND end_time IS NULL;
CREATE INDEX rooms_use_time ON matchmaking.rooms (use_time) WHERE end_time IS NULL;
CREATE INDEX rooms_end_time ON matchmaking.rooms (end_time) WHERE end_time IS NOT NULL;
CREATE INDEX rooms_table ON matchmaking.rooms (table_id) WHERE end_time IS NULL;
CREATE INDEX rooms_invited ON matchmaking.rooms USING gin (invited) WHERE end_time IS NULL;

-- One row for each seat. A free seat has no player.
CREATE TABLE matchmaking.room_seats (
  room_id uuid NOT NULL CONSTRAINT room_seats_fk_room REFERENCES matchmaking.rooms
    ON DELETE CASCADE,
  seat integer NOT NULL,
  player_id uuid,
  display_name text NOT NULL,
  bot_level text NOT NULL,
  -- The request by which a person took the seat.
  request_id uuid,
  CONSTRAINT room_seats_pk PRIMARY KEY (room_id, seat)
);
-- A person sits in at most one room.
CREATE UNIQUE INDEX room_seats_uq_person ON matchmaking.room_seats (player_id)
  WHERE bot_level = '';

-- The players who have used rooms, so that others can invite them.
CREATE TABLE matchmaking.players (
  player_id uuid CONSTRAINT players_pk PRIMARY KEY
);

-- The table of a room has no queue. Every parameter of a custom rule set stands in `rule_values`.
ALTER TABLE matchmaking.tables
  ALTER COLUMN queue_id DROP NOT NULL,
  ADD COLUMN rule_values text,
  ADD COLUMN room_id uuid,
  ADD COLUMN start_request_id uuid;
-- A request starts one match.
CREATE UNIQUE INDEX tables_uq_start ON matchmaking.tables (room_id, start_request_id)
  WHERE room_id IS NOT NULL;
CREATE INDEX tables_of_rooms ON matchmaking.tables (table_id)
  WHERE queue_id IS NULL AND state IN ('placed', 'made');
