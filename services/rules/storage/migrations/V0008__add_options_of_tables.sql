-- The proposals that the players of a casual table may make.
ALTER TABLE rules.tables
  ADD COLUMN take_back boolean NOT NULL DEFAULT false,
  ADD COLUMN breaks boolean NOT NULL DEFAULT false;
