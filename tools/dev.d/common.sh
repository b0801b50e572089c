# Functions that every part of tools/dev uses. Messages go to stderr.

say() { printf '%s\n' "$*" >&2; }

# One step of `up` or `test`, told before it starts, because some take minutes.
step() { printf '==> %s\n' "$*" >&2; }

die() {
  printf 'tools/dev: %s\n' "$*" >&2
  exit 1
}

# check_port_base NUMBER: dies unless all ports that follow from it are free for anybody to take.
check_port_base() {
  [[ $1 =~ ^[1-9][0-9]{3,4}$ && $1 == *00 ]] && (($1 >= 1100 && $1 <= 64400)) ||
    die "TAROT_PORT_BASE is a multiple of 100 from 1100 to 64400, not '$1'"
}

# check_switch COMMAND SWITCH [ARGUMENT...]: dies unless there is no argument, or SWITCH alone.
check_switch() {
  (($# == 2)) || [[ $# == 3 && $3 == "$2" ]] || die "$1 takes $2 or nothing, not '${*:3}'"
}

as_root() {
  if ((EUID == 0)); then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "needs root for: $*; run it as root once, or install sudo"
  fi
}

# A short name for this clone, the same every time.
clone_hash() { printf '%s' "$ROOT" | sha256sum | cut -c1-8; }
