#!/usr/bin/env bash
# Keeps copies of one Postgres 15 with pgBackRest and pg_receivewal, and restores Postgres from
# these copies. deploy/backup/README.md says how to use it.
#
# Usage: pg_backup.sh COMMAND FOLDER [ARGUMENT...]
#
#   configure FOLDER DATA SOCKET PORT ROLE   writes FOLDER/pgbackrest.conf and FOLDER/settings.sql
#       for the server whose data directory is DATA, whose Unix socket is in the directory SOCKET,
#       and whose superuser is ROLE
#   create FOLDER   makes the repository in FOLDER/repo, if there is none, and the slot of the log
#       receiver. Then puts aside the log that the receiver got from an earlier server
#   receive FOLDER   is the log receiver. It writes the server's log to FOLDER/received before a
#       commit returns. It ends when the server ends: start it again
#   backup FOLDER [full]   backs up what changed since the last backup, or everything. Then deletes
#       the received parts of the log that the repository has, and writes the time of the backup to
#       FOLDER/metrics/tarot_backup.prom, for the node exporter
#   restore FOLDER DATA [TIME]   fills the empty directory DATA with the state of the last committed
#       transaction, or of TIME, for example '2026-11-26 04:05:06+00'. The server finishes the
#       restore when it starts. Stop the log receiver before this command
#
# Run every command as the user that runs Postgres. Keep FOLDER and DATA on the disks of different
# machines, for example FOLDER on a network file system. If both disks are lost, all data is lost.
set -euo pipefail

(($# >= 2)) || { sed -n '2,22s/^# \?//p' "${BASH_SOURCE[0]:-/dev/null}" >&2; exit 2; }
command=$1 folder=$2
shift 2
bin=/usr/lib/postgresql/15/bin
umask 077  # Other users may not read the copies, which contain the whole database.

# value NAME: prints an option of the server that `configure` wrote.
value() { sed -n "s/^pg1-$1=//p" "$folder/pgbackrest.conf"; }

backrest() { pgbackrest --config="$folder/pgbackrest.conf" --stanza=tarot "$@"; }

# Prints the DSN of the server, for the programs of Postgres.
server() {
  printf 'host=%s port=%s user=%s dbname=postgres' \
    "$(value socket-path)" "$(value port)" "$(value user)"
}

# ask SQL: prints the value that the statement returns.
ask() { "$bin/psql" -X -q -t -A -d "$(server)" -c "$1"; }

configure() {
  local data=$1 socket=$2 port=$3 role=$4
  mkdir -p "$folder"/{repo,received,log,lock,spool}
  cat >"$folder/pgbackrest.conf" <<END
[global]
repo1-path=$folder/repo
# pgBackRest keeps two full backups, and the log that is needed to restore any moment since the
# older backup.
repo1-retention-full=2
compress-type=zst
start-fast=y
log-path=$folder/log
lock-path=$folder/lock
spool-path=$folder/spool
log-level-console=warn
log-level-file=info

[tarot]
pg1-path=$data
pg1-socket-path=$socket
pg1-port=$port
pg1-user=$role
END
  # The server archives each full part of its log, and at least one part a minute.
  cat >"$folder/settings.sql" <<END
ALTER SYSTEM SET archive_mode = on;
ALTER SYSTEM SET archive_timeout = '60s';
ALTER SYSTEM SET archive_command =
  'pgbackrest --config=$folder/pgbackrest.conf --stanza=tarot archive-push %p';
END
}

create() {
  # A server that is being restored still reads the received parts.
  until [[ $(ask 'SELECT pg_is_in_recovery()') == f ]]; do sleep 0.2; done
  backrest stanza-create
  local slots="SELECT count(*) FROM pg_replication_slots WHERE slot_name = 'receiver'"
  [[ $(ask "$slots") == 0 ]] || return 0
  if [[ -n $(ls -A "$folder/received") ]]; then
    mv "$folder/received" "$folder/received.$(date +%Y%m%d-%H%M%S)"
    mkdir "$folder/received"
  fi
  "$bin/pg_receivewal" -d "$(server)" --slot=receiver --create-slot
}

receive() {
  # The server knows the receiver by its application name. With --synchronous, the receiver answers
  # a commit when the commit's part of the log is on its disk.
  exec "$bin/pg_receivewal" -d "$(server) application_name=receiver" -D "$folder/received" \
    --slot=receiver --synchronous --no-loop --no-password
}

backup() {
  backrest backup --type="${1:-incr}"
  local archived
  archived=$(ask 'SELECT last_archived_wal FROM pg_stat_archiver')
  # Deletes the received parts of the log that are older than the part `archived`. The receiver
  # writes only to newer parts.
  [[ $archived =~ ^[0-9A-F]{24}$ ]] && "$bin/pg_archivecleanup" "$folder/received" "$archived"
  record_success
}

# Tells the node exporter the time of this backup. The exporter must not read a file that is not
# complete, so the file gets its name at the end.
record_success() {
  local file=$folder/metrics/tarot_backup.prom
  mkdir -p "$folder/metrics"
  cat >"$file.new" <<END
# HELP pg_backup_success_time_seconds Time of the last backup, in seconds since 1970.
# TYPE pg_backup_success_time_seconds gauge
pg_backup_success_time_seconds $(date +%s)
END
  # The exporter runs as another user. It may read this folder, but not the copies beside it.
  chmod 755 "$folder/metrics" && chmod 644 "$file.new" && chmod o+x "$folder"
  mv "$file.new" "$file"
}

restore() {
  local data=$1 target=()
  (($# > 1)) && target=(--type=time --target="$2" --target-action=promote)
  # The newest part of the log is only at the receiver. A part that is not full has the ending
  # `.partial`.
  local received=$folder/received
  backrest restore --pg1-path="$data" "${target[@]}" --recovery-option="restore_command=pgbackrest \
--config=$folder/pgbackrest.conf --stanza=tarot archive-get %f \"%p\" || cp $received/%f \"%p\" || \
cp $received/%f.partial \"%p\""
}

case $command in
  configure | create | receive | backup | restore) "$command" "$@" ;;
  *) printf 'pg_backup.sh: unknown command %s\n' "$command" >&2; exit 2 ;;
esac
