-- The tables of the player's second-last and third-last match when the ticket was made. NULL: there
-- was no such match, or a replica of an older version made the ticket. Such a replica reads and
-- writes last_table_id only.
ALTER TABLE matchmaking.tickets
  ADD COLUMN second_last_table_id uuid,
  ADD COLUMN third_last_table_id uuid;
