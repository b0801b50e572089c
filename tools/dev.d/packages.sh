# The Debian packages that this project needs. There is no other list of them.

PACKAGES=(
  # These packages are compilers and build tools.
  g++ cmake ninja-build ccache mold pkg-config clang-format
  # These packages are libraries.
  libabsl-dev libgrpc++-dev libprotobuf-dev protobuf-compiler protobuf-compiler-grpc
  libicu-dev libpqxx-dev prometheus-cpp-dev libssl-dev zlib1g-dev libgoogle-perftools-dev
  # These packages are for tests and benchmarks.
  libgtest-dev libgmock-dev libbenchmark-dev
  # These packages are for fuzzing: clang with libFuzzer and its sanitizers.
  clang libclang-rt-14-dev
  # These programs run beside the services, or tools/dev itself calls them.
  postgresql-15 prometheus haproxy curl python3 openssl util-linux git ca-certificates iproute2
  socat
)

packages_missing() {
  local package
  for package in "$@"; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
      printf '%s\n' "$package"
  done
}

# Installs the given packages, or PACKAGES. Does nothing when all are installed.
packages_install() {
  local missing
  (($#)) || set -- "${PACKAGES[@]}"
  mapfile -t missing < <(packages_missing "$@")
  ((${#missing[@]})) || return 0
  command -v apt-get >/dev/null || die "this is not a Debian; install by hand: ${missing[*]}"
  step "Installing ${#missing[@]} Debian packages: ${missing[*]}"
  as_root bash "$ROOT/tools/dev.d/apt_install.sh" "${missing[@]}" >&2
}
