-- The replicas that are there (libs/cluster). A beat is a counter: no clocks are compared.
CREATE TABLE matchmaking.nodes (
  address text CONSTRAINT nodes_pk PRIMARY KEY,
  incarnation uuid NOT NULL,
  beat bigint NOT NULL
);
