-- The calls of operators. A row is stored before its call does anything. The outcome has a row of
-- its own, because nothing in this schema is ever changed. There are no foreign keys: their checks
-- lock rows, and a role that may only insert and select cannot lock a row.
CREATE TABLE admin.calls (
  call_id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT calls_pk PRIMARY KEY,
  call_time timestamptz NOT NULL DEFAULT now(),
  operator_name text NOT NULL,
  method text NOT NULL,
  subject text NOT NULL,
  details text NOT NULL,
  why text NOT NULL CONSTRAINT calls_ck_why CHECK (why <> '')
);
CREATE INDEX calls_ix_subject ON admin.calls (subject, method) WHERE subject <> '';

CREATE TABLE admin.outcomes (
  call_id bigint CONSTRAINT outcomes_pk PRIMARY KEY,
  end_time timestamptz NOT NULL DEFAULT now(),
  outcome text NOT NULL  -- OK or an error reason.
);

-- The pairs of players that the statistic of collusion has flagged, and the judgements of
-- operators.
CREATE TABLE admin.flags (
  flag_id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT flags_pk PRIMARY KEY,
  first_player_id uuid NOT NULL,
  second_player_id uuid NOT NULL,
  z double precision NOT NULL,
  deal_count integer NOT NULL,
  lost_credit double precision NOT NULL,
  evidence text[] NOT NULL,
  create_time timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT flags_uq_flag UNIQUE (first_player_id, second_player_id, deal_count, z),
  CONSTRAINT flags_ck_players CHECK (first_player_id < second_player_id)
);

CREATE TABLE admin.judgements (
  flag_id bigint CONSTRAINT judgements_pk PRIMARY KEY,
  verdict text NOT NULL CONSTRAINT judgements_ck_verdict
    CHECK (verdict IN ('collusion', 'dismissed')),
  operator_name text NOT NULL,
  why text NOT NULL,
  judge_time timestamptz NOT NULL DEFAULT now()
);

-- The role of the service may only insert and select. The trigger also stops a role with more
-- rights, for example a superuser.
REVOKE UPDATE, DELETE, TRUNCATE ON admin.calls, admin.outcomes, admin.flags, admin.judgements
  FROM CURRENT_USER;

CREATE FUNCTION admin.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the table % is append-only', TG_TABLE_NAME
    USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER calls_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON admin.calls
  FOR EACH STATEMENT EXECUTE FUNCTION admin.refuse_change();
CREATE TRIGGER outcomes_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON admin.outcomes
  FOR EACH STATEMENT EXECUTE FUNCTION admin.refuse_change();
CREATE TRIGGER flags_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON admin.flags
  FOR EACH STATEMENT EXECUTE FUNCTION admin.refuse_change();
CREATE TRIGGER judgements_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON admin.judgements
  FOR EACH STATEMENT EXECUTE FUNCTION admin.refuse_change();
