-- By how many seconds the replica's clock is ahead of the database's clock (libs/cluster).

ALTER TABLE rules.nodes ADD COLUMN clock_offset_seconds double precision NOT NULL DEFAULT 0;
