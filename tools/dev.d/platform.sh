# Runs the whole platform on this machine: keys, Postgres, the replicas of six services, HAProxy,
# Prometheus. The first replica of a service has the service's name, for example `rules`. Further
# replicas are `rules.2`, `rules.3` and so on.

# Processes start in this order and stop in the reverse order.
SERVICES=(bot ratings matchmaking rules gateway admin)
declare -A SERVICE_OFFSET=([gateway]=0 [rules]=1 [matchmaking]=2 [bot]=3 [ratings]=4 [admin]=7)
# A port is PORT_BASE plus an offset. Offsets 30 to 39 belong to Postgres, and 90 to Prometheus.
REPLICA_OFFSET=(0 10 20 40 50 60 70 80)
PROMETHEUS_PORT=$((PORT_BASE + 90))
POPULATION_DEFAULT=8  # Each bot plays in all three ranked queues.
CELLS_MAX=3           # The ports of Postgres are PORT_BASE + 32, + 31 and + 30.

# process_port PROCESS: prints its port.
process_port() {
  local replica=1
  [[ $1 == *.* ]] && replica=${1#*.}
  printf '%d' $((PORT_BASE + SERVICE_OFFSET[${1%.*}] + REPLICA_OFFSET[replica - 1]))
}
# process_address PROCESS: prints the address at which PROCESS listens. A gateway listens on a Unix
# socket, because players connect to HAProxy. Any other process listens on a loopback port.
process_address() {
  case $1 in
    gateway*) printf 'unix:%s' "$(door_socket "$1")" ;;
    *) printf '127.0.0.1:%d' "$(process_port "$1")" ;;
  esac
}
metrics_address() { printf '127.0.0.1:%d' $(($(process_port "$1") + 1000)); }

# Prints the number of cells that the last `up` asked for.
cell_count() { cat "$VAR/cells" 2>/dev/null || echo 1; }
# Prints the numbers of the cells other than cell 0.
other_cells() { seq 1 $(($(cell_count) - 1)); }
# process_cell PROCESS: prints the cell of a replica of rules, and 0 for any other process. The
# replicas of rules belong to the cells in turn: with two cells, rules.2 and rules.4 to cell 1.
process_cell() {
  local replica=1
  [[ $1 == rules.* ]] && replica=${1#*.}
  printf '%d' $(((replica - 1) % $(cell_count)))
}

# replicas SERVICE...: prints the processes of each service, one per line. Each service has as many
# processes as the last `up` asked for; rules has as many in each cell.
replicas() {
  local service replica count each
  each=$(cat "$VAR/replicas" 2>/dev/null || echo 1)
  for service in "$@"; do
    count=$each
    if [[ $service == rules ]]; then count=$((each * $(cell_count))); fi
    printf '%s\n' "$service"
    for ((replica = 2; replica <= count; ++replica)); do
      printf '%s.%d\n' "$service" "$replica"
    done
  done
}

# service_addresses SERVICE: prints the addresses of all its replicas, separated by commas. For
# rules with several cells, prints them in the form of --rules_address: 0=ADDRESSES;1=ADDRESSES.
service_addresses() {
  local process list='' cell
  if [[ $1 != rules || $(cell_count) == 1 ]]; then
    for process in $(replicas "$1"); do list+=,$(process_address "$process"); done
    printf '%s' "${list#,}"
    return
  fi
  for cell in 0 $(other_cells); do list+=";$cell=$(cell_addresses "$cell" process_address)"; done
  printf '%s' "${list#;}"
}

# cell_addresses CELL FUNCTION: prints what FUNCTION prints for each replica of rules in the cell,
# separated by commas.
cell_addresses() {
  local process list=''
  for process in $(replicas rules); do
    if [[ $(process_cell "$process") == "$1" ]]; then list+=,$("$2" "$process"); fi
  done
  printf '%s' "${list#,}"
}

# Prints the surplus replicas: they still run, although the last `up` asked for fewer replicas.
surplus_processes() {
  local file process
  for file in "$VAR"/run/*.[0-9].pid; do
    process=$(basename "$file" .pid)
    [[ -e $file && " $(replicas "${SERVICES[@]}" | tr '\n' ' ') " != *" $process "* ]] &&
      printf '%s\n' "$process"
  done
  return 0
}

# keys_make NAME: makes a key ring with one key (kid:base64), unless it exists.
keys_make() {
  local file=$VAR/keys/$1.keys
  [[ -s $file ]] && return
  local kid
  kid=$1-$(date -u +%Y%m%d)
  (umask 077 && printf '%s:%s\n' "$kid" "$(openssl rand -base64 32)" >"$file")
}

IDENTITY=$VAR/keys/identity

# identity COMMAND [SERVICE...]: runs deploy/identity/identity.sh on the identities of this clone.
identity() { deploy/identity/identity.sh "$1" "$IDENTITY" "${@:2}"; }

# Makes the private authority, and a certificate and a signing key for each service and for the
# operators' programs. Renews certificates that end soon. The certificate of Postgres names the
# addresses of the nodes of `up --ha`, because Patroni and etcd know each other by addresses.
identity_make() {
  mkdir -p "$IDENTITY/postgres"
  printf '%s\n' "${HA_ADDRESSES[@]}" >"$IDENTITY/postgres/addresses"
  identity make "${SERVICES[@]}" operator postgres owner
}

# tls_arguments SERVICE: stores the flags for connections of SERVICE in the variable `tls`.
# identity_arguments SERVICE: stores these flags and the flags for signatures of SERVICE in the
# variable `identity`.
tls_arguments() {
  tls=(--tls_cert_file="$IDENTITY/$1/tls.pem" --tls_key_file="$IDENTITY/$1/tls.pem"
    --tls_ca_file="$IDENTITY/public/ca.pem")
}
identity_arguments() {
  local tls
  tls_arguments "$1"
  identity=("${tls[@]}" --signing_key_file="$IDENTITY/$1/signing.keys"
    --service_keys_file="$IDENTITY/public/service.keys")
}

# identity_wait SECONDS REASON: waits until all processes have read the new files.
identity_wait() {
  local cell
  if process_pid postgres >/dev/null; then postgres_secure; fi
  for cell in $(other_cells); do in_cell "$cell" postgres_secure; done
  if process_pid patroni1 >/dev/null; then ha_secure; fi
  (($1 == 0)) && return
  say "  waiting $1 s: $2"
  sleep "$1"
}

# Replaces the authority, all certificates and all signing keys while the platform runs. Each of
# these replacements has three steps. In step 1, all processes begin to trust the new key too,
# beside the old key. In step 2, they use the new key. In step 3, they trust only the new key.
# docs/runbook/rotation.md has the commands for other machines.
platform_rotate() {
  local part=${1:-all} all=("${SERVICES[@]}" operator)
  local shown=("${all[@]}" postgres owner)
  [[ " all authority certificates signing-keys players " == *" $part "* ]] ||
    die "rotate what? one of: all authority certificates signing-keys players"
  platform_lock
  postgres_locate
  [[ -s $IDENTITY/authority/cert.pem ]] || die "there are no identities yet: tools/dev up"
  if [[ $part == all || $part == authority ]]; then
    step "A new authority beside the old one"
    identity authority
    identity_wait 3 "all processes trust both"
  fi
  if [[ $part != signing-keys && $part != players ]]; then
    step "New certificates"
    identity certificates "${shown[@]}"
    identity_wait 3 "all processes show them in new connections"
  fi
  if [[ $part == all || $part == authority ]]; then
    step "The old authority ends"
    identity retire-authorities
    identity_wait 0 ""
  fi
  if [[ $part == all || $part == signing-keys ]]; then
    step "New signing keys beside the old ones"
    identity signing-keys "${all[@]}"
    identity_wait 3 "all processes know them"
    step "All services sign with the new keys"
    identity use-signing-keys "${all[@]}"
    identity_wait 10 "no call with an old signature is on its way"
    step "The old signing keys end"
    identity retire-signing-keys "${all[@]}"
  fi
  if [[ $part == all || $part == players ]]; then
    step "A new key for the tokens of players; the old ones stay for the tokens of seven days"
    keys_rotate gateway
  fi
}

# keys_rotate NAME: puts a new key in front of a key ring. Then only this key and the three newest
# older keys remain.
keys_rotate() {
  local file=$VAR/keys/$1.keys
  (
    umask 077
    printf '%s:%s\n' "$1-$(date -u +%Y%m%d)-$(openssl rand -hex 3)" "$(openssl rand -base64 32)"
    head -n 3 "$file"
  ) >"$file.new"
  chmod 600 "$file.new" && mv -f "$file.new" "$file"
}

# lame_duck PROCESS: prints how long PROCESS accepts calls after SIGTERM. HAProxy notices within
# 2.5 s that a gateway is not ready. On this machine, no program checks whether other processes are
# ready, so they need no such time.
lame_duck() { if [[ $1 == gateway* ]]; then echo 2500ms; else echo 0; fi; }

# service_arguments PROCESS: stores the arguments of the process's program in the variable
# `arguments`.
service_arguments() {
  arguments=(--listen_address="$(process_address "$1")" --metrics_address="$(metrics_address "$1")"
    --lame_duck="$(lame_duck "$1")")
  local service=${1%.*} peer peers=() identity archive=$VAR/archive cell
  cell=$(process_cell "$1")
  identity_arguments "$service"
  arguments+=("${identity[@]}")
  case $service in
    rules)
      peers=(bot ratings matchmaking)
      if (($(cell_count) > 1)); then
        arguments+=(--cell="$cell" --cells="$(service_addresses rules)")
      fi
      if ((cell > 0)); then archive+=_cell$cell; fi
      mkdir -p "$archive"
      arguments+=(--seed_key_file="$VAR/keys/seed.keys" --archive_dir="$archive")
      ;;
    bot) peers=(rules) ;;
    matchmaking)
      peers=(rules ratings)
      arguments+=(--population="$(<"$VAR/population")")
      ;;
    gateway)
      peers=(rules matchmaking ratings bot)
      arguments+=(--gateway_key_file="$VAR/keys/gateway.keys" --page_dir="$ROOT/build/page"
        --http_address="unix:$(door_page_socket "$1")")
      ;;
    admin)
      peers=(rules matchmaking ratings)
      arguments+=(--operator_key_file="$VAR/keys/operator.keys")
      ;;
  esac
  for peer in "${peers[@]}"; do arguments+=("--${peer}_address=$(service_addresses "$peer")"); done
  if [[ " ${PG_ROLES[*]} " == *" $service "* ]]; then
    arguments+=(--dsn="$(in_cell "$cell" postgres_dsn "$service")")
  fi
}

# A process is ready when its health check says so and /metrics answers.
service_ready() {
  local tls
  tls_arguments "${1%.*}"
  curl -fsS -o /dev/null --max-time 2 "http://$(metrics_address "$1")/metrics" &&
    "$BIN/tarot-${1%.*}" --check "$(process_address "$1")" "${tls[@]}"
}

# service_start PROCESS: starts PROCESS, unless the same binary runs with the same arguments. If
# this replaces a running process, waits until the new process is ready. So the next replica can be
# restarted without an outage.
service_start() {
  local stamp arguments program=$BIN/tarot-${1%.*} ran=false
  service_arguments "$1"
  stamp=$(process_stamp "$program" "${arguments[@]}")
  process_current "$1" "$stamp" && return
  process_pid "$1" >/dev/null && ran=true
  process_stop "$1" TERM
  step "Starting $1 on $(process_address "$1")"
  process_start "$1" "$stamp" "$program" "${arguments[@]}"
  if $ran; then process_wait "$1" service_ready "$1"; fi
}

PROBE_METRICS=127.0.0.1:$((PORT_BASE + 1009))
probe_ready() { curl -fsS -o /dev/null --max-time 2 "http://$PROBE_METRICS/metrics"; }

# Starts the probe, which plays through the door like a player, unless the same binary runs with the
# same arguments.
probe_up() {
  local stamp command=("$BIN/tarot-probe" --door_address="$DOOR_ADDRESS"
    --metrics_address="$PROBE_METRICS")
  stamp=$(process_stamp "${command[@]}")
  process_current probe "$stamp" && return
  process_stop probe TERM
  step "Starting the probe"
  process_start probe "$stamp" "${command[@]}"
  process_wait probe probe_ready
}

prometheus_ready() { curl -fsS --max-time 2 "http://127.0.0.1:$PROMETHEUS_PORT/-/ready"; }

# Writes Prometheus's configuration, with this clone's ports and replicas. Starts Prometheus if it
# does not run. Starts it again if the configuration has changed.
prometheus_up() {
  local stamp service process targets edits=() configuration=$VAR/prometheus/prometheus.yml cell
  mkdir -p "$VAR/prometheus"
  for service in "${SERVICES[@]}"; do
    targets=
    for process in $(replicas "$service"); do
      (($(process_cell "$process") > 0)) || targets+=", '$(metrics_address "$process")'"
    done
    edits+=(-e "s/'127\.0\.0\.1:$((8100 + SERVICE_OFFSET[$service]))'/${targets#, }/")
  done
  # The replicas of rules of each further cell have the number of their cell as the label.
  for cell in $(other_cells); do
    targets=$(cell_addresses "$cell" metrics_address)
    targets="{targets: ['${targets//,/\', \'}'], labels: {service: rules, cell: \"$cell\"}}"
    edits+=(-e "/service: rules, cell: main/a\\      - $targets")
  done
  edits+=(-e "s/'127\.0\.0\.1:8106'/'$DOOR_METRICS'/" -e "s/'127\.0\.0\.1:8109'/'$PROBE_METRICS'/")
  # Alerts link to the runbooks of this clone. The configuration leaves out Alertmanager and the
  # exporters, because they do not run here.
  edits+=(-e "s#https://tarot\.example/runbook#file://$ROOT/docs/runbook#"
    -e '/^  alertmanagers:/,/^$/d' -e '/^  # One prometheus-postgres-exporter/,$d')
  sed "${edits[@]}" deploy/prometheus/prometheus.yml >"$configuration"
  cp deploy/prometheus/levels.yml "$VAR/prometheus"
  sed '/- alert: ExporterVanished/,/runbook_url/d' deploy/prometheus/alerts.yml \
    >"$VAR/prometheus/alerts.yml"
  stamp=$(cat "$configuration" "$VAR"/prometheus/{levels,alerts}.yml | sha256sum | cut -c1-16)
  process_current prometheus "$stamp" && return
  process_stop prometheus TERM
  step "Starting Prometheus on 127.0.0.1:$PROMETHEUS_PORT"
  process_start prometheus "$stamp" /usr/bin/prometheus --config.file="$configuration" \
    --storage.tsdb.path="$VAR/prometheus/data" --storage.tsdb.retention.time=7d \
    --web.listen-address="127.0.0.1:$PROMETHEUS_PORT"
  process_wait prometheus prometheus_ready
}

# Only one `up`, `down` or `restart` runs at a time. The lock ends with this process.
platform_lock() {
  mkdir -p "$VAR"
  exec 9>"$VAR/dev.lock"
  flock -n 9 || { say "waiting for another tools/dev to finish" && flock 9; }
}

platform_up() {
  local process population='' replicas='' ha='' cells=''
  while (($#)); do
    case $1 in
      --population) population=${2:--} && shift ;;
      --population=*) population=${1#*=} ;;
      --replicas) replicas=${2:--} && shift ;;
      --replicas=*) replicas=${1#*=} ;;
      --cells) cells=${2:--} && shift ;;
      --cells=*) cells=${1#*=} ;;
      --ha) ha=on ;;
      --no-ha) ha=off ;;
      *)
        die "up: unknown argument '$1'; there are --population N, --replicas N, --cells N, --ha," \
          "--no-ha"
        ;;
    esac
    [[ -z $population ]] || platform_check_number population "$population" 0 24
    [[ -z $replicas ]] || platform_check_number replicas "$replicas" 1 ${#REPLICA_OFFSET[@]}
    [[ -z $cells ]] || platform_check_number cells "$cells" 1 "$CELLS_MAX"
    shift
  done
  platform_lock
  platform_check_cells "${cells:-$(cell_count)}" "$replicas" "$ha"
  platform_check_ports
  packages_install
  build_targets "${SERVICES[@]/#/tarot-}" tarot-apply-queues tarot-start-season tarot-probe \
    tarotctl page

  mkdir -p "$VAR/log" "$VAR/keys" && chmod 700 "$VAR/keys"
  # Stores the values of the options, so that a later `up` without options changes nothing.
  printf '%s\n' "$PORT_BASE" >"$VAR/port_base"
  if [[ -n $population || ! -s $VAR/population ]]; then
    printf '%s\n' "${population:-$POPULATION_DEFAULT}" >"$VAR/population"
  fi
  if [[ -n $replicas ]]; then printf '%s\n' "$replicas" >"$VAR/replicas"; fi
  if [[ -n $ha ]]; then printf '%s\n' "$ha" >"$VAR/ha"; fi
  if [[ -n $cells ]]; then printf '%s\n' "$cells" >"$VAR/cells"; fi
  keys_make gateway
  keys_make seed
  keys_make operator
  identity_make
  door_make_folder
  postgres_up
  postgres_migrate
  for process in $(replicas "${SERVICES[@]}"); do service_start "$process"; done
  for process in $(replicas "${SERVICES[@]}"); do
    process_wait "$process" service_ready "$process"
  done
  queues_apply
  season_start
  door_up
  probe_up
  # The other processes now have the new lists of replicas, so they call no surplus replica.
  for process in $(surplus_processes); do process_stop "$process" TERM; done
  prometheus_up
  platform_next_steps
}

# Sends the queues and bots of deploy/queues.json to matchmaking. A second call changes nothing.
queues_apply() {
  local identity
  identity_arguments operator
  "$BIN/tarot-apply-queues" --file=deploy/queues.json \
    --matchmaking_address="$(service_addresses matchmaking)" "${identity[@]}" \
    >"$VAR/log/apply_queues.log" 2>&1 ||
    die "deploy/queues.json is refused: $(cat "$VAR/log/apply_queues.log")"
}

# Sends the numbers of deploy/ladder_numbers.json to ratings. A second call changes nothing.
season_start() {
  local identity
  identity_arguments operator
  "$BIN/tarot-start-season" --file=deploy/ladder_numbers.json \
    --ratings_address="$(service_addresses ratings)" "${identity[@]}" \
    >"$VAR/log/start_season.log" 2>&1 ||
    die "deploy/ladder_numbers.json is refused: $(cat "$VAR/log/start_season.log")"
}

# platform_check_number ARGUMENT VALUE LEAST MOST: fails unless VALUE is a number from LEAST to
# MOST.
platform_check_number() {
  [[ $2 =~ ^[0-9]+$ ]] && ((10#$2 >= $3 && 10#$2 <= $4)) ||
    die "up: --$1 takes a number from $3 to $4, as in --$1 $(($3 + 2))"
}

# platform_check_cells CELLS REPLICAS HA: fails unless the platform can have so many cells.
# REPLICAS and HA are empty if they stay as they are.
platform_check_cells() {
  local replicas=${2:-$(cat "$VAR/replicas" 2>/dev/null || echo 1)}
  local ha=${3:-$(cat "$VAR/ha" 2>/dev/null || echo off)}
  ((10#$1 >= $(cell_count))) ||
    die "a cell cannot be removed, because its tables would be lost; docs/runbook/cells.md"
  ((10#$1 == 1)) || [[ $ha != on ]] || die "several cells run without --ha"
  ((10#$1 * 10#$replicas <= ${#REPLICA_OFFSET[@]})) ||
    die "all cells together have at most ${#REPLICA_OFFSET[@]} replicas of rules"
}

# Prints the processes of the database.
database_processes() {
  local cell
  if ha_on; then printf '%s\n' "${HA_PROCESSES[@]}"; else echo postgres; fi
  for cell in $(other_cells); do echo "postgres.cell$cell"; done
}

# Fails if Postgres runs and PORT_BASE is not the one of the last `up`. `up` does not move a running
# Postgres to another port, because its clients would still use the old port.
platform_check_ports() {
  local base
  base=$(cat "$VAR/port_base" 2>/dev/null || echo "$PORT_BASE")
  if [[ $base != "$PORT_BASE" ]] &&
    { process_pid postgres || process_pid patroni1; } >/dev/null; then
    die "the platform runs on the ports from $base on; tools/dev down, then take others"
  fi
}

platform_next_steps() {
  local ctl=build/bin/tarotctl other_door=
  [[ $DOOR_ADDRESS == 127.0.0.1:7100 ]] || other_door="  export TAROT_GATEWAY=$DOOR_ADDRESS
"
  cat <<END

The platform is up; $(<"$VAR/population") bots queue for ranked matches.

  page            http://$DOOR_PAGE_ADDRESS/
  players' door   $DOOR_ADDRESS  (gRPC through HAProxy)
  metrics         http://127.0.0.1:$PROMETHEUS_PORT/  (Prometheus)
  logs            tools/dev logs rules
  operators       $(process_address admin)  (tarotctl admin, after these three lines)
  export TAROT_OPERATOR_KEY=var/keys/operator.keys
  export TAROT_OPERATOR_IDENTITY=var/keys/identity/operator/tls.pem
  export TAROT_CA_FILE=var/keys/identity/public/ca.pem

$other_door  $ctl play --name Ada          a casual match, played here; ? helps
  $ctl play --queue ranked4     a match that counts, after three casual ones
  $ctl tables                   the tables in play
  $ctl watch                    look over the shoulder of one
  $ctl ladder                   the ratings; they move from the first minute on
  $ctl player NAME              a player's matches and deals
  $ctl record TABLE/1           the first deal of a table, once it is over

  tools/dev status   tools/dev down
END
}

platform_down() {
  local process
  platform_lock
  step "Stopping what runs"
  process_stop prometheus TERM
  process_stop probe TERM
  process_stop door TERM
  for process in $({ replicas "${SERVICES[@]}" && surplus_processes; } | tac); do
    process_stop "$process" TERM
  done
  for process in $(database_processes); do
    # INT makes Postgres do a fast shutdown.
    if [[ $process == postgres* ]]; then process_stop "$process" INT; fi
  done
  ha_down
}

platform_status() {
  local name pid down=0
  for name in $(database_processes) $(replicas "${SERVICES[@]}") $(surplus_processes) door \
    probe prometheus; do
    if pid=$(process_pid "$name"); then
      printf '%-13s running  pid %-8s %s\n' "$name" "$pid" "$(platform_where "$name")"
    else
      printf '%-13s down\n' "$name"
      down=1
    fi
  done
  return $down
}

platform_where() {
  case $1 in
    postgres) printf '127.0.0.1:%d' "$PG_PORT" ;;
    postgres.cell*) printf '127.0.0.1:%d' $((PG_PORT - ${1#postgres.cell})) ;;
    patroni*)
      printf '127.0.0.%d:%d  ' "${1: -1}" "$PG_PORT"
      printf 'https://127.0.0.%d:%d/cluster' "${1: -1}" $((PG_PORT + 1))
      ;;
    etcd*) printf 'https://127.0.0.%d:%d' "${1: -1}" $((PG_PORT + 2)) ;;
    door)
      printf '%s  page http://%s/  metrics http://%s/metrics' "$DOOR_ADDRESS" \
        "$DOOR_PAGE_ADDRESS" "$DOOR_METRICS"
      ;;
    probe) printf 'metrics http://%s/metrics' "$PROBE_METRICS" ;;
    prometheus) printf 'http://127.0.0.1:%d/' "$PROMETHEUS_PORT" ;;
    *) printf '%s  metrics http://%s/metrics' "$(process_address "$1")" "$(metrics_address "$1")" ;;
  esac
}

# platform_check_name NAME: fails unless NAME is a process of the platform.
platform_check_name() {
  local names
  names="$({ database_processes && replicas "${SERVICES[@]}"; } | tr '\n' ' ')door probe prometheus"
  [[ " $names " == *" ${1:-?} "* ]] || die "which process? one of: $names"
}

platform_restart() {
  platform_check_name "$@"
  platform_lock
  postgres_locate
  case $1 in
    postgres | postgres.cell*) process_stop "$1" INT && postgres_up ;;
    etcd* | patroni*) process_stop "$1" TERM && postgres_up ;;
    prometheus) process_stop prometheus TERM && prometheus_up ;;
    door) door_up again ;;
    probe) process_stop probe TERM && probe_up ;;
    *)
      process_stop "$1" TERM
      service_start "$1"
      process_wait "$1" service_ready "$1"
      ;;
  esac
}

platform_logs() {
  platform_check_name "$@"
  [[ -e $VAR/log/$1.log ]] || die "$1 has not been started yet: there is no log of it"
  exec tail -n 50 -F "$VAR/log/$1.log"
}

platform_gameday() {
  packages_install && packages_install prometheus-postgres-exporter prometheus-node-exporter
  platform_status >/dev/null || die "gameday needs a platform that runs: tools/dev up --replicas 2"
  ha_on && die "gameday plants its faults in a single Postgres: tools/dev up --no-ha"
  python3 -B tools/dev.d/gameday.py "$@"
}
