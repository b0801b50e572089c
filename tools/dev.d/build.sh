# Building, testing, measuring, formatting.

export NINJA_STATUS='[%f/%t %es] '

# build_targets [TARGET...]: everything without a TARGET.
build_targets() {
  # Ninja runs CMake again by itself when a CMake file has changed.
  if [[ ! -e build/build.ninja ]]; then
    step "Configuring build/ (release)"
    cmake --preset release >&2
  fi
  step "Building ${*:-everything} on $(nproc) cores"
  ninja -C build "$@" >&2
}

build_test() {
  step "Testing"
  exec ctest --test-dir build --output-on-failure -j2 "$@"
}

# build_bench [NAME [ARGUMENT...]]: the arguments go to the benchmark.
build_bench() {
  if (($# == 0)); then
    say "Benchmarks there are:"
    [[ -e build/build.ninja ]] || cmake --preset release >&2
    ninja -C build -t targets all | sed -n 's/^\([a-z_]*\)_bench: phony$/  \1/p'
    return
  fi
  local name=$1
  shift
  build_targets "${name}_bench"
  mkdir -p "$VAR/bench"
  if grep -q benchmark_out "$BIN/${name}_bench"; then  # Google Benchmark
    "$BIN/${name}_bench" --benchmark_out="$VAR/bench/$name.raw.json" \
      --benchmark_out_format=json "$@"
    python3 tools/dev.d/bench_json.py "$VAR/bench/$name.raw.json" >"$VAR/bench/$name.json"
  else  # Prints the list itself; what it says meanwhile goes to stderr.
    "$BIN/${name}_bench" "$@" | tee "$VAR/bench/$name.json"
  fi
  if [[ $name == rules ]]; then
    build_targets rules_audit_bench
    "$BIN/rules_audit_bench" | tee "$VAR/bench/rules_audit.json"
    python3 tools/dev.d/bench_merge.py "$VAR/bench/rules.json" "$VAR/bench/rules_audit.json"
    rm "$VAR/bench/rules_audit.json"
  fi
  say "Kept in var/bench/$name.json"
}

build_fmt() {
  packages_install clang-format
  local mode=(-i)
  [[ ${1:-} == --check ]] && mode=(--dry-run --Werror)
  git ls-files -z '*.h' '*.cc' | xargs -0 -r -n 32 -P "$(nproc)" clang-format "${mode[@]}"
}

build_clean() {
  if [[ ${1:-} == --all ]]; then
    platform_down
    postgres_remove
    rm -rf "$VAR"
  fi
  rm -rf build build-*
}
