# The public door: HAProxy in front of all gateways, with deploy/haproxy/haproxy.cfg.

DOOR_ADDRESS=127.0.0.1:$PORT_BASE
DOOR_PAGE_ADDRESS=127.0.0.1:$((PORT_BASE + 5))
DOOR_METRICS=127.0.0.1:$((PORT_BASE + 1006))

# Prints the folder of the gateways' sockets. It is under var/, unless the path of a socket there
# would be too long. The limit of 70 leaves room for the names of the sockets and for 20 bytes that
# HAProxy adds.
door_folder() {
  local folder=$VAR/door
  ((${#folder} > 70)) && folder=/var/tmp/tarot-door-$(id -un)-$(clone_hash)
  printf '%s' "$folder"
}

door_make_folder() {
  local folder
  folder=$(door_folder)
  [[ -d $folder ]] || mkdir -m 700 "$folder"
  [[ -O $folder && ! -L $folder ]] || die "$folder is not ours"
  chmod 700 "$folder"
}

# door_socket PROCESS: prints the path of the socket on which this gateway listens.
door_socket() { printf '%s/%s.sock' "$(door_folder)" "$1"; }

# door_page_socket PROCESS: prints the path of the socket of this gateway's HTTP door.
door_page_socket() { printf '%s.http' "$(door_socket "$1")"; }

# Prints deploy/haproxy/haproxy.cfg with the gateways of this clone as its servers.
door_configuration() {
  local line process
  while IFS= read -r line; do
    [[ $line == '  server gateway '* ]] || { printf '%s\n' "$line" && continue; }
    for process in $(replicas gateway); do
      line=${line/server gateway /server $process }
      printf '%s\n' "${line/gateway.sock/$process.sock}"
      line=${line/server $process /server gateway }
    done
  done <deploy/haproxy/haproxy.cfg
}

# Prints the time at which HAProxy's present worker began, in seconds since 1970.
door_began() {
  curl -fsS --max-time 2 "http://$DOOR_METRICS/metrics" |
    sed -n 's/^haproxy_process_start_time_seconds //p'
}

# door_ready SECOND: succeeds when HAProxy's present worker serves and began at SECOND or later.
# SECOND is a time in seconds since 1970.
door_ready() {
  local began
  began=$(door_began) && [[ -n $began ]] && ((began >= $1)) &&
    (: <"/dev/tcp/127.0.0.1/$PORT_BASE")
}

# door_up [again]: starts HAProxy. If HAProxy runs and its configuration or its program has changed,
# makes HAProxy load both again. With "again", HAProxy loads both even if nothing has changed.
# Loading loses no stream: the old worker keeps its connections, and the new worker takes new
# connections. If the environment has changed, starts a new process, which ends all streams.
door_up() {
  local world stamp pid began configuration=$VAR/haproxy.cfg environment
  environment=(TAROT_DOOR_ADDRESS="$DOOR_ADDRESS" TAROT_DOOR_PAGE_ADDRESS="$DOOR_PAGE_ADDRESS"
    TAROT_DOOR_METRICS="$DOOR_METRICS"
    TAROT_DOOR_FOLDER="$(door_folder)" TAROT_DOOR_TRUSTED="${TAROT_DOOR_TRUSTED:-}"
    TAROT_DOOR_PLAINTEXT=loopback
    ${TAROT_DOOR_CERTIFICATE:+TAROT_DOOR_CERTIFICATE="$TAROT_DOOR_CERTIFICATE"})
  door_configuration >"$configuration.new"
  env "${environment[@]}" /usr/sbin/haproxy -c -f "$configuration.new" \
    >"$VAR/log/door_check.log" 2>&1 ||
    die "deploy/haproxy/haproxy.cfg is refused: $(cat "$VAR/log/door_check.log")"
  mv "$configuration.new" "$configuration"
  world=$(printf '%s\n' "${environment[@]}" | sha256sum | cut -c1-8)
  stamp=$world-$(process_stamp /usr/sbin/haproxy "$(<"$configuration")")
  if process_pid door >/dev/null; then
    [[ ${1:-} != again ]] && process_current door "$stamp" && return
    [[ $(cut -d' ' -f3 "$VAR/run/door.pid") == "$world"-* ]] || process_stop door TERM
  fi
  if pid=$(process_pid door); then
    step "Loading the door's new configuration"
    began=$(door_began) || began=0
    # The new worker must begin in a later second than the old worker, so that door_ready does not
    # accept the old worker.
    while (($(date +%s) <= began)); do sleep 0.1; done
    kill -s USR2 "$pid"
    process_wait door door_ready $((began + 1))
    printf '%s %s %s\n' "$pid" "$(process_start_time "$pid")" "$stamp" >"$VAR/run/door.pid"
  else
    step "Starting the door on $DOOR_ADDRESS"
    process_start door "$stamp" env "${environment[@]}" /usr/sbin/haproxy -W -f "$configuration"
    process_wait door door_ready 0
  fi
}
