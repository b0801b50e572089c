# Functions that every part of tools/dev uses. Messages go to stderr.

say() { printf '%s\n' "$*" >&2; }

# step TEXT: announces one step of `up` or `test` before it starts, because some steps take minutes.
step() { printf '==> %s\n' "$*" >&2; }

die() {
  printf 'tools/dev: %s\n' "$*" >&2
  exit 1
}

# check_port_base NUMBER: fails unless NUMBER is a multiple of 100 from 1100 to 64400.
check_port_base() {
  [[ $1 =~ ^[1-9][0-9]{3,4}$ && $1 == *00 ]] && (($1 >= 1100 && $1 <= 64400)) ||
    die "TAROT_PORT_BASE is a multiple of 100 from 1100 to 64400, not '$1'"
}

# check_switch COMMAND SWITCH [ARGUMENT...]: allows no argument, or only SWITCH. Otherwise fails.
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

# Prints a short name for this clone: a hash of its path. It is the same at each call, until the
# folder moves.
clone_hash() { printf '%s' "$ROOT" | sha256sum | cut -c1-8; }
