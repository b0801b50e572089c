-- Bots of level strong: every second of the population, for people to meet (a person's partner
-- never plays below strong), and eight more at the end, who fill casual tables and stay out of the
-- queues for as long as the population leaves them out.
ALTER TABLE matchmaking.bots DROP CONSTRAINT bots_ck_level;
ALTER TABLE matchmaking.bots
  ADD CONSTRAINT bots_ck_level CHECK (level IN ('novice', 'club', 'strong'));

UPDATE matchmaking.bots
SET level = CASE place % 4 WHEN 1 THEN 'novice' WHEN 3 THEN 'club' ELSE 'strong' END;

INSERT INTO matchmaking.bots (player_id, display_name, level, place)
SELECT ('b0700000-0000-4000-8000-' || lpad(place::text, 12, '0'))::uuid, display_name, 'strong',
       place
FROM (SELECT display_name, 24 + position AS place
      FROM unnest(ARRAY['Girouette', 'Cabriole', 'Bergamote', 'Mirliton', 'Falbala', 'Ribambelle',
                        'Crécelle', 'Pampille'])
           WITH ORDINALITY AS names(display_name, position)) AS added;
