# The private Postgres as a Patroni cluster of three nodes (`up --ha`). Node N listens on 127.0.0.N;
# deploy/ha/configure.sh lists the ports. All nodes have the identity `postgres`, as the single
# Postgres has. The data of the cluster are not the data of the single Postgres.

HA_ADDRESSES=(127.0.0.1 127.0.0.2 127.0.0.3)
# Processes start in this order and stop in the reverse order.
HA_PROCESSES=(etcd1 etcd2 etcd3 patroni1 patroni2 patroni3)

ha_on() { [[ $(cat "$VAR/ha" 2>/dev/null) == on ]]; }
ha_hosts() { (IFS=, && printf '%s' "${HA_ADDRESSES[*]}"); }
# Prints the name of the nodes' identity once for each node.
ha_names() { (IFS=, && printf '%s' "${HA_ADDRESSES[*]/*/postgres.tarot.internal}"); }
ha_folder() { printf '%s/ha' "$(dirname "$PG_DATA")"; }

# Succeeds when both standbys stream from the primary, and commits wait for one of them.
ha_ready() {
  [[ $(ha_ask "SELECT count(*), count(*) FILTER (WHERE sync_state = 'sync')
    FROM pg_stat_replication WHERE state = 'streaming'") == '2|1' ]]
}

# ha_replayed LSN: succeeds when both standbys have replayed the primary's log up to this place.
ha_replayed() {
  [[ $(ha_ask "SELECT count(*) FROM pg_stat_replication WHERE replay_lsn >= '$1'") == 2 ]]
}

# Waits until the standbys have all that the primary has now. A client tries the nodes in order, and
# gives up when a standby does not know its role yet.
ha_wait_for_standbys() {
  local lsn
  lsn=$(ha_ask 'SELECT pg_current_wal_lsn()')
  process_wait patroni1 ha_replayed "$lsn"
}

ha_ask() { PGCONNECT_TIMEOUT=2 postgres_psql_in postgres -q -t -A -c "$1"; }

# Writes the configurations of this release. In ha_secure, Patroni reads its configuration again.
ha_configure() {
  local folder
  folder=$(ha_folder)
  if [[ -s $folder/patroni3.yml ]]; then
    grep -q '^  certfile:' "$folder/patroni3.yml" ||
      die "$folder is a cluster without TLS, of an earlier release; remove it to make a new one"
    grep -q "^  listen: 127.0.0.3:$PG_PORT$" "$folder/patroni3.yml" ||
      die "the nodes of up --ha keep their ports; use the port base of their first start"
  else
    step "Making a Patroni cluster of three nodes in ${folder#"$ROOT"/}"
    mkdir -p "$folder"
  fi
  TAROT_POSTGRES_PASSWORD=$(postgres_password postgres) \
  TAROT_REPLICATOR_PASSWORD=$(postgres_password replicator) \
    bash deploy/ha/configure.sh "$folder" "$PG_PORT" "${HA_ADDRESSES[@]}"
  ((EUID == 0)) && chown -R postgres: "$folder"
  return 0
}

# Gives the nodes their certificate and the trusted authorities. Postgres and Patroni read both
# again after SIGHUP. etcd reads its certificate for each connection, but the authorities only when
# it starts. So the members start again if the authorities have changed, one after the other.
ha_secure() {
  local folder file node old
  folder=$(ha_folder)
  old=$(cat "$folder/ca.pem" 2>/dev/null || true)
  for file in postgres/tls.pem public/ca.pem; do
    install -m 600 "$IDENTITY/$file" "$folder/new.pem"
    ((EUID == 0)) && chown postgres: "$folder/new.pem"
    mv -f "$folder/new.pem" "$folder/$(basename "$file")"
  done
  for node in 1 2 3; do
    if [[ $old != "$(<"$folder/ca.pem")" ]] && process_pid "etcd$node" >/dev/null; then
      process_stop "etcd$node" TERM
      ha_start "etcd$node"
      process_wait "etcd$node" etcd_ready "$node"
    fi
    if process_pid "patroni$node" >/dev/null; then kill -s HUP "$(process_pid "patroni$node")"; fi
  done
}

# etcd_ready NODE: succeeds when the etcd of the node knows the leader of etcd.
etcd_ready() {
  local tls=$IDENTITY/postgres/tls.pem
  curl -fsS -o /dev/null --max-time 2 --cacert "$IDENTITY/public/ca.pem" --cert "$tls" \
    "https://${HA_ADDRESSES[$1 - 1]}:$((PG_PORT + 2))/health"
}

# ha_start PROCESS: starts the process if it does not run.
ha_start() {
  local folder command
  folder=$(ha_folder)
  process_pid "$1" >/dev/null && return
  step "Starting $1"
  case $1 in
    etcd*) command=(/usr/bin/etcd --config-file "$folder/$1.yml") ;;
    patroni*) command=(/usr/bin/patroni "$folder/$1.yml") ;;
  esac
  process_start "$1" - "${pg_run_as[@]}" "${command[@]}"
}

ha_up() {
  local process
  ha_configure
  ha_secure
  for process in "${HA_PROCESSES[@]}"; do ha_start "$process"; done
  process_wait patroni1 ha_ready
}

ha_down() {
  local process
  for process in $(printf '%s\n' "${HA_PROCESSES[@]}" | tac); do process_stop "$process" TERM; done
}
