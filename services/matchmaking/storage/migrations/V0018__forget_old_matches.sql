-- For the sweep that forgets finished matches after seven days.
CREATE INDEX tables_over ON matchmaking.tables (create_time) WHERE state = 'over';
