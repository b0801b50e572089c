CREATE TABLE rules.nodes (
  address              text             NOT NULL,
  incarnation          uuid             NOT NULL,
  beat                 bigint           NOT NULL,
  clock_offset_seconds double precision NOT NULL,
  CONSTRAINT nodes_pk PRIMARY KEY (address)
);
