-- The texts of a flag's evidence call its players "first" and "second", so the order of the two
-- players stays as it was in the request. Replicas of the version before this one still store the
-- lower id first.
ALTER TABLE admin.flags
  DROP CONSTRAINT flags_uq_flag,
  DROP CONSTRAINT flags_ck_players,
  ADD CONSTRAINT flags_ck_players CHECK (first_player_id <> second_player_id);

CREATE UNIQUE INDEX flags_uq_flag ON admin.flags
  (least(first_player_id, second_player_id), greatest(first_player_id, second_player_id),
   deal_count, z);
