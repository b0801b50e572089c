# The private Postgres as a Patroni cluster of three nodes (`up --ha`). Node N listens on 127.0.0.N;
# deploy/ha/configure.sh lists the ports. The data of the cluster are not the data of the single
# Postgres.

HA_ADDRESSES=(127.0.0.1 127.0.0.2 127.0.0.3)
# The Debian packages that only `up --ha` and `bench ha` need.
HA_PACKAGES=(patroni etcd-server python3-etcd)
# Processes start in this order and stop in the reverse order.
HA_PROCESSES=(etcd1 etcd2 etcd3 patroni1 patroni2 patroni3)

ha_on() { [[ $(cat "$VAR/ha" 2>/dev/null) == on ]]; }
ha_hosts() { (IFS=, && printf '%s' "${HA_ADDRESSES[*]}"); }
ha_folder() { printf '%s/ha' "$(dirname "$PG_DATA")"; }

# Succeeds when the primary has a synchronous standby. Before that, it acknowledges no commit.
ha_ready() {
  local count
  count=$(PGPASSFILE=$PG_PASSFILE PGCONNECT_TIMEOUT=2 "$PG_BIN/psql" -X -q -t -A -d \
    "host=$(ha_hosts) port=$PG_PORT user=postgres dbname=postgres target_session_attrs=read-write" \
    -c "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'")
  [[ $count == 1 ]]
}

ha_configure() {
  local folder
  folder=$(ha_folder)
  if [[ -s $folder/patroni3.yml ]]; then
    grep -q "^  listen: 127.0.0.3:$PG_PORT$" "$folder/patroni3.yml" ||
      die "the nodes of up --ha keep their ports; use the port base of their first start"
    return
  fi
  step "Making a Patroni cluster of three nodes in ${folder#"$ROOT"/}"
  mkdir -p "$folder"
  TAROT_POSTGRES_PASSWORD=$(postgres_password postgres) \
  TAROT_REPLICATOR_PASSWORD=$(postgres_password replicator) \
    bash deploy/ha/configure.sh "$folder" "$PG_PORT" "${HA_ADDRESSES[@]}"
  ((EUID == 0)) && chown -R postgres: "$folder"
  return 0
}

ha_up() {
  local process folder command
  packages_install "${HA_PACKAGES[@]}"
  ha_configure
  folder=$(ha_folder)
  for process in "${HA_PROCESSES[@]}"; do
    process_pid "$process" >/dev/null && continue
    step "Starting $process"
    case $process in
      etcd*) command=(/usr/bin/etcd --config-file "$folder/$process.yml") ;;
      patroni*) command=(/usr/bin/patroni "$folder/$process.yml") ;;
    esac
    process_start "$process" - "${pg_run_as[@]}" "${command[@]}"
  done
  process_wait patroni1 ha_ready
}

ha_down() {
  local process
  for process in $(printf '%s\n' "${HA_PROCESSES[@]}" | tac); do process_stop "$process" TERM; done
}
