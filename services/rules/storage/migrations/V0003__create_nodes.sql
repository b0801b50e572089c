-- The replicas that are there (libs/cluster). A beat is a counter: no clocks are compared.

CREATE TABLE rules.nodes (
  address     text   NOT NULL,
  incarnation uuid   NOT NULL,
  beat        bigint NOT NULL,
  CONSTRAINT nodes_pk PRIMARY KEY (address)
);
