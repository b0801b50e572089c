-- The limits of the gateways that operators have set. Gateways read them together with the
-- revocations. A limit without a row has the value of the gateway's option. Replicas of the version
-- before this one do not read the table, and gateways that ask them keep the limits that they know.
CREATE TABLE ratings.gateway_limits (
  name text CONSTRAINT gateway_limits_pk PRIMARY KEY,
  value double precision NOT NULL
);
