-- Three strong bots among the first four, so that even a small population has company for a person
-- who waits alone: nobody of a lower level sits with people.
UPDATE matchmaking.bots SET level = 'strong' WHERE place = 1;
UPDATE matchmaking.bots SET level = 'novice' WHERE place = 6;
