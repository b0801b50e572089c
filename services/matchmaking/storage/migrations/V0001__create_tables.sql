-- Queues are data: a row more is a queue more, after the next start of the service.
CREATE TABLE matchmaking.queues (
  queue_id text CONSTRAINT queues_pk PRIMARY KEY
    CONSTRAINT queues_ck_id CHECK (queue_id ~ '^[a-z0-9-]+$'),
  display_name text NOT NULL,
  player_count integer NOT NULL CONSTRAINT queues_ck_players CHECK (player_count BETWEEN 3 AND 5),
  rule_set text NOT NULL,
  deal_count integer NOT NULL CONSTRAINT queues_ck_deals CHECK (deal_count BETWEEN 1 AND 100),
  move_limit_seconds integer NOT NULL CONSTRAINT queues_ck_limit CHECK (move_limit_seconds >= 1),
  time_bank_seconds integer NOT NULL CONSTRAINT queues_ck_bank CHECK (time_bank_seconds >= 0),
  ranked boolean NOT NULL,
  -- Bots fill a casual queue's table after this; 0 never.
  bot_fill_delay_seconds integer NOT NULL,
  CONSTRAINT queues_ck_fill
    CHECK (bot_fill_delay_seconds >= 0 AND NOT (ranked AND bot_fill_delay_seconds > 0))
);

INSERT INTO matchmaking.queues VALUES
  ('ranked4', 'Ranked, four players, 4 deals', 4, 'fft', 4, 30, 120, true, 0),
  ('casual4', 'Casual, four players, 2 deals', 4, 'fft', 2, 30, 60, false, 8);

-- Bots of the house: players with names and ratings of their own. They join the population in the
-- order of their places.
CREATE TABLE matchmaking.bots (
  player_id uuid CONSTRAINT bots_pk PRIMARY KEY,
  display_name text NOT NULL CONSTRAINT bots_uq_name UNIQUE,
  level text NOT NULL CONSTRAINT bots_ck_level CHECK (level IN ('novice', 'club')),
  place integer NOT NULL CONSTRAINT bots_uq_place UNIQUE
);

INSERT INTO matchmaking.bots (player_id, display_name, level, place)
SELECT ('b0700000-0000-4000-8000-' || lpad(place::text, 12, '0'))::uuid, display_name,
       CASE WHEN place % 2 = 0 THEN 'club' ELSE 'novice' END, place
FROM unnest(ARRAY[
       'Papillon', 'Baroque', 'Gribouille', 'Farandole', 'Capucine', 'Mistral', 'Colombine',
       'Passepartout', 'Ritournelle', 'Hirondelle', 'Brindille', 'Chamade', 'Libellule',
       'Tournesol', 'Polichinelle', 'Camaïeu', 'Guinguette', 'Noctambule', 'Sarabande',
       'Clafoutis', 'Marjolaine', 'Escarboucle', 'Feu Follet', 'Vagabonde'])
     WITH ORDINALITY AS names(display_name, place);

-- A table is stored with its seats before the rules service is asked for it, so that the same can
-- be asked for again.
CREATE TABLE matchmaking.tables (
  table_id uuid CONSTRAINT tables_pk PRIMARY KEY,
  queue_id text NOT NULL CONSTRAINT tables_fk_queue REFERENCES matchmaking.queues,
  state text NOT NULL CONSTRAINT tables_ck_state
    CHECK (state IN ('placed', 'made', 'refused', 'over')),
  rating_spread integer NOT NULL,
  create_time timestamptz NOT NULL
);
CREATE INDEX tables_placed ON matchmaking.tables (create_time) WHERE state = 'placed';

CREATE TABLE matchmaking.table_seats (
  table_id uuid NOT NULL CONSTRAINT table_seats_fk_table REFERENCES matchmaking.tables,
  seat integer NOT NULL,
  player_id uuid NOT NULL,
  display_name text NOT NULL,
  bot_level text NOT NULL,
  ticket_id uuid,
  CONSTRAINT table_seats_pk PRIMARY KEY (table_id, seat)
);

CREATE TABLE matchmaking.tickets (
  ticket_id uuid CONSTRAINT tickets_pk PRIMARY KEY,
  queue_id text NOT NULL CONSTRAINT tickets_fk_queue REFERENCES matchmaking.queues,
  player_id uuid NOT NULL,
  display_name text NOT NULL,
  bot_level text NOT NULL,
  request_id uuid NOT NULL,
  state text NOT NULL CONSTRAINT tickets_ck_state
    CHECK (state IN ('waiting', 'placing', 'matched', 'cancelled', 'closed')),
  create_time timestamptz NOT NULL,
  table_id uuid,
  last_table_id uuid,
  CONSTRAINT tickets_uq_request UNIQUE (player_id, request_id),
  CONSTRAINT tickets_ck_table
    CHECK ((state IN ('placing', 'matched', 'closed')) = (table_id IS NOT NULL))
);
CREATE UNIQUE INDEX tickets_uq_live ON matchmaking.tickets (player_id, queue_id)
  WHERE state IN ('waiting', 'placing', 'matched');
CREATE INDEX tickets_waiting ON matchmaking.tickets (create_time) WHERE state = 'waiting';
CREATE INDEX tickets_live_bots ON matchmaking.tickets (player_id)
  WHERE bot_level <> '' AND state IN ('waiting', 'placing', 'matched');
CREATE INDEX tickets_table ON matchmaking.tickets (table_id) WHERE table_id IS NOT NULL;
CREATE INDEX tickets_player_closed ON matchmaking.tickets (player_id, create_time)
  WHERE state = 'closed';
