-- The semicolons, 'quotes' and "names", @and@ ${these} must all survive the way into the binary.
CREATE TABLE migrate_test.things (
  thing_id integer CONSTRAINT things_pk PRIMARY KEY,
  "text" text NOT NULL DEFAULT 'a;b''c\n${d}@e@'
);
