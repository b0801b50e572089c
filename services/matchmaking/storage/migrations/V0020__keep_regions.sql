-- The region of the gateway through which the player joined the queue. Empty: unknown.
ALTER TABLE matchmaking.tickets ADD COLUMN region text NOT NULL DEFAULT '';

-- The round trips between regions, from the file deploy/queues.json. Each pair has one row.
CREATE TABLE matchmaking.round_trips (
  region text NOT NULL,
  other_region text NOT NULL,
  milliseconds integer NOT NULL CONSTRAINT round_trips_ck_milliseconds CHECK (milliseconds > 0),
  CONSTRAINT round_trips_pk PRIMARY KEY (region, other_region)
);
