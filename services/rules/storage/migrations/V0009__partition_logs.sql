-- The logs and the index of finished deals are divided by ranges of table ids, so that the service
-- can drop the log of a day as soon as the archive has its deals. The SQL tables of before become
-- the default partitions: they keep their rows, and nothing is copied or scanned. Ids of older
-- versions are random, so they have no range of their own.

-- Play waits behind each of the three locks. Together they take less than a second; then the
-- migration gives up, and is tried again.
SET LOCAL lock_timeout = '300ms';
LOCK TABLE rules.table_actions, rules.deals, rules.deal_players IN ACCESS EXCLUSIVE MODE;

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
  -- Null if the matches were in the default partitions. Then their logs were deleted by the
  -- transaction that has stored this row.
  partition_id integer,
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

-- The role of the service may only read and write rows. So procedures of the owner make and drop
-- the partitions (services/rules/storage/log_partitions.h, archiver.h).

-- Refuses new rows of the ids from first_id to before end_id in the default partitions.
CREATE PROCEDURE rules.close_log_range(first_id uuid, end_id uuid)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
  log text;
BEGIN
  CALL rules.open_log_range();
  FOREACH log IN ARRAY ARRAY['table_actions', 'deals', 'deal_players'] LOOP
    EXECUTE format('ALTER TABLE rules.%I ADD CONSTRAINT %I CHECK (table_id < %L OR table_id >= %L)'
                   ' NOT VALID', log || '_rest', log || '_rest_ck_next', first_id, end_id);
  END LOOP;
END
$$;

-- Proves that the default partitions have no row of a closed range. Reads all their rows, and takes
-- no lock for which readers or writers wait.
CREATE PROCEDURE rules.check_log_range()
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
  ALTER TABLE rules.table_actions_rest VALIDATE CONSTRAINT table_actions_rest_ck_next;
  ALTER TABLE rules.deals_rest VALIDATE CONSTRAINT deals_rest_ck_next;
  ALTER TABLE rules.deal_players_rest VALIDATE CONSTRAINT deal_players_rest_ck_next;
END
$$;

-- Makes the partition of a range that is closed and checked. The valid constraints save the scan of
-- the default partitions.
CREATE PROCEDURE rules.add_log_partition(first_id uuid, end_id uuid)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
  number integer;
  log text;
BEGIN
  INSERT INTO rules.log_partitions AS p (first_id, end_id)
    VALUES (add_log_partition.first_id, add_log_partition.end_id)
    RETURNING p.partition_id INTO number;
  FOREACH log IN ARRAY ARRAY['table_actions', 'deals', 'deal_players'] LOOP
    EXECUTE format('CREATE TABLE rules.%I (LIKE rules.%I INCLUDING ALL)',
                   log || '_' || number, log);
    EXECUTE format('ALTER TABLE rules.%I ATTACH PARTITION rules.%I FOR VALUES FROM (%L) TO (%L)',
                   log, log || '_' || number, first_id, end_id);
  END LOOP;
  CALL rules.open_log_range();
END
$$;

-- Removes the constraints of close_log_range(). If there are none, takes no lock.
CREATE PROCEDURE rules.open_log_range()
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
  log text;
BEGIN
  FOR log IN SELECT c.conrelid::regclass::text FROM pg_catalog.pg_constraint AS c
             WHERE c.conrelid IN ('rules.table_actions_rest'::regclass,
                                  'rules.deals_rest'::regclass,
                                  'rules.deal_players_rest'::regclass)
               AND c.conname LIKE '%\_rest\_ck\_next' LOOP
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', log, split_part(log, '.', 2) || '_ck_next');
  END LOOP;
END
$$;

-- Drops a partition and marks it. Refuses this if the archive lacks a match or a deal of it.
CREATE PROCEDURE rules.drop_log_partition(number integer)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
  part rules.log_partitions;
  log text;
BEGIN
  SELECT * INTO STRICT part FROM rules.log_partitions AS p
    WHERE p.partition_id = number AND p.drop_time IS NULL;
  IF EXISTS (SELECT FROM rules.deals AS d LEFT JOIN rules.archived_matches AS a USING (table_id)
             WHERE d.table_id >= part.first_id AND d.table_id < part.end_id
               AND d.finish_time IS DISTINCT FROM a.finish_times[d.number]) THEN
    RAISE EXCEPTION 'The archive lacks a deal of partition %.', number;
  END IF;
  LOCK TABLE rules.table_actions, rules.deals, rules.deal_players IN ACCESS EXCLUSIVE MODE;
  -- A table that was made meanwhile, with an id of this range, may have entries here.
  IF EXISTS (SELECT FROM rules.tables AS t LEFT JOIN rules.archived_matches AS a USING (table_id)
             WHERE t.table_id >= part.first_id AND t.table_id < part.end_id
               AND a.table_id IS NULL) THEN
    RAISE EXCEPTION 'The archive lacks a match of partition %.', number;
  END IF;
  UPDATE rules.log_partitions AS p SET drop_time = now() WHERE p.partition_id = number;
  FOREACH log IN ARRAY ARRAY['table_actions', 'deals', 'deal_players'] LOOP
    EXECUTE format('DROP TABLE rules.%I', log || '_' || number);
  END LOOP;
END
$$;
