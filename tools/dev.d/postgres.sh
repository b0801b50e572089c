# The private Postgres 15. It listens on a Unix socket and a loopback port. Its data is in var/pg or
# in /var/tmp; see postgres_locate.

PG_BIN=/usr/lib/postgresql/15/bin
PG_PORT=$((PORT_BASE + 32))
PG_ROLES=(rules matchmaking ratings admin)  # The services that have a schema.
PG_PASSFILE=$VAR/keys/pgpass

# Each cell of rules has a Postgres of its own. The Postgres of cell 0 also has the schemas of the
# other services. The functions of this file work on the Postgres of the cell in PG_CELL.
PG_CELL=0

# in_cell CELL COMMAND...: runs COMMAND for the Postgres of CELL.
in_cell() {
  local PG_CELL=$1 PG_PORT=$((PG_PORT - $1)) PG_DATA PG_SOCKET
  postgres_locate
  "${@:2}"
}

# Prints the name of the cell's Postgres as a process.
pg_process() { if ((PG_CELL == 0)); then echo postgres; else echo "postgres.cell$PG_CELL"; fi; }

# Postgres refuses to run as root. If we are root, the user postgres runs it.
pg_user() { if ((EUID == 0)); then echo postgres; else id -un; fi; }

# setpriv replaces itself with the program, so the pid of setpriv becomes the pid of the program.
pg_run_as=()
((EUID == 0)) && pg_run_as=(setpriv --reuid=postgres --regid=postgres --init-groups --)

# Chooses the folders for data and socket. Normally both are in var/pg, or in var/pg_cell1 for cell
# 1. If the user that runs Postgres cannot reach this folder, both are in a directory of /var/tmp
# that is named after this clone.
# If only the socket's path is longer than the 107 bytes that the kernel allows, only the socket is
# in that directory.
postgres_locate() {
  local folder=$VAR/pg elsewhere
  elsewhere=/var/tmp/tarot-$(pg_user)-$(clone_hash)
  if ((PG_CELL > 0)); then folder+=_cell$PG_CELL elsewhere+=-cell$PG_CELL; fi
  mkdir -p "$VAR/run" "$VAR/log" "$folder"
  PG_DATA=$folder/data PG_SOCKET=$folder
  if ! "${pg_run_as[@]}" test -x "$folder"; then
    PG_DATA=$elsewhere/data PG_SOCKET=$elsewhere
  elif ((${#VAR} + ${#PG_PORT} + 16 > 107)); then
    PG_SOCKET=$elsewhere
  fi
}

postgres_make_directories() {
  local directory
  for directory in "$(dirname "$PG_DATA")" "$PG_SOCKET"; do
    if [[ ! -d $directory ]] && [[ $directory != "$VAR"/* ]]; then
      say "  Postgres uses $directory: the path of var/ is too long for a socket, or closed to it"
      mkdir -m 755 "$directory"
    fi
    [[ -O $directory || $(stat -c %U "$directory") == postgres ]] || die "$directory is not ours"
    ((EUID == 0)) && chown postgres: "$directory"
  done
  return 0
}

# Gives each role a random password in the password file, which has the format of libpq's `.pgpass`.
# A role that has a password keeps it. No password is ever an argument of a program.
postgres_make_passfile() {
  local role
  for role in postgres replicator "${PG_ROLES[@]/#/tarot_}" tarot_owner; do
    [[ -n $(postgres_password "$role") ]] && continue
    (umask 077 && printf '*:*:*:%s:%s\n' "$role" "$(openssl rand -hex 24)" >>"$PG_PASSFILE")
  done
}

postgres_password() { sed -n "s/^\*:\*:\*:$1://p" "$PG_PASSFILE" 2>/dev/null || true; }

postgres_init() {
  [[ -e $PG_DATA/PG_VERSION ]] && return
  step "Making a Postgres 15 cluster in ${PG_DATA#"$ROOT"/}"
  rm -rf "$PG_DATA"  # An interrupted initdb perhaps left a folder that is not complete.
  local password_file=$PG_SOCKET/initdb.password ok=true
  (umask 077 && postgres_password postgres >"$password_file")
  ((EUID == 0)) && chown postgres: "$password_file"
  "${pg_run_as[@]}" "$PG_BIN/initdb" -D "$PG_DATA" -U postgres -E UTF8 --locale=C \
    --auth=scram-sha-256 --pwfile="$password_file" >"$VAR/log/initdb.log" 2>&1 || ok=false
  rm -f "$password_file"
  $ok || die "initdb failed: see var/log/initdb.log"
}

pg_ready() { "$PG_BIN/pg_isready" -q -h "$PG_SOCKET" -p "$PG_PORT"; }

# Creates roles, schemas and the database. It runs at every `up`, so that roles that were added
# later are created too.
postgres_grant() {
  local role attempt
  for role in owner "${PG_ROLES[@]}"; do
    export "TAROT_${role^^}_PASSWORD=$(postgres_password "tarot_$role")"
  done
  # roles.sql needs locks of SQL tables. It waits only half a second for them, so services may run
  # meanwhile.
  for ((attempt = 1; ; ++attempt)); do
    postgres_psql_in postgres -q -v ON_ERROR_STOP=1 -f deploy/postgres/roles.sql && break
    ((attempt < 10)) || die "deploy/postgres/roles.sql failed"
    sleep 1
  done
  for role in owner "${PG_ROLES[@]}"; do unset "TAROT_${role^^}_PASSWORD"; done
}

# Applies the missing migrations, with the role that owns the schemas. Services of the previous
# version also work with the new schemas. So they may still run.
postgres_migrate() {
  local service cell
  step "Bringing the schemas to this version"
  for service in "${PG_ROLES[@]}"; do postgres_migrate_schema "$service"; done
  for cell in $(other_cells); do in_cell "$cell" postgres_migrate_schema rules --cell="$cell"; done
}

# postgres_migrate_schema SERVICE [FLAG...]
postgres_migrate_schema() {
  "$BIN/tarot-$1" --migrate_only "${@:2}" --dsn="$(postgres_dsn owner)" \
    >>"$VAR/log/migrate.log" 2>&1 ||
    die "the migrations of $1 failed: $(tail -n 3 "$VAR/log/migrate.log")"
}

# Starts the single Postgres of each cell, or the cluster of three nodes if `up --ha` asked for it.
# If the other kind of Postgres runs, stops it first. The two kinds have separate data.
postgres_up() {
  local cell
  postgres_locate
  postgres_make_directories
  postgres_make_passfile
  if ha_on; then
    process_stop postgres INT
    ha_up
  else
    ha_down
    postgres_start
  fi
  postgres_grant
  if ha_on; then ha_wait_for_standbys; fi
  for cell in $(other_cells); do in_cell "$cell" postgres_cell_up; done
}

# Starts the Postgres of a cell other than cell 0.
postgres_cell_up() {
  postgres_make_directories
  postgres_start
  postgres_grant
}

# Copies the certificate of Postgres and the trusted authorities to the data directory, where the
# user of Postgres can read them. Also writes the rules for the clients of Postgres. A running
# Postgres reads them again. The roles of the services and the owner of the schemas need TLS and a
# certificate of their name, and no password. Other roles need a password, and may connect without
# TLS, because Postgres listens only on this machine.
postgres_secure() {
  local file role roles service
  for file in tls.pem ca.pem; do
    if [[ $file == tls.pem ]]; then service=postgres; else service=public; fi
    install -m 600 "$IDENTITY/$service/$file" "$PG_DATA/$file.new"
    ((EUID == 0)) && chown postgres: "$PG_DATA/$file.new"
    mv -f "$PG_DATA/$file.new" "$PG_DATA/$file"
  done
  roles=$(IFS=, && printf 'tarot_owner,%s' "${PG_ROLES[*]/#/tarot_}")
  cat >"$PG_DATA/pg_hba.conf" <<END
local all all scram-sha-256
hostssl tarot $roles 127.0.0.1/32 cert map=services
host all $roles 127.0.0.1/32 reject
host all all 127.0.0.1/32 scram-sha-256
END
  for role in owner "${PG_ROLES[@]}"; do
    printf 'services %s tarot_%s\n' "$role" "$role"
  done >"$PG_DATA/pg_ident.conf"
  if process_pid "$(pg_process)" >/dev/null; then kill -s HUP "$(process_pid "$(pg_process)")"; fi
}

# A Postgres that was started without TLS, by an older release, must start again.
postgres_has_tls() {
  [[ $(postgres_psql_in postgres -q -t -A -c 'SHOW ssl' 2>/dev/null) == on ]]
}

postgres_start() {
  local process
  process=$(pg_process)
  postgres_init
  postgres_secure
  if process_pid "$process" >/dev/null && ! postgres_has_tls; then process_stop "$process" INT; fi
  # If any other setting has changed, a running Postgres is not restarted, because a restart would
  # end the connections of its clients.
  if ! process_pid "$process" >/dev/null; then
    step "Starting $process on port $PG_PORT"
    process_start "$process" - "${pg_run_as[@]}" "$PG_BIN/postgres" -D "$PG_DATA" -p "$PG_PORT" \
      -c listen_addresses=127.0.0.1 -c "unix_socket_directories=$PG_SOCKET" \
      -c max_connections=400 -c shared_buffers=256MB \
      -c ssl=on -c ssl_cert_file=tls.pem -c ssl_key_file=tls.pem -c ssl_ca_file=ca.pem \
      -c ssl_min_protocol_version=TLSv1.3 \
      -c recovery_init_sync_method=syncfs -c log_min_messages=warning
    process_wait "$process" pg_ready
  fi
}

# Prints the DSN of one service, or of the owner of the schemas. It contains no secret: Postgres
# knows the service by its certificate.
postgres_dsn() {
  if ha_on; then
    postgres_host
  else
    printf "host=postgres.tarot.internal hostaddr=127.0.0.1 port=%s" "$PG_PORT"
    printf " sslmode=verify-full sslrootcert='%s'" "$IDENTITY/public/ca.pem"
  fi
  printf " dbname=tarot user=tarot_%s" "$1"
  printf " sslcert='%s' sslkey='%s'" "$IDENTITY/$1/tls.pem" "$IDENTITY/$1/tls.pem"
}

# Prints the part of a DSN that finds the primary and, in the cluster of three nodes, checks its
# certificate.
postgres_host() {
  if ha_on; then
    printf "host=%s hostaddr=%s port=%s" "$(ha_names)" "$(ha_hosts)" "$PG_PORT"
    printf " target_session_attrs=read-write"
    printf " sslmode=verify-full sslrootcert='%s'" "$IDENTITY/public/ca.pem"
  else
    printf "host='%s' port=%s" "$PG_SOCKET" "$PG_PORT"
  fi
}

# postgres_psql [ARGUMENT...]: runs psql in the database tarot.
postgres_psql() { postgres_psql_in tarot "$@"; }

# postgres_psql_in DATABASE [ARGUMENT...]
postgres_psql_in() {
  postgres_locate
  PGPASSFILE=$PG_PASSFILE "$PG_BIN/psql" -X -d "$(postgres_host) user=postgres dbname=$1" "${@:2}"
}

postgres_remove() {
  local cell
  postgres_locate
  [[ $PG_SOCKET == "$VAR"/* ]] || rm -rf "$PG_SOCKET"
  if ((PG_CELL > 0)); then return; fi
  for cell in $(other_cells); do in_cell "$cell" postgres_remove; done
}
