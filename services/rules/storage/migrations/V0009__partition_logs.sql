-- The logs and the index of finished deals are divided by ranges of table ids, so that the service
-- can drop the log of a day as soon as the archive has its deals. The SQL tables of before become
-- the default partitions: they keep their rows, and nothing is copied or scanned. Ids of older
-- versions are random, so they have no range of their own.

ALTER TABLE rules.table_actions RENAME TO table_actions_rest;
ALTER TABLE rules.table_actions_rest RENAME CONSTRAINT table_actions_pk TO table_actions_rest_pk;
ALTER TABLE rules.table_actions_rest
  RENAME CONSTRAINT table_actions_uq_request TO table_actions_rest_uq_request;
CREATE TABLE rules.table_actions (
  table_id    uuid        NOT NULL,
  revision    integer     NOT NULL,
  request_id  uuid        NOT NULL,
  kind        smallint    NOT NULL,
  actor       smallint    NOT NULL,
  seat        smallint    NOT NULL,
  payload     bytea       NOT NULL,
  elapsed_us  bigint      NOT NULL,
  create_time timestamptz NOT NULL,
  CONSTRAINT table_actions_pk PRIMARY KEY (table_id, revision),
  CONSTRAINT table_actions_uq_request UNIQUE (table_id, request_id),
  CONSTRAINT table_actions_ck_revision CHECK (revision > 0)
) PARTITION BY RANGE (table_id);
ALTER TABLE rules.table_actions ATTACH PARTITION rules.table_actions_rest DEFAULT;

ALTER TABLE rules.deals RENAME TO deals_rest;
ALTER TABLE rules.deals_rest RENAME CONSTRAINT deals_pk TO deals_rest_pk;
ALTER INDEX rules.deals_ix_time RENAME TO deals_rest_ix_time;
CREATE TABLE rules.deals (
  table_id       uuid        NOT NULL,
  number         integer     NOT NULL,
  first_revision integer     NOT NULL,
  last_revision  integer     NOT NULL,
  finish_time    timestamptz NOT NULL,
  revealed       bytea,
  deals_scored   integer,
  totals         integer[],
  CONSTRAINT deals_pk PRIMARY KEY (table_id, number)
) PARTITION BY RANGE (table_id);
CREATE INDEX deals_ix_time ON rules.deals (finish_time DESC, table_id DESC, number DESC);
ALTER TABLE rules.deals ATTACH PARTITION rules.deals_rest DEFAULT;

ALTER TABLE rules.deal_players RENAME TO deal_players_rest;
ALTER TABLE rules.deal_players_rest RENAME CONSTRAINT deal_players_pk TO deal_players_rest_pk;
CREATE TABLE rules.deal_players (
  player_id   uuid        NOT NULL,
  finish_time timestamptz NOT NULL,
  table_id    uuid        NOT NULL,
  number      integer     NOT NULL,
  CONSTRAINT deal_players_pk PRIMARY KEY (player_id, finish_time, table_id, number)
) PARTITION BY RANGE (table_id);
ALTER TABLE rules.deal_players ATTACH PARTITION rules.deal_players_rest DEFAULT;

-- The partitions other than the default ones. Number 7 has the ids from first_id to before end_id,
-- in the SQL tables table_actions_7, deals_7 and deal_players_7.
CREATE TABLE rules.log_partitions (
  partition_id integer     NOT NULL GENERATED ALWAYS AS IDENTITY,
  first_id     uuid        NOT NULL,
  end_id       uuid        NOT NULL,
  -- Set when the SQL tables are dropped. Then the archive has the deals.
  drop_time    timestamptz,
  CONSTRAINT log_partitions_pk PRIMARY KEY (partition_id),
  CONSTRAINT log_partitions_uq_first UNIQUE (first_id),
  CONSTRAINT log_partitions_ck_range CHECK (first_id < end_id)
);

-- The files of the archive (services/rules/storage/archive_store.h).
CREATE TABLE rules.archive_files (
  file_id      integer NOT NULL GENERATED ALWAYS AS IDENTITY,
  partition_id integer NOT NULL,
  name         text    NOT NULL,
  byte_count   bigint  NOT NULL,
  CONSTRAINT archive_files_pk PRIMARY KEY (file_id),
  CONSTRAINT archive_files_uq_name UNIQUE (name),
  CONSTRAINT archive_files_fk_partition FOREIGN KEY (partition_id) REFERENCES rules.log_partitions
);

-- The place of each archived match in its file, the times when its deals ended, in the order of
-- their numbers from 1, and the least and the greatest of these times.
CREATE TABLE rules.archived_matches (
  table_id          uuid          NOT NULL,
  first_finish_time timestamptz   NOT NULL,
  last_finish_time  timestamptz   NOT NULL,
  file_id           integer       NOT NULL,
  byte_offset       integer       NOT NULL,
  byte_count        integer       NOT NULL,
  finish_times      timestamptz[] NOT NULL,
  CONSTRAINT archived_matches_pk PRIMARY KEY (table_id),
  CONSTRAINT archived_matches_fk_file FOREIGN KEY (file_id) REFERENCES rules.archive_files
);
CREATE INDEX archived_matches_ix_time
  ON rules.archived_matches (last_finish_time DESC, table_id DESC);
