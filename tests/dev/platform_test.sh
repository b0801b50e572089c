#!/usr/bin/env bash
# Tests names, ports and replicas in tools/dev.d/platform.sh. Starts no service.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
ROOT=$PWD BIN=/nowhere PORT_BASE=7600
VAR=$(mktemp -d)
for part in common process postgres ha door platform; do source "tools/dev.d/$part.sh"; done
failures=0

expect_equal() {
  [[ $2 == "$3" ]] && return
  printf 'FAILED: %s\n  is       %s\n  expected %s\n' "$@"
  ((++failures))
}
one_line() { tr '\n' ' '; }
# A command that refuses its arguments ends its shell, so it runs in a subshell.
refuses() { (platform_check_number "$@") >/dev/null 2>&1 && echo no || echo yes; }

expect_equal "one replica by default" "$(replicas rules gateway | one_line)" "rules gateway "
expect_equal "address of one replica" "$(service_addresses rules)" 127.0.0.1:7601
echo 3 >"$VAR/replicas"
expect_equal "three replicas" "$(replicas rules bot | one_line)" \
  "rules rules.2 rules.3 bot bot.2 bot.3 "
expect_equal "addresses of three replicas" "$(service_addresses rules)" \
  127.0.0.1:7601,127.0.0.1:7611,127.0.0.1:7621
# In HAProxy's configuration, each backend must get one line for each of the three gateways.
shipped=$(grep -c '^  server gateway ' deploy/haproxy/haproxy.cfg)
expect_equal "the door's gateways" "$(door_configuration | grep -c '^  server ')" $((3 * shipped))
expect_equal "the door's last gateway" \
  "$(door_configuration | grep '^  server gateway.3 ' | sort -u)" \
  '  server gateway.3 "unix@${TAROT_DOOR_FOLDER}/gateway.3.sock"
  server gateway.3 "unix@${TAROT_DOOR_FOLDER}/gateway.3.sock.http"'
expect_equal "address of /metrics" "$(metrics_address rules.3)" 127.0.0.1:8621

# Two cells.
echo 2 >"$VAR/replicas"
echo 2 >"$VAR/cells"
expect_equal "replicas of rules in two cells" "$(replicas rules bot | one_line)" \
  "rules rules.2 rules.3 rules.4 bot bot.2 "
expect_equal "cells of the replicas" \
  "$(for process in rules rules.2 rules.3 rules.4 bot.2; do process_cell "$process"; done)" 01010
expect_equal "addresses of two cells" "$(service_addresses rules)" \
  "0=127.0.0.1:7601,127.0.0.1:7621;1=127.0.0.1:7611,127.0.0.1:7641"
expect_equal "two processes of the database" "$(database_processes | one_line)" \
  "postgres postgres.cell1 "
expect_equal "the socket and port of the Postgres of cell 1" \
  "$(in_cell 1 postgres_host | sed "s/.*cell1' //")" port=7631
refuses_cells() { (platform_check_cells "$@") >/dev/null 2>&1 && echo no || echo yes; }
expect_equal "accepts another cell" "$(refuses_cells 3 '' '')" no
expect_equal "does not remove a cell" "$(refuses_cells 1 '' '')" yes
expect_equal "no cells with three nodes" "$(refuses_cells 2 '' on)" yes
expect_equal "not more replicas than ports" "$(refuses_cells 3 3 '')" yes
echo 3 >"$VAR/replicas"
rm "$VAR/cells"

mkdir -p "$VAR/run"
touch "$VAR"/run/{rules,rules.2,rules.4,bot.5,postgres}.pid
expect_equal "surplus processes" "$(surplus_processes | one_line)" "bot.5 rules.4 "

echo ${#REPLICA_OFFSET[@]} >"$VAR/replicas"
ports=$(for process in $(replicas "${SERVICES[@]}"); do process_port "$process" && echo; done
  printf '%s\n' "$PG_PORT" "$PROMETHEUS_PORT" "${DOOR_PAGE_ADDRESS#*:}")
expect_equal "every port once" "$(sort <<<"$ports" | uniq -d | one_line)" ""
expect_equal "as many as processes" "$(wc -l <<<"$ports")" $((6 * ${#REPLICA_OFFSET[@]} + 3))
expect_equal "ports within the hundred" "$(awk '$1 < 7600 || $1 > 7699' <<<"$ports" | one_line)" ""

for number in -1 9 3x ''; do
  expect_equal "refuses '$number' as a number" "$(refuses replicas "$number" 1 8)" yes
done
expect_equal "accepts a number" "$(refuses replicas 08 1 8)" no

# A command that fails ends its shell, so it runs in a subshell.
dies() { ("$@") >/dev/null 2>&1 && echo no || echo yes; }
for base in abc 7150 0 80 1000 64500 70000 07100 ''; do
  expect_equal "refuses port base '$base'" "$(dies check_port_base "$base")" yes
done
for base in 1100 7100 64400; do
  expect_equal "accepts port base $base" "$(dies check_port_base "$base")" no
done
expect_equal "accepts no switch" "$(dies check_switch fmt --check)" no
expect_equal "accepts the switch" "$(dies check_switch fmt --check --check)" no
expect_equal "refuses another switch" "$(dies check_switch fmt --check --chekc)" yes
expect_equal "refuses one argument too many" "$(dies check_switch clean --all --all now)" yes

echo 7100 >"$VAR/port_base"
expect_equal "accepts other ports while nothing runs" "$(dies platform_check_ports)" no
process_start postgres - sleep 60
expect_equal "refuses other ports while Postgres runs" "$(dies platform_check_ports)" yes
echo 7600 >"$VAR/port_base"
expect_equal "accepts the same ports while Postgres runs" "$(dies platform_check_ports)" no
process_stop postgres KILL 2>/dev/null

expect_equal "one process of the database" "$(database_processes | one_line)" "postgres "
postgres_locate
expect_equal "the DSN of one Postgres" "$(postgres_host)" "host='$PG_SOCKET' port=7632"
echo on >"$VAR/ha"
expect_equal "six processes of three nodes" "$(database_processes | wc -l)" 6
name=postgres.tarot.internal
expect_equal "the DSN of three nodes" "$(postgres_host)" \
  "host=$name,$name,$name hostaddr=127.0.0.1,127.0.0.2,127.0.0.3 port=7632 \
target_session_attrs=read-write sslmode=verify-full sslrootcert='$IDENTITY/public/ca.pem'"
mkdir -p "$VAR/keys"
postgres_make_passfile
passwords=$(<"$PG_PASSFILE")
postgres_make_passfile
expect_equal "passwords stay" "$(<"$PG_PASSFILE")" "$passwords"
expect_equal "one password a role" "$(cut -d: -f4 <<<"$passwords" | one_line)" \
  "postgres replicator tarot_rules tarot_matchmaking tarot_ratings tarot_admin tarot_owner "
expect_equal "refuses to show a log that does not exist" "$(dies platform_logs rules)" yes
rm -rf "$VAR"
((failures == 0))
