-- For the list of friends, which shows the running match of each friend. The seats of queues have
-- tickets, which show their matches already.
CREATE INDEX table_seats_of_rooms ON matchmaking.table_seats (player_id)
  WHERE ticket_id IS NULL AND bot_level = '';
