#!/usr/bin/env bash
# Tests that tools/dev.d/process.sh starts, recognizes and stops its own processes and no others.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
VAR=$(mktemp -d)
source tools/dev.d/common.sh
source tools/dev.d/process.sh
failures=0

expect() {
  local what=$1
  shift
  "$@" || { echo "FAILED: $what" && ((++failures)); }
}
refute() {
  local what=$1
  shift
  ! "$@" || { echo "FAILED: $what" && ((++failures)); }
}
alive() { process_start_time "$1" >/dev/null; }
# Some commands end their shell, so the command runs in a subshell.
quietly() { ("$@") >/dev/null 2>&1; }

# The script finds a running process by its name. After a stop, the process and its file are gone.
process_start sleeper stamp-1 sleep 60
pid=$(process_pid sleeper)
expect "runs" alive "$pid"
expect "same stamp: current" process_current sleeper stamp-1
refute "other stamp: not current" process_current sleeper stamp-2
quietly process_stop sleeper TERM
refute "stopped" alive "$pid"
refute "no pid left" quietly process_pid sleeper
expect "no file left" test ! -e "$VAR/run/sleeper.pid"
expect "stopping again does nothing" quietly process_stop sleeper TERM

# Another program may have got the pid: the number is the same, but the start time differs. The
# script must not stop that program.
sleep 60 &
stranger=$!
echo "$stranger 12345 stamp" >"$VAR/run/sleeper.pid"
refute "a stranger is not ours" quietly process_pid sleeper
quietly process_stop sleeper TERM
expect "the stranger lives" alive "$stranger"
kill "$stranger" && wait "$stranger" 2>/dev/null

# A process that another program has killed does not count as running, although its file exists.
process_start sleeper stamp sleep 60
pid=$(process_pid sleeper)
kill -s KILL "$pid"
while alive "$pid"; do sleep 0.05; done
refute "killed" quietly process_pid sleeper

# If a process ends at once, the wait fails and shows the end of its log.
process_start broken stamp sh -c 'echo no such key file; exit 1'
said=$(process_wait broken false 2>&1)
refute "waiting for it fails" quietly process_wait broken false
expect "and shows why" grep -q "no such key file" <<<"$said"

# Programs or arguments that differ give different stamps.
one=$(process_stamp /bin/sh a b)
expect "same: same stamp" test "$one" = "$(process_stamp /bin/sh a b)"
refute "other arguments" test "$one" = "$(process_stamp /bin/sh a c)"
refute "another file" test "$one" = "$(process_stamp /bin/cat a b)"

rm -rf "$VAR"
echo "$failures failures"
exit $((failures > 0))
