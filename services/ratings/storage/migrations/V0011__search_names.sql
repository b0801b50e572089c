-- Players search each other by the beginning of a name, without regard to upper case and accents.
-- ICU knows the letters of all scripts; the database itself has the locale C. Replicas of the
-- version before this one do not use the function.
CREATE FUNCTION ratings.search_name(name text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT regexp_replace(normalize(lower(name COLLATE "und-x-icu"), NFKD),
                        '[\u0300-\u036f]', '', 'g') COLLATE "C"
$$;
CREATE INDEX players_ix_search_name
  ON ratings.players (ratings.search_name(display_name), player_id);
