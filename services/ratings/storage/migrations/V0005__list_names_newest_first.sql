-- Gateways read the names of ranked players every few minutes, newest match first. Without this
-- index each page walks all players that ever had a match.
CREATE INDEX ratings_ix_update_time
  ON ratings.ratings (update_time, player_id, player_count);
