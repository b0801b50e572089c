-- True while an operator has closed the queue. A closed queue is not open, so replicas of the
-- version before this one take no tickets for it. But if such a replica applies a catalog with this
-- queue, it opens the queue.
ALTER TABLE matchmaking.queues ADD COLUMN closed boolean NOT NULL DEFAULT false;

-- The number of bots that queue by themselves, if an operator has set it. Without a row, the option
-- --population of each replica counts.
CREATE TABLE matchmaking.population (
  only_row boolean NOT NULL DEFAULT true CONSTRAINT population_pk PRIMARY KEY
    CONSTRAINT population_ck_only_row CHECK (only_row),
  size integer NOT NULL CONSTRAINT population_ck_size CHECK (size >= 0)
);
