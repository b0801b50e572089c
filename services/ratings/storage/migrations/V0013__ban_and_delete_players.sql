-- The bans of players. Gateways read them together with the revocations, whose counter numbers them
-- too. A ban that has ended stays, so that a gateway that missed its end reads it later. Replicas
-- of the version before this one do not read the table, and gateways that ask them see no bans.
CREATE TABLE ratings.bans (
  player_id uuid CONSTRAINT bans_pk PRIMARY KEY,
  sequence bigint NOT NULL CONSTRAINT bans_uq_sequence UNIQUE,
  create_time timestamptz NOT NULL,
  end_time timestamptz NOT NULL,
  message text NOT NULL  -- A text for the player.
);

-- Set when an operator has deleted the player. The name is then a fixed text. Replicas of the
-- version before this one would store the name again with a later match of the player, but a
-- deleted player cannot play.
ALTER TABLE ratings.players ADD COLUMN deleted_time timestamptz;
