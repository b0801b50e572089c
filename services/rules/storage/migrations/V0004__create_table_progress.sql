-- The progress of each match as lists show it, so that a list reads no logs. A table without a row
-- is new, or was made before this table.

CREATE TABLE rules.table_progress (
  table_id     uuid      NOT NULL,
  phase        smallint  NOT NULL,  -- TablePhase (services/rules/app/table_config.h)
  deals_dealt  integer   NOT NULL,
  deals_scored integer   NOT NULL,
  totals       integer[] NOT NULL,  -- Indexed by seat, from 1.
  CONSTRAINT table_progress_pk PRIMARY KEY (table_id),
  CONSTRAINT table_progress_fk_table FOREIGN KEY (table_id) REFERENCES rules.tables
) WITH (fillfactor = 50);  -- Each row changes twice per deal. With room, its index does not.
