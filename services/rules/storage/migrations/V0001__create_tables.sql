-- The log is the truth: a table is the fold of its rows in rules.table_actions.

CREATE TABLE rules.tables (
  table_id      uuid        NOT NULL,
  rule_set      text        NOT NULL,
  deal_count    integer     NOT NULL,
  move_limit_ms bigint      NOT NULL,
  time_bank_ms  bigint      NOT NULL,
  ranked        boolean     NOT NULL,
  create_time   timestamptz NOT NULL,
  -- Set with the last entry of the match.
  finish_time   timestamptz,
  deals_scored  integer,
  totals        integer[],
  CONSTRAINT tables_pk PRIMARY KEY (table_id),
  CONSTRAINT tables_ck_finished
    CHECK ((finish_time IS NULL) = (totals IS NULL)
           AND (finish_time IS NULL) = (deals_scored IS NULL))
);
CREATE INDEX tables_ix_live ON rules.tables (create_time DESC, table_id) WHERE finish_time IS NULL;
CREATE INDEX tables_ix_time ON rules.tables (create_time DESC, table_id);

CREATE TABLE rules.table_seats (
  table_id     uuid     NOT NULL,
  seat         smallint NOT NULL,
  player_id    uuid     NOT NULL,
  display_name text     NOT NULL,
  bot_level    text     NOT NULL,
  CONSTRAINT table_seats_pk PRIMARY KEY (table_id, seat),
  CONSTRAINT table_seats_uq_player UNIQUE (table_id, player_id),
  CONSTRAINT table_seats_fk_table FOREIGN KEY (table_id) REFERENCES rules.tables
);
CREATE INDEX table_seats_ix_player ON rules.table_seats (player_id);

-- The primary key referees every race, the unique request makes every retry free.
CREATE TABLE rules.table_actions (
  table_id    uuid        NOT NULL,
  revision    integer     NOT NULL,
  request_id  uuid        NOT NULL,
  kind        smallint    NOT NULL,  -- services/rules/app/log_entry.h
  actor       smallint    NOT NULL,
  seat        smallint    NOT NULL,
  payload     bytea       NOT NULL,
  elapsed_us  bigint      NOT NULL,
  create_time timestamptz NOT NULL,
  CONSTRAINT table_actions_pk PRIMARY KEY (table_id, revision),
  CONSTRAINT table_actions_uq_request UNIQUE (table_id, request_id),
  CONSTRAINT table_actions_ck_revision CHECK (revision > 0)
);

-- Finished deals, by their place in the log.
CREATE TABLE rules.deals (
  table_id       uuid        NOT NULL,
  number         integer     NOT NULL,
  first_revision integer     NOT NULL,
  last_revision  integer     NOT NULL,
  finish_time    timestamptz NOT NULL,
  CONSTRAINT deals_pk PRIMARY KEY (table_id, number)
);
CREATE INDEX deals_ix_time ON rules.deals (finish_time DESC, table_id DESC, number DESC);

CREATE TABLE rules.deal_players (
  player_id   uuid        NOT NULL,
  finish_time timestamptz NOT NULL,
  table_id    uuid        NOT NULL,
  number      integer     NOT NULL,
  CONSTRAINT deal_players_pk PRIMARY KEY (player_id, finish_time, table_id, number)
);

-- Ends of matches that another service must still hear of; delivered rows go.
CREATE TABLE rules.outbox (
  table_id    uuid        NOT NULL,
  target      smallint    NOT NULL,  -- 0 ratings, 1 matchmaking
  create_time timestamptz NOT NULL,
  CONSTRAINT outbox_pk PRIMARY KEY (table_id, target),
  CONSTRAINT outbox_fk_table FOREIGN KEY (table_id) REFERENCES rules.tables
);
CREATE INDEX outbox_ix_time ON rules.outbox (create_time);
