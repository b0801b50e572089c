# Builds images of the services, and plays matches with them on this host (deploy/images,
# deploy/compose). A private docker daemon builds and runs the images. The daemon changes no rule of
# the firewall and no network of this machine, so containers use the network of the host.

IMAGES=(bot ratings matchmaking rules gateway admin door probe operator)
SERVICE_IMAGE_BYTES_MAX=40000000
DOCKER_PACKAGES=(docker.io docker-compose icu-devtools binutils)
OPERATOR_PROGRAMS=(tarotctl tarot-apply-queues tarot-start-season)

# image_tag: prints the tag of the images of this build: version and commit.
image_tag() { "$BIN/tarot-bot" --version | awk '{print $2 "-" $4; exit}'; }

docker_folder() {
  local folder=$VAR/docker
  ((${#folder} > 80)) && folder=/var/tmp/tarot-docker-$(clone_hash)
  printf '%s' "$folder"
}

docker_ready() { docker version >/dev/null; }

# docker_up: starts the private daemon. Does nothing if DOCKER_HOST names another daemon.
docker_up() {
  packages_install "${DOCKER_PACKAGES[@]}"
  [[ -z ${DOCKER_HOST:-} ]] || return 0
  ((EUID == 0)) || die "the private docker daemon needs root; or set DOCKER_HOST to one of yours"
  local folder
  folder=$(docker_folder)
  mkdir -p -m 700 "$folder"
  export DOCKER_HOST=unix://$folder/docker.sock
  # BuildKit needs a component that Debian does not have. The classic builder does not need it.
  export DOCKER_BUILDKIT=0
  process_pid docker >/dev/null && return
  step "Starting a private docker daemon"
  process_start docker - /usr/sbin/dockerd --host="$DOCKER_HOST" --data-root="$folder/data" \
    --exec-root="$folder/run" --pidfile="$folder/docker.pid" --iptables=false --bridge=none
  process_wait docker docker_ready
}

docker_down() { process_stop docker TERM; }

# image_add_program ROOT PROGRAM [NAME]: copies a program without its symbols to the top of ROOT.
# Copies its libraries to the paths where the loader looks for them.
image_add_program() {
  local root=$1 library target
  strip -o "$root/${3:-$(basename "$2")}" "$2"
  while read -r library; do
    # Copies to /lib, because the loader looks there. On Debian, /lib is a link to /usr/lib.
    target=$root/lib/x86_64-linux-gnu/$(basename "$library")
    [[ $library == */ld-linux-* ]] && target=$root/lib64/$(basename "$library")
    [[ -e $target ]] && continue
    mkdir -p "$(dirname "$target")"
    if [[ $library == *libicudata.so* ]]; then
      python3 -B tools/dev.d/icu_data.py "$library" "$target"
    else
      strip -o "$target" "$library"
    fi
  done < <(ldd "$2" | awk '$2 == "=>" {print $3} $1 ~ /^\// {print $1}')
}

# image_root NAME FOLDER: makes the file system of an image.
image_root() {
  local name=$1 folder=$2 root=$2/root program
  rm -rf "$folder"
  mkdir -p "$root/etc"
  printf 'tarot:x:65532:65532::/:/\n' >"$root/etc/passwd"
  printf 'tarot:x:65532:\n' >"$root/etc/group"
  printf 'hosts: files dns\n' >"$root/etc/nsswitch.conf"
  case $name in
    door)
      image_add_program "$root" /usr/sbin/haproxy
      mkdir -p "$root/etc/haproxy"
      cp deploy/haproxy/haproxy.cfg "$root/etc/haproxy"
      ;;
    operator)
      for program in "${OPERATOR_PROGRAMS[@]}"; do image_add_program "$root" "$BIN/$program"; done
      mkdir -p "$root/deploy"
      cp deploy/queues.json deploy/ladder_numbers.json "$root/deploy"
      ;;
    *) image_add_program "$root" "$BIN/tarot-$name" ;;
  esac
  if [[ $name == probe || $name == operator ]]; then
    # These programs may connect to a door with TLS, so they need the certificate authorities.
    mkdir -p "$root/etc/ssl/certs"
    cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs"
  fi
  if [[ $name == gateway ]]; then
    cp -r "${PAGE:-build/page}" "$root/page"
    mkdir -p "$folder/run/tarot"
    mkdir -m 700 "$folder/run/tarot/door"
  fi
  if [[ $name == rules ]]; then
    mkdir "$folder/state"
    mkdir -m 750 "$folder/state/archive"
  fi
  # Without this line, the modes of the files would depend on the umask.
  chmod -R u=rwX,go=rX "$root"
}

# images_build: builds all images as tarot-NAME:TAG and tarot-NAME:dev, and prints their sizes.
images_build() {
  (($# == 0)) || die "images takes no argument, not '$1'"
  packages_install "${DOCKER_PACKAGES[@]}"
  build_targets "${SERVICES[@]/#/tarot-}" tarot-probe "${OPERATOR_PROGRAMS[@]}" page
  docker_up
  local name tag folder bytes
  tag=$(image_tag)
  mkdir -p "$VAR/images"
  for name in "${IMAGES[@]}"; do
    folder=$VAR/images/$name
    image_root "$name" "$folder"
    docker build --quiet --network=host --file "deploy/images/$name.Dockerfile" \
      --label org.opencontainers.image.version="$tag" \
      --tag "tarot-$name:$tag" --tag "tarot-$name:dev" "$folder" >"$VAR/log/image_$name.log" 2>&1 ||
      die "the image of $name failed: $(tail -5 "$VAR/log/image_$name.log")"
    bytes=$(docker image inspect --format '{{.Size}}' "tarot-$name:$tag")
    printf '%-28s %5.1f MB\n' "tarot-$name:$tag" "$(awk "BEGIN {print $bytes / 1e6}")"
    # The limit applies to the images of services. The image of the operators may be larger, because
    # it has three programs.
    [[ $name == operator ]] || ((bytes <= SERVICE_IMAGE_BYTES_MAX)) ||
      die "tarot-$name has $bytes bytes; at most $SERVICE_IMAGE_BYTES_MAX"
  done
}

# compose_in ARGUMENT...: docker-compose with deploy/compose and the ports of this clone.
compose_in() {
  local service variables=()
  for service in "${SERVICES[@]}"; do
    variables+=("TAROT_${service^^}_PORT=$(process_port "$service")"
      "TAROT_${service^^}_METRICS_PORT=$(($(process_port "$service") + 1000))")
  done
  env "${variables[@]}" TAROT_TAG="$(image_tag)" TAROT_SECRETS="$VAR/secrets" \
    TAROT_POSTGRES_SOCKET="$PG_SOCKET" TAROT_DSN="host=/run/postgresql port=$PG_PORT" \
    TAROT_DOOR_ADDRESS="$DOOR_ADDRESS" TAROT_DOOR_PAGE_ADDRESS="$DOOR_PAGE_ADDRESS" \
    TAROT_DOOR_METRICS="$DOOR_METRICS" TAROT_OWNER="$VAR/owner" \
    TAROT_PROBE_DOOR="$DOOR_ADDRESS" TAROT_PROBE_METRICS="$PROBE_METRICS" \
    TAROT_POPULATION=0 COMPOSE_HTTP_TIMEOUT=60 \
    docker-compose --file deploy/compose/compose.yml --project-name tarot-match "$@"
}

# Gives the containers' user its own copies of the keys and passwords.
compose_secrets() {
  mkdir -p "$VAR/keys" && chmod 700 "$VAR/keys"
  local name folder=$VAR/secrets
  for name in gateway seed operator; do keys_make "$name"; done
  identity_make
  rm -rf "$folder" && cp -r "$IDENTITY" "$folder" && rm -r "$folder/authority"
  cp "$VAR/keys/gateway.keys" "$folder/gateway"
  cp "$VAR/keys/seed.keys" "$folder/rules"
  cp "$VAR/keys/operator.keys" "$folder/admin"
  for name in "${PG_ROLES[@]}"; do
    grep ":tarot_$name:" "$PG_PASSFILE" >"$folder/$name/pgpass"
  done
  chmod -R u=rX,go= "$folder"
  chown -R 65532:65532 "$folder"
  mkdir -p "$VAR/owner"
  grep ':tarot_owner:' "$PG_PASSFILE" >"$VAR/owner/pgpass"
  chmod 400 "$VAR/owner/pgpass" && chmod 500 "$VAR/owner"
  chown -R 65532:65532 "$VAR/owner"
}

# compose_containers FORMAT: prints one line for each container. FORMAT is a template of
# `docker inspect --format`.
compose_containers() {
  docker ps --all --quiet --filter label=com.docker.compose.project=tarot-match |
    xargs -r docker inspect --format "$1"
}

# Succeeds if each service is healthy by its own --check, the six programs that run only once have
# succeeded, and the door has a gateway. The images of the door, the operators and the probe have no
# health check.
compose_ready() {
  local health ended
  health=$(compose_containers '{{if .State.Health}}{{.State.Health.Status}}{{end}}')
  [[ $(grep -c '^healthy$' <<<"$health") == $((${#IMAGES[@]} - 3)) ]] || return
  ended=$(compose_containers '{{.Config.Entrypoint}} {{.State.Status}} {{.State.ExitCode}}')
  [[ $(grep -cE '^\[/tarot-[a-z-]+\] exited 0$' <<<"$ended") == 6 ]] &&
    curl -fsS -o /dev/null --max-time 2 "http://$DOOR_PAGE_ADDRESS/" && door_ready 0
}

# Succeeds if the probe has played a deal to its end.
probe_played() {
  curl -fsS --max-time 2 "http://$PROBE_METRICS/metrics" | grep -q '^tarot_probe_rounds_total [1-9]'
}

# Fails unless each container has the restrictions that deploy/compose/compose.yml promises.
compose_check_restrictions() {
  local line expected='65532:65532 true [ALL] [no-new-privileges:true] false'
  local host='{{.HostConfig.ReadonlyRootfs}} {{.HostConfig.CapDrop}} {{.HostConfig.SecurityOpt}}'
  local format="{{.Config.User}} $host {{.HostConfig.Privileged}}"
  while read -r line; do
    [[ $line == "$expected" ]] || die "a container runs with '$line', not '$expected'"
  done < <(compose_containers "$format")
  local pid
  for pid in $(compose_containers '{{.State.Pid}}'); do
    ((pid == 0)) && continue
    grep -qE '^Uid:\s65532\s65532' "/proc/$pid/status" &&
      grep -qE '^CapEff:\s0+$' "/proc/$pid/status" ||
      die "process $pid of a container has another user or a capability"
  done
}

# compose_wait SECONDS CHECK...: waits until CHECK succeeds.
compose_wait() {
  local deadline=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < deadline)) ||
      die "the containers are not ready: $(compose_in ps --all 2>&1; compose_in logs --tail=5 2>&1)"
    sleep 0.5
  done
}

compose_down() {
  compose_in down --volumes --timeout 30 >"$VAR/log/compose_down.log" 2>&1 || true
  process_stop postgres INT
  VAR=$ROOT/var docker_down
}

# Writes how many bytes the door received and sent for each move of a person. The bytes include the
# calls of the persons, the views on their watches, and all headers.
compose_wire_figures() {
  local moves in out
  moves=$(postgres_psql -q -t -A -c \
    'SELECT count(*) FROM rules.table_actions a JOIN rules.tables USING (table_id) WHERE actor = 0')
  read -r in out < <(curl -fsS "http://$DOOR_METRICS/metrics" | awk '
    /^haproxy_frontend_bytes_in_total{proxy="players"}/ {received = $2}
    /^haproxy_frontend_bytes_out_total{proxy="players"}/ {sent = $2}
    END {print received, sent}')
  mkdir -p "$ROOT/var/bench"
  {
    printf '[\n {"name": "door_bytes_in_a_move", "value": %d, "unit": "bytes"},\n' $((in / moves))
    printf ' {"name": "door_bytes_out_a_move", "value": %d, "unit": "bytes"}\n]\n' $((out / moves))
  } | tee "$ROOT/var/bench/wire.json" >&2
}

# compose_match: builds the images and starts deploy/compose with a Postgres of its own. tarot-load
# plays casual matches of one person and three bots through the door, and tarot-check compares what
# the player saw with the database. Stops everything, also after a failure.
compose_match() {
  (($# == 0)) || die "compose-match takes no argument, not '$1'"
  ((EUID == 0)) || die "compose-match needs root"
  packages_install
  images_build
  build_targets tarot-load tarot-check
  local matches codes
  # This Postgres has data of its own, not the data of `up`.
  VAR=$VAR/compose
  PG_PASSFILE=$VAR/keys/pgpass
  IDENTITY=$VAR/keys/identity
  mkdir -p "$VAR/log" "$VAR/keys"
  identity_make
  trap compose_down EXIT
  postgres_up
  compose_secrets
  step "Starting the containers"
  # The probe starts later, because its moves must not count in the figures of the players.
  compose_in up --detach --scale probe=0 >"$VAR/log/compose_up.log" 2>&1 ||
    die "docker-compose up failed: $(tail -5 "$VAR/log/compose_up.log")"
  compose_wait 90 compose_ready
  step "Playing"
  "$BIN/tarot-load" --gateways="$DOOR_ADDRESS" --queue=queues/casual4 --tables=2 --bots=3 \
    --think=20ms --seconds=30 --history="$VAR/history.gz"
  "$BIN/tarot-check" --history="$VAR/history.gz" --seed_key_file="$VAR/keys/seed.keys" \
    --dsn="$(postgres_host) dbname=tarot user=postgres passfile='$PG_PASSFILE'"
  matches=$(postgres_psql -q -t -A -c 'SELECT count(*) FROM ratings.matches')
  ((matches > 0)) || die "no match was played to its end"
  compose_wire_figures
  step "Trying the operators' door and the probe"
  "$BIN/tarotctl" admin calls --why "compose-match" --key "$VAR/keys/operator.keys" \
    --identity "$IDENTITY/operator/tls.pem" --ca "$IDENTITY/public/ca.pem" \
    --admin "$(process_address admin)" >"$VAR/log/compose_admin.log" 2>&1 ||
    die "admin refuses an operator: $(cat "$VAR/log/compose_admin.log")"
  compose_in up --detach --no-deps probe >>"$VAR/log/compose_up.log" 2>&1
  compose_wait 90 probe_played
  compose_check_restrictions
  step "Stopping the containers"
  compose_in stop --timeout 30 >>"$VAR/log/compose_down.log" 2>&1
  codes=$(compose_containers '{{.Name}} {{.State.ExitCode}}' | grep -v ' 0$' || true)
  [[ -z $codes ]] || die "containers ended with another exit code than 0: $codes"
  say "compose-match: the services ran in containers, $matches matches ended, and the log agrees"
}
