# Background processes by name. var/run/NAME.pid contains "PID START STAMP". START is the time when
# the process began, in clock ticks since boot. If the pid belongs to another process now, START
# differs, and no function touches that process. STAMP identifies the program and its arguments.

PROCESS_WAIT_SECONDS=60

# Prints the start time of a live process. Fails when there is none; a zombie is not alive.
process_start_time() {
  local stat
  { stat=$(<"/proc/$1/stat"); } 2>/dev/null || return 1
  # In /proc/PID/stat, the name in brackets may contain any character. The fields after the name are
  # state, ppid, ...
  read -ra fields <<<"${stat##*) }"
  [[ ${fields[0]} != Z ]] && printf '%s' "${fields[19]}"
}

# process_pid NAME: prints the pid of the process NAME. Fails if NAME does not run.
process_pid() {
  local pid start stamp
  { read -r pid start stamp <"$VAR/run/$1.pid"; } 2>/dev/null || return 1
  [[ $(process_start_time "$pid") == "$start" ]] && printf '%s' "$pid"
}

# process_stamp PROGRAM ARGUMENT...: prints a stamp that changes when the program's file or an
# argument changes.
process_stamp() {
  { stat -L -c '%i %Y %s' "$1" && printf '%s\n' "$@"; } | sha256sum | cut -c1-16
}

# process_current NAME STAMP: succeeds when the process runs and has this stamp.
process_current() {
  process_pid "$1" >/dev/null && [[ $(cut -d' ' -f3 "$VAR/run/$1.pid") == "$2" ]]
}

# process_start NAME STAMP COMMAND...: starts the command in a session of its own. Its output goes
# to var/log/NAME.log.
process_start() {
  local name=$1 stamp=$2
  shift 2
  mkdir -p "$VAR/run" "$VAR/log"
  setsid -- "$@" >>"$VAR/log/$name.log" 2>&1 </dev/null 9>&- &
  local pid=$!
  disown
  printf '%s %s %s\n' "$pid" "$(process_start_time "$pid" || echo 0)" "$stamp" >"$VAR/run/$name.pid"
}

# process_wait NAME CHECK...: waits until CHECK succeeds. If the process ends first, or if CHECK
# does not succeed within PROCESS_WAIT_SECONDS, shows the end of the process's log and fails.
process_wait() {
  local name=$1 deadline=$((SECONDS + PROCESS_WAIT_SECONDS))
  shift
  until "$@" >/dev/null 2>&1; do
    process_pid "$name" >/dev/null || process_failed "$name" "ended at once"
    ((SECONDS < deadline)) || process_failed "$name" "not ready after $PROCESS_WAIT_SECONDS s"
    sleep 0.1
  done
}

process_failed() {
  say "--- the end of var/log/$1.log:"
  tail -n 15 "$VAR/log/$1.log" >&2 || true
  die "$1: $2"
}

# process_stop NAME SIGNAL: sends the signal and waits for the end. Kills the process after 30 s.
process_stop() {
  local name=$1 signal=$2 pid
  if pid=$(process_pid "$name"); then
    say "  stopping $name (pid $pid)"
    kill -s "$signal" "$pid"
    for ((tenths = 0; tenths < 300; ++tenths)); do
      process_pid "$name" >/dev/null || break
      sleep 0.1
    done
    if process_pid "$name" >/dev/null; then
      say "  $name did not stop within 30 s: killing it"
      kill -s KILL "$pid"
    fi
  fi
  rm -f "$VAR/run/$name.pid"
}
