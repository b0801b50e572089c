-- Makes one database, and in it one role and one schema for each service that stores something.
-- A service owns its schema, applies its own migrations, and cannot see another service's schema.
-- Run it as a superuser with psql, as often as you like. The passwords come from the environment
-- variables TAROT_RULES_PASSWORD, TAROT_MATCHMAKING_PASSWORD, TAROT_RATINGS_PASSWORD and
-- TAROT_ADMIN_PASSWORD.
\getenv rules_password TAROT_RULES_PASSWORD
\getenv matchmaking_password TAROT_MATCHMAKING_PASSWORD
\getenv ratings_password TAROT_RATINGS_PASSWORD
\getenv admin_password TAROT_ADMIN_PASSWORD

SELECT 'CREATE DATABASE tarot' WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'tarot')
\gexec
\connect tarot

SELECT format('CREATE ROLE tarot_%s LOGIN', service)
FROM unnest(ARRAY['rules', 'matchmaking', 'ratings', 'admin']) AS service
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'tarot_' || service)
\gexec

-- Keep the passwords out of the server's log, whatever its settings.
SET log_statement = 'none';
SET log_min_duration_statement = -1;
SET log_min_error_statement = 'panic';
ALTER ROLE tarot_rules PASSWORD :'rules_password';
ALTER ROLE tarot_matchmaking PASSWORD :'matchmaking_password';
ALTER ROLE tarot_ratings PASSWORD :'ratings_password';
ALTER ROLE tarot_admin PASSWORD :'admin_password';

REVOKE ALL ON DATABASE tarot FROM PUBLIC;
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT CONNECT ON DATABASE tarot TO tarot_rules, tarot_matchmaking, tarot_ratings, tarot_admin;

SELECT format('CREATE SCHEMA %s AUTHORIZATION tarot_%s', service, service)
FROM unnest(ARRAY['rules', 'matchmaking', 'ratings', 'admin']) AS service
WHERE NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = service)
\gexec
