-- The accounts of players: a name and a passphrase with which a player can sign in again. A player
-- without a row is a guest. `login_key` is the same for a name in upper and in lower case. The
-- table has hashes only: Argon2id of the passphrase, with its cost and salt, and SHA-256 of the
-- recovery code, which is random.
CREATE TABLE ratings.accounts (
  player_id uuid CONSTRAINT accounts_pk PRIMARY KEY,
  display_name text NOT NULL,
  login_key text NOT NULL CONSTRAINT accounts_uq_login_key UNIQUE,
  passphrase_hash text NOT NULL,
  recovery_hash text NOT NULL,
  recovery_request_id uuid,
  create_time timestamptz NOT NULL
);

-- The keys of the accounts' names. Two names that look alike share a key, so only one of them can
-- be the name of an account.
CREATE TABLE ratings.account_name_keys (
  name_key text CONSTRAINT account_name_keys_pk PRIMARY KEY,
  player_id uuid NOT NULL
);
