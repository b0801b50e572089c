-- The rule set by value, and the seed of the first deal, fixed when the table is made. Tables made
-- before have neither: theirs is the rule set of that name, and their seeds are in the log alone.

ALTER TABLE rules.tables
  ADD COLUMN rule_values text,  -- rules::EncodeRuleSet
  ADD COLUMN first_seed  bytea;
