# The Debian packages that this project needs. This is the only list of these packages.

PACKAGES=(
  # These packages are compilers and build tools.
  g++ cmake ninja-build ccache pkg-config clang-format
  # These packages are libraries.
  libabsl-dev libgrpc++-dev libprotobuf-dev protobuf-compiler protobuf-compiler-grpc libboost-dev
  libargon2-dev libicu-dev libpqxx-dev prometheus-cpp-dev libssl-dev zlib1g-dev
  libgoogle-perftools-dev
  # These packages build the page. chromium runs its tests, which compare pictures with these fonts.
  nodejs zopfli chromium fonts-dejavu-core
  # These packages make a small libicudata for the image of the gateway (icu_data.py).
  icu-devtools binutils
  # These packages are for tests and benchmarks.
  libgtest-dev libgmock-dev libbenchmark-dev
  # systemd-analyze checks the units of deploy/systemd.
  systemd
  # These packages are for fuzzing: clang with libFuzzer and its sanitizers.
  clang libclang-rt-14-dev
  # Some of these programs run beside the services. tools/dev calls the other programs.
  postgresql-15 pgbackrest prometheus prometheus-alertmanager haproxy curl python3 openssl
  patroni etcd-server python3-etcd python3-idna util-linux git ca-certificates iproute2 socat
)

# The tests render the manifests of Kubernetes with kubectl, which may come from another package.
command -v kubectl >/dev/null || PACKAGES+=(kubernetes-client)

# Packages of Node.js from other sources contain npm, and cannot be installed beside Debian's npm.
command -v npm >/dev/null || PACKAGES+=(npm)

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
