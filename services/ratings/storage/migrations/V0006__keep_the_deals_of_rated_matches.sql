-- The deals of rated matches, from which the luck of the players follows. Both tables are new, and
-- no older table changes, so replicas of the version before this one work on beside the new ones. A
-- match that such a replica stores has no rows here.
CREATE TABLE ratings.match_sheets (
  sequence bigint CONSTRAINT match_sheets_pk PRIMARY KEY
    CONSTRAINT match_sheets_fk_match REFERENCES ratings.matches (sequence),
  rule_values text NOT NULL,  -- rules::EncodeRuleSet
  seats uuid[] NOT NULL       -- The players in the order of their seats, from 1.
);

CREATE TABLE ratings.match_deals (
  sequence bigint NOT NULL
    CONSTRAINT match_deals_fk_sheet REFERENCES ratings.match_sheets (sequence),
  number integer NOT NULL,
  dealer smallint NOT NULL,     -- The seat, from 0.
  pack bytea NOT NULL CONSTRAINT match_deals_ck_pack CHECK (length(pack) = 78),
  outcome smallint NOT NULL,    -- DealOutcome (services/ratings/app/dealt_deals.h)
  scores integer[] NOT NULL,    -- In the order of the seats, from 1.
  stand_ins smallint NOT NULL,  -- Bit i is set if a bot acted for the person in seat i, from 0.
  CONSTRAINT match_deals_pk PRIMARY KEY (sequence, number)
);
