# What every part of tools/dev uses: words for people, on stderr.

say() { printf '%s\n' "$*" >&2; }

# One step of `up` or `test`, told before it starts, because some take minutes.
step() { printf '==> %s\n' "$*" >&2; }

die() {
  printf 'tools/dev: %s\n' "$*" >&2
  exit 1
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
