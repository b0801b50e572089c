# The whole platform on this machine: keys, Postgres, five services, Prometheus.

# In the order of starting; stopped in reverse.
SERVICES=(bot ratings matchmaking rules gateway)
declare -A SERVICE_OFFSET=([gateway]=0 [rules]=1 [matchmaking]=2 [bot]=3 [ratings]=4)
PROMETHEUS_PORT=$((PORT_BASE + 90))
POPULATION_DEFAULT=24  # The whole roster: more is refused.

service_address() { printf '127.0.0.1:%d' $((PORT_BASE + SERVICE_OFFSET[$1])); }
metrics_address() { printf '127.0.0.1:%d' $((PORT_BASE + 1000 + SERVICE_OFFSET[$1])); }

# keys_make NAME: a key ring of one key (kid:base64), once.
keys_make() {
  local file=$VAR/keys/$1.keys
  [[ -s $file ]] && return
  local kid
  kid=$1-$(date -u +%Y%m%d)
  (umask 077 && printf '%s:%s\n' "$kid" "$(openssl rand -base64 32)" >"$file")
}

# service_arguments NAME: sets `arguments`.
service_arguments() {
  arguments=(--listen_address="$(service_address "$1")" --metrics_address="$(metrics_address "$1")"
    --internal_key_file="$VAR/keys/internal.keys")
  local peer peers=()
  case $1 in
    rules) peers=(bot ratings matchmaking) ;;
    matchmaking)
      peers=(rules ratings)
      arguments+=(--population="$(<"$VAR/population")")
      ;;
    gateway)
      peers=(rules matchmaking ratings)
      arguments+=(--gateway_key_file="$VAR/keys/gateway.keys")
      ;;
  esac
  for peer in "${peers[@]}"; do arguments+=("--${peer}_address=$(service_address "$peer")"); done
  if [[ " ${PG_ROLES[*]} " == *" $1 "* ]]; then arguments+=(--dsn="$(postgres_dsn "$1")"); fi
}

# Ready: the port takes connections and /metrics answers.
service_ready() {
  curl -fsS -o /dev/null --max-time 2 "http://$(metrics_address "$1")/metrics" &&
    (: <"/dev/tcp/127.0.0.1/$((PORT_BASE + SERVICE_OFFSET[$1]))")
}

# Starts a service unless the same binary already runs with the same arguments.
service_start() {
  local stamp arguments
  service_arguments "$1"
  stamp=$(process_stamp "$BIN/tarot-$1" "${arguments[@]}")
  process_current "$1" "$stamp" && return
  process_stop "$1" TERM
  step "Starting tarot-$1 on $(service_address "$1")"
  process_start "$1" "$stamp" "$BIN/tarot-$1" "${arguments[@]}"
}

prometheus_ready() { curl -fsS --max-time 2 "http://127.0.0.1:$PROMETHEUS_PORT/-/ready"; }

# The committed configuration, with this clone's ports in it.
prometheus_up() {
  local stamp configuration=$VAR/prometheus/prometheus.yml
  mkdir -p "$VAR/prometheus"
  sed -E "s/127\.0\.0\.1:81([0-9]{2})/127.0.0.1:$((PORT_BASE / 100 + 10))\1/" \
    deploy/prometheus/prometheus.yml >"$configuration"
  cp deploy/prometheus/alerts.yml "$VAR/prometheus/alerts.yml"
  stamp=$(cat "$configuration" "$VAR/prometheus/alerts.yml" | sha256sum | cut -c1-16)
  process_current prometheus "$stamp" && return
  process_stop prometheus TERM
  step "Starting Prometheus on 127.0.0.1:$PROMETHEUS_PORT"
  process_start prometheus "$stamp" /usr/bin/prometheus --config.file="$configuration" \
    --storage.tsdb.path="$VAR/prometheus/data" --storage.tsdb.retention.time=7d \
    --web.listen-address="127.0.0.1:$PROMETHEUS_PORT"
  process_wait prometheus prometheus_ready
}

# One `up`, `down` or `restart` at a time; the lock ends with this process.
platform_lock() {
  mkdir -p "$VAR"
  exec 9>"$VAR/dev.lock"
  flock -n 9 || { say "waiting for another tools/dev to finish" && flock 9; }
}

platform_up() {
  local service population=
  while (($#)); do
    case $1 in
      --population) population=${2:-} && shift ;;
      --population=*) population=${1#*=} ;;
      *) die "up: unknown argument '$1'; there is --population N" ;;
    esac
    [[ $population =~ ^[0-9]+$ ]] && ((population <= 24)) ||
      die "up: --population takes a number up to 24, as in --population 8"
    shift
  done
  platform_lock
  packages_install
  build_targets "${SERVICES[@]/#/tarot-}" tarotctl

  mkdir -p "$VAR/keys" && chmod 700 "$VAR/keys"
  # Remembered, so that a later `up` without them changes nothing.
  printf '%s\n' "$PORT_BASE" >"$VAR/port_base"
  if [[ -n $population || ! -s $VAR/population ]]; then
    printf '%s\n' "${population:-$POPULATION_DEFAULT}" >"$VAR/population"
  fi
  keys_make internal
  keys_make gateway
  postgres_up
  for service in "${SERVICES[@]}"; do service_start "$service"; done
  for service in "${SERVICES[@]}"; do process_wait "$service" service_ready "$service"; done
  prometheus_up
  platform_next_steps
}

platform_next_steps() {
  local gateway=$(service_address gateway) ctl=build/bin/tarotctl other_port=
  ((PORT_BASE == 7100)) || other_port="  export TAROT_GATEWAY=$gateway
"
  cat <<END

The platform is up; $(<"$VAR/population") bots queue for ranked matches.

  players' door   $gateway  (gRPC, the gateway)
  metrics         http://127.0.0.1:$PROMETHEUS_PORT/  (Prometheus)
  logs            tools/dev logs rules

$other_port  $ctl play --name Ada          a casual match, played here; ? helps
  $ctl play --queue ranked4     a match that counts
  $ctl tables                   the tables in play
  $ctl watch                    look over the shoulder of one
  $ctl ladder                   the ratings; they move from the first minute on
  $ctl player NAME              a player's matches and deals
  $ctl record TABLE/1           the first deal of a table, once it is over

  tools/dev status   tools/dev down
END
}

platform_down() {
  local name
  platform_lock
  step "Stopping what runs"
  process_stop prometheus TERM
  for ((i = ${#SERVICES[@]} - 1; i >= 0; --i)); do process_stop "${SERVICES[i]}" TERM; done
  process_stop postgres INT  # Its fast shutdown.
}

platform_status() {
  local name pid down=0
  for name in postgres "${SERVICES[@]}" prometheus; do
    if pid=$(process_pid "$name"); then
      printf '%-12s running  pid %-8s %s\n' "$name" "$pid" "$(platform_where "$name")"
    else
      printf '%-12s down\n' "$name"
      down=1
    fi
  done
  return $down
}

platform_where() {
  case $1 in
    postgres) printf '127.0.0.1:%d' "$PG_PORT" ;;
    prometheus) printf 'http://127.0.0.1:%d/' "$PROMETHEUS_PORT" ;;
    *) printf '%s  metrics http://%s/metrics' "$(service_address "$1")" "$(metrics_address "$1")" ;;
  esac
}

# platform_check_name NAME: dies unless it is a process of the platform.
platform_check_name() {
  [[ " postgres prometheus ${SERVICES[*]} " == *" ${1:-?} "* ]] ||
    die "which process? one of: postgres ${SERVICES[*]} prometheus"
}

platform_restart() {
  platform_check_name "$@"
  platform_lock
  postgres_locate
  case $1 in
    postgres) process_stop postgres INT && postgres_up ;;
    prometheus) process_stop prometheus TERM && prometheus_up ;;
    *)
      process_stop "$1" TERM
      service_start "$1"
      process_wait "$1" service_ready "$1"
      ;;
  esac
}

platform_logs() {
  platform_check_name "$@"
  exec tail -n 50 -F "$VAR/log/$1.log"
}
