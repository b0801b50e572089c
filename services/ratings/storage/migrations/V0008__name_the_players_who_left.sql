-- A player for whom a bot played a large part of a match gains nothing by it. The column has a
-- default, so replicas of the version before this one work on beside the new ones. They rate all
-- players alike.
ALTER TABLE ratings.ledger ADD COLUMN left_match boolean NOT NULL DEFAULT false;
