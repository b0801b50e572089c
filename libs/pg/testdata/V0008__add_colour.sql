ALTER TABLE migrate_test.things ADD COLUMN colour text;
INSERT INTO migrate_test.things (thing_id) VALUES (1);
