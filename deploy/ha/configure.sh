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
# Start node N with these two commands, as the user who owns FOLDER, and not as root:
#
#   etcd --config-file FOLDER/etcdN.yml
#   patroni FOLDER/patroniN.yml
set -euo pipefail

(($# == 5)) || { sed -n '2,17s/^# \?//p' "$0" >&2 && exit 2; }
folder=$1 port=$2
shift 2
addresses=("$@")
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
listen-client-urls: http://$address:$((port + 2))
advertise-client-urls: http://$address:$((port + 2))
listen-peer-urls: http://$address:$((port + 3))
initial-advertise-peer-urls: http://$address:$((port + 3))
initial-cluster: $(list "node%n=http://%a:$((port + 3))" ,)
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
# This section uses version 2 of etcd's interface, because Patroni 3.0.2 loses moves with version 3.
# With version 3, a primary that was frozen for more than ttl writes its name into the leader key
# without a look at the key's owner. The new primary then gives way to it and rewinds its moves.
# With version 2, etcd compares the owner, and refuses.
etcd:
  hosts: [$(list "'%a:$((port + 2))'" ', ')]
bootstrap:
  dcs:
    # Patroni replaces a primary that has not renewed its leader key in etcd for 20 s. Patroni
    # requires a ttl of at least loop_wait + 2 * retry_timeout.
    ttl: 20
    loop_wait: 5
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
  authentication:
    superuser: {username: postgres, password: '$TAROT_POSTGRES_PASSWORD'}
    replication: {username: replicator, password: '$TAROT_REPLICATOR_PASSWORD'}
  parameters:
    unix_socket_directories: $folder/node$number
  pg_hba:
    - local all all scram-sha-256
$(list "    - host all all %a/32 scram-sha-256" $'\n')
$(list "    - host replication replicator %a/32 scram-sha-256" $'\n')
$(list_clients)
END
}

# The services may run on other machines than Postgres: TAROT_HA_CLIENTS lists their networks.
list_clients() {
  local network
  for network in ${TAROT_HA_CLIENTS:-127.0.0.0/8}; do
    printf '    - host all all %s scram-sha-256\n' "$network"
  done
}

umask 077  # The files contain passwords.
for number in 1 2 3; do
  mkdir -p "$folder/node$number"
  write_etcd "$number" "${addresses[number - 1]}" >"$folder/etcd$number.yml"
  write_patroni "$number" "${addresses[number - 1]}" >"$folder/patroni$number.yml"
done
