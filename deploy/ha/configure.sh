#!/usr/bin/env bash
# Writes the configurations of a Patroni cluster of Postgres with three nodes. Each node runs etcd,
# Patroni and Postgres on one machine.
#
# Usage: configure.sh FOLDER PORT ADDRESS1 ADDRESS2 ADDRESS3
#
# Node N listens at ADDRESSN: Postgres at PORT, Patroni's REST interface at PORT+1, etcd at PORT+2
# for clients and PORT+3 for the other nodes. Writes FOLDER/etcdN.yml and FOLDER/patroniN.yml. Node
# N keeps its data in FOLDER/nodeN. The environment gives the passwords of the roles postgres and
# replicator: TAROT_POSTGRES_PASSWORD and TAROT_REPLICATOR_PASSWORD.
#
# All connections have TLS. On each node, FOLDER/tls.pem is the certificate and the key of the
# identity postgres, and FOLDER/ca.pem has the trusted authorities. deploy/identity makes both. The
# certificate must name the three addresses.
#
# Start node N with these two commands, as the user who owns FOLDER, and not as root:
#
#   etcd --config-file FOLDER/etcdN.yml
#   patroni FOLDER/patroniN.yml
set -euo pipefail

(($# == 5)) || { sed -n '2,21s/^# \?//p' "$0" >&2 && exit 2; }
folder=$1 port=$2
shift 2
addresses=("$@")
# The roles of deploy/postgres/roles.sql: each belongs to the identity of the same name.
identities=(owner rules matchmaking ratings admin)
: "${TAROT_POSTGRES_PASSWORD:?}" "${TAROT_REPLICATOR_PASSWORD:?}"

# list TEXT SEPARATOR: prints TEXT once for each node, with SEPARATOR between the texts. Replaces %n
# by the node's number and %a by its address.
list() {
  local number text out=
  for number in 1 2 3; do
    text=${1//%n/$number}
    out+=$2${text//%a/${addresses[number - 1]}}
  done
  printf '%s' "${out#"$2"}"
}

write_etcd() {
  local number=$1 address=$2
  cat <<END
name: node$number
data-dir: $folder/node$number/etcd
client-transport-security: &tls
  cert-file: $folder/tls.pem
  key-file: $folder/tls.pem
  trusted-ca-file: $folder/ca.pem
  client-cert-auth: true
peer-transport-security: *tls
listen-client-urls: https://$address:$((port + 2))
advertise-client-urls: https://$address:$((port + 2))
listen-peer-urls: https://$address:$((port + 3))
initial-advertise-peer-urls: https://$address:$((port + 3))
initial-cluster: $(list "node%n=https://%a:$((port + 3))" ,)
initial-cluster-token: tarot
initial-cluster-state: new
# Patroni uses version 2 of etcd's interface; the section etcd of Patroni's file says why.
enable-v2: true
# An etcd member that hears no leader for 1,000 ms starts an election.
heartbeat-interval: 100
election-timeout: 1000
END
}

write_patroni() {
  local number=$1 address=$2
  cat <<END
scope: tarot
name: node$number
restapi:
  listen: $address:$((port + 1))
  connect_address: $address:$((port + 1))
  certfile: $folder/tls.pem
  keyfile: $folder/tls.pem
  cafile: $folder/ca.pem
  # Everyone may read the state. Only a node may change it, and must show a certificate.
  verify_client: optional
  allowlist: [$(list %a ', ')]
ctl:
  certfile: $folder/tls.pem
  keyfile: $folder/tls.pem
  cacert: $folder/ca.pem
# This section uses version 2 of etcd's interface, because Patroni 3.0.2 loses moves with version 3.
# With version 3, a primary that was frozen for more than ttl writes its name into the leader key
# without a look at the key's owner. The new primary then gives way to the old one, and loses the
# moves that it has acknowledged. With version 2, etcd compares the owner and refuses the write.
etcd:
  hosts: [$(list "'%a:$((port + 2))'" ', ')]
  protocol: https
  cert: $folder/tls.pem
  key: $folder/tls.pem
  cacert: $folder/ca.pem
bootstrap:
  dcs:
    # Patroni replaces a primary that has not renewed its leader key in etcd for 17 s, and notices
    # within 3 s that its own Postgres has crashed. Patroni requires a ttl of at least
    # loop_wait + 2 * retry_timeout.
    ttl: 17
    loop_wait: 3
    retry_timeout: 5
    # Patroni replaces a crashed primary at once and does not wait for its recovery.
    primary_start_timeout: 0
    maximum_lag_on_failover: 1048576
    # Each commit waits for one standby. Without a standby the primary acknowledges no commit, so no
    # acknowledged move can be lost.
    synchronous_mode: true
    synchronous_mode_strict: true
    synchronous_node_count: 1
    postgresql:
      use_pg_rewind: true
      use_slots: true
      parameters:
        max_connections: 400
        shared_buffers: 256MB
        recovery_init_sync_method: syncfs
        wal_receiver_timeout: 10s
        wal_sender_timeout: 10s
        # A standby tries often to reach the new primary, because commits wait for the standby.
        wal_retrieve_retry_interval: 500ms
        log_min_messages: warning
  initdb:
    - encoding: UTF8
    - locale: C
    - auth: scram-sha-256
postgresql:
  listen: $address:$port
  connect_address: $address:$port
  bin_dir: /usr/lib/postgresql/15/bin
  data_dir: $folder/node$number/data
  pgpass: $folder/node$number/pgpass
  # Patroni needs no certificate to reach its own Postgres, so an expired one cannot stop it.
  use_unix_socket: true
  use_unix_socket_repl: true
  authentication:
    superuser:
      username: postgres
      password: '$TAROT_POSTGRES_PASSWORD'
$(list_tls)
    replication:
      username: replicator
      password: '$TAROT_REPLICATOR_PASSWORD'
$(list_tls)
  parameters:
    unix_socket_directories: $folder/node$number
    ssl: 'on'
    ssl_cert_file: $folder/tls.pem
    ssl_key_file: $folder/tls.pem
    ssl_ca_file: $folder/ca.pem
    ssl_min_protocol_version: TLSv1.3
  pg_hba:
    - local all all scram-sha-256
    - local replication replicator scram-sha-256
$(list "    - hostssl replication replicator %a/32 cert map=nodes" $'\n')
$(list "    - hostssl all postgres %a/32 scram-sha-256" $'\n')
$(list_clients)
  pg_ident:
    - nodes postgres replicator
$(list_identities)
END
}

# The services may run on other machines than Postgres: TAROT_HA_CLIENTS lists their networks. The
# role of a service needs the service's certificate. Other roles need a password.
list_clients() {
  local network roles
  roles=$(IFS=, && printf '%s' "${identities[*]/#/tarot_}")
  for network in ${TAROT_HA_CLIENTS:-127.0.0.0/8}; do
    printf '    - hostssl tarot %s %s cert map=services\n' "$roles" "$network"
    printf '    - host all %s %s reject\n' "$roles" "$network"
    printf '    - hostssl all all %s scram-sha-256\n' "$network"
  done
}

# These lines also name the certificate for the superuser, who needs none. Without a name, libpq
# would look for a certificate in the home folder.
list_tls() {
  printf '      %s\n' 'sslmode: verify-full' "sslrootcert: $folder/ca.pem" \
    "sslcert: $folder/tls.pem" "sslkey: $folder/tls.pem"
}

list_identities() {
  local identity
  for identity in "${identities[@]}"; do
    printf '    - services %s tarot_%s\n' "$identity" "$identity"
  done
}

umask 077  # The files contain passwords.
for number in 1 2 3; do
  mkdir -p "$folder/node$number"
  write_etcd "$number" "${addresses[number - 1]}" >"$folder/etcd$number.yml"
  write_patroni "$number" "${addresses[number - 1]}" >"$folder/patroni$number.yml"
done
