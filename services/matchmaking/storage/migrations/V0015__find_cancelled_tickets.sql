-- For the sweep that forgets old cancelled tickets.
CREATE INDEX tickets_cancelled ON matchmaking.tickets (create_time) WHERE state = 'cancelled';
