-- The secrets of running deals are encrypted in rules.table_actions. A finished deal shows them
-- here, so that it can be read without the key.

ALTER TABLE rules.deals
  ADD COLUMN revealed bytea;  -- The seed of the deal, and then the action of the écart, if any.
