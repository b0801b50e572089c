-- Makes one database, and in it one schema and one role for each service that stores something.
-- The role tarot_owner owns the schemas and applies the migrations. The role of a service only
-- reads and writes rows of its own schema; the role of admin only reads and inserts them. Run this
-- file as a superuser with psql, as often as you like. The passwords come from the environment
-- variables TAROT_OWNER_PASSWORD, TAROT_RULES_PASSWORD, TAROT_MATCHMAKING_PASSWORD,
-- TAROT_RATINGS_PASSWORD and TAROT_ADMIN_PASSWORD.
\getenv owner_password TAROT_OWNER_PASSWORD
\getenv rules_password TAROT_RULES_PASSWORD
\getenv matchmaking_password TAROT_MATCHMAKING_PASSWORD
\getenv ratings_password TAROT_RATINGS_PASSWORD
\getenv admin_password TAROT_ADMIN_PASSWORD

SELECT 'CREATE DATABASE tarot' WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'tarot')
\gexec
\connect tarot

SELECT format('CREATE ROLE tarot_%s LOGIN', service)
FROM unnest(ARRAY['owner', 'rules', 'matchmaking', 'ratings', 'admin']) AS service
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'tarot_' || service)
\gexec

-- Keep the passwords out of the server's log, whatever its settings.
SET log_statement = 'none';
SET log_min_duration_statement = -1;
SET log_min_error_statement = 'panic';
ALTER ROLE tarot_owner PASSWORD :'owner_password';
ALTER ROLE tarot_rules PASSWORD :'rules_password';
ALTER ROLE tarot_matchmaking PASSWORD :'matchmaking_password';
ALTER ROLE tarot_ratings PASSWORD :'ratings_password';
ALTER ROLE tarot_admin PASSWORD :'admin_password';

REVOKE ALL ON DATABASE tarot FROM PUBLIC;
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT CONNECT ON DATABASE tarot
  TO tarot_owner, tarot_rules, tarot_matchmaking, tarot_ratings, tarot_admin;

-- A procedure runs with the rights of its owner, who may do more than the role of a service. So
-- only the role of the service whose schema has the procedure may call it.
ALTER DEFAULT PRIVILEGES FOR ROLE tarot_owner REVOKE EXECUTE ON ROUTINES FROM PUBLIC;

-- One transaction makes all the following changes. So running services never lose their rights, not
-- even for a moment. In databases of older versions, the roles of the services own the schemas. To
-- change the owner of an SQL table, Postgres locks this SQL table. If Postgres does not get a lock
-- within half a second, the transaction ends with an error and changes nothing. In this case, run
-- this file again. Because of this limit, no statement of a service waits longer than half a
-- second.
BEGIN;
SET LOCAL lock_timeout = '500ms';
REASSIGN OWNED BY tarot_rules, tarot_matchmaking, tarot_ratings, tarot_admin TO tarot_owner;

SELECT format('CREATE SCHEMA %s AUTHORIZATION tarot_owner', service)
FROM unnest(ARRAY['rules', 'matchmaking', 'ratings', 'admin']) AS service
WHERE NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = service)
\gexec

-- Grants the rights on the SQL tables and procedures that exist now, and on those that migrations
-- will make later.
SELECT format(command, service, rights)
FROM (VALUES ('rules', 'SELECT, INSERT, UPDATE, DELETE'),
             ('matchmaking', 'SELECT, INSERT, UPDATE, DELETE'),
             ('ratings', 'SELECT, INSERT, UPDATE, DELETE'),
             ('admin', 'SELECT, INSERT')) AS roles (service, rights),
     unnest(ARRAY[
       'GRANT USAGE ON SCHEMA %1$s TO tarot_%1$s',
       'GRANT %2$s ON ALL TABLES IN SCHEMA %1$s TO tarot_%1$s',
       'GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA %1$s TO tarot_%1$s',
       'REVOKE EXECUTE ON ALL ROUTINES IN SCHEMA %1$s FROM PUBLIC',
       'GRANT EXECUTE ON ALL ROUTINES IN SCHEMA %1$s TO tarot_%1$s',
       'ALTER DEFAULT PRIVILEGES FOR ROLE tarot_owner IN SCHEMA %1$s
          GRANT %2$s ON TABLES TO tarot_%1$s',
       'ALTER DEFAULT PRIVILEGES FOR ROLE tarot_owner IN SCHEMA %1$s
          GRANT USAGE, SELECT ON SEQUENCES TO tarot_%1$s',
       'ALTER DEFAULT PRIVILEGES FOR ROLE tarot_owner IN SCHEMA %1$s
          GRANT EXECUTE ON ROUTINES TO tarot_%1$s']) AS command
\gexec
COMMIT;
