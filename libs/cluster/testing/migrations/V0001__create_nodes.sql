CREATE TABLE fleet.nodes (
  address     text   NOT NULL,
  incarnation uuid   NOT NULL,
  beat        bigint NOT NULL,
  CONSTRAINT nodes_pk PRIMARY KEY (address)
);
