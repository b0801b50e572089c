-- The semicolons, 'quotes' and "names", @and@ ${these} must all reach the binary unchanged.
CREATE TABLE migrate_test.things (
  thing_id integer CONSTRAINT things_pk PRIMARY KEY,
  "text" text NOT NULL DEFAULT 'a;b''c\n${d}@e@'
);
