# Functions that build, test, measure and format.

export NINJA_STATUS='[%f/%t %es] '

# build_targets [TARGET...]: builds the targets, or everything without a TARGET.
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

# build_bench [NAME [ARGUMENT...]]: runs a benchmark and passes the arguments to it. Without NAME,
# lists the benchmarks.
build_bench() {
  if (($# == 0)); then
    say "Benchmarks there are:"
    [[ -e build/build.ninja ]] || cmake --preset release >&2
    ninja -C build -t targets all | sed -n 's/^\([a-z_]*\)_bench: phony$/  \1/p'
    return
  fi
  local name=$1
  shift
  if [[ $name == page ]]; then
    build_bench_page
    return
  fi
  if [[ $name == ladder ]]; then
    build_bench_ladder "$@"
    return
  fi
  if [[ $name == ha ]]; then
    build_bench_ha "$@"
    return
  fi
  if [[ $name == capacity ]]; then
    python3 -B tools/dev.d/capacity.py
    say "Kept in var/bench/capacity.json and docs/capacity.md"
    return
  fi
  build_targets "${name}_bench"
  mkdir -p "$VAR/bench"
  if [[ $name == bots ]]; then
    build_bench_bots "$@"
    return
  fi
  if grep -q benchmark_out "$BIN/${name}_bench"; then  # The program uses Google Benchmark.
    "$BIN/${name}_bench" --benchmark_out="$VAR/bench/$name.raw.json" \
      --benchmark_out_format=json "$@"
    python3 tools/dev.d/bench_json.py "$VAR/bench/$name.raw.json" >"$VAR/bench/$name.json"
  else  # The benchmark prints the list of figures on stdout, and the rest on stderr.
    "$BIN/${name}_bench" "$@" | tee "$VAR/bench/$name.json"
  fi
  # The figures of HAProxy (the door) go into the list of tarot-hostile.
  if [[ $name == door ]]; then
    python3 tools/dev.d/bench_merge.py "$VAR/bench/hostile.json" "$VAR/bench/door.json"
  elif [[ $name == rules ]]; then
    build_targets rules_audit_bench
    "$BIN/rules_audit_bench" | tee "$VAR/bench/rules_audit.json"
    python3 tools/dev.d/bench_merge.py "$VAR/bench/rules.json" "$VAR/bench/rules_audit.json"
    rm "$VAR/bench/rules_audit.json"
  fi
  say "Kept in var/bench/$name.json"
}

# Measures single decisions and positions of the bots first, then plays matches of bots. The
# arguments go to bench_bots.py.
build_bench_bots() {
  build_targets tarot-lab rival
  python3 -B tools/dev.d/bench_bots.py "$BIN" "$VAR/bench/bots.json" "$VAR/bench/bots_table.md" "$@"
  say "Kept in var/bench/bots.json, the cross-table in var/bench/bots_table.md"
}

# Breaks each part of a Patroni cluster, and measures the longest time without a move. Then restores
# a single Postgres from its backups, and measures this too.
build_bench_ha() {
  build_targets ha_bench
  mkdir -p "$VAR/bench"
  "$BIN/ha_bench" "$@" | tee "$VAR/bench/ha.json"
  build_restore_drill
  say "Kept in var/bench/ha.json"
}

# build_bench_ladder [PART...]: measures the ladder, or only the given parts of it, and adds the new
# figures to the figures of earlier runs. All parts together take half an hour. They run at low
# priority. Only the part ranks_redis needs redis-server, which it compares with our places in
# memory.
build_bench_ladder() {
  local part new=$VAR/bench/ladder.new.json
  (($#)) || set -- ladder ranks ranks_redis matching ratings placing
  [[ " $* " != *" ranks_redis "* ]] || packages_install redis-server
  build_targets "${@/%/_bench}"
  mkdir -p "$VAR/bench"
  for part in "$@"; do
    step "Measuring: $part"
    local arguments=()
    [[ $part != ranks ]] || arguments=(--players=10000000)
    nice -n 10 "$BIN/${part}_bench" "${arguments[@]}" >"$new"
    python3 tools/dev.d/bench_merge.py "$VAR/bench/ladder.json" "$new"
  done
  rm "$new"
  cat "$VAR/bench/ladder.json"
  say "Kept in var/bench/ladder.json"
}

# build_bench_page: measures the page against its budget, with a small server of its own.
build_bench_page() {
  build_targets page
  mkdir -p "$VAR/bench"
  node build/web/browser/budget.mjs | tee "$VAR/bench/page.json"
  say "Kept in var/bench/page.json"
}

# Serves the page from its sources until the person stops it.
build_web() {
  build_targets page
  exec node services/gateway/web/build.mjs --serve "$((PORT_BASE + 6))" \
    --door "http://127.0.0.1:$((PORT_BASE + 5))"
}

# build_fuzz [--minutes M] [TARGET...]: runs the given targets, or all of them. Keeps new inputs in
# var/fuzz. If an input crashes a target, the last lines of the output name a file with this input.
# Run the target with this file to see the crash again.
build_fuzz() {
  local minutes=1 target failed=0
  if [[ ${1:-} == --minutes ]]; then
    minutes=${2:?--minutes takes a number}
    shift 2
  fi
  build_targets fuzz
  (($#)) || set -- $(cd tests/fuzz/corpus && printf '%s\n' *)
  for target in "$@"; do
    [[ -x build/fuzz/${target}_fuzz ]] || die "no fuzz target '$target'; see tests/fuzz"
    step "Fuzzing $target for $minutes min"
    mkdir -p "$VAR/fuzz/$target"
    build/fuzz/"${target}_fuzz" -max_total_time=$((minutes * 60)) -timeout=10 -max_len=4096 \
      -print_final_stats=1 -artifact_prefix="$VAR/fuzz/$target-" "$VAR/fuzz/$target" \
      "tests/fuzz/corpus/$target" || failed=1
  done
  return "$failed"
}

# build_referee [ARGUMENT...]: compares libs/rules with the second referee. Returns 1 if they
# differ.
build_referee() {
  build_targets tarot-lab
  exec python3 -B tests/referee/compare.py "$BIN/tarot-lab" "$@"
}

# build_sim [ARGUMENT...]: runs tarot-sim with the arguments. It stops at the first broken
# invariant, with exit status 1.
build_sim() {
  build_targets tarot-sim
  exec "$BIN/tarot-sim" "$@"
}

# build_restore_drill [ARGUMENT...]: runs restore_drill with the arguments, and adds its figures to
# var/bench/ha.json.
build_restore_drill() {
  build_targets restore_drill
  mkdir -p "$VAR/bench"
  "$BIN/restore_drill" "$@" | tee "$VAR/bench/restore.json"
  python3 tools/dev.d/bench_merge.py "$VAR/bench/ha.json" "$VAR/bench/restore.json"
  rm "$VAR/bench/restore.json"
}

# build_chaos [ARGUMENT...]: runs tarot-chaos with the arguments and returns its exit status.
build_chaos() {
  build_targets tarot-chaos
  mkdir -p "$VAR/chaos"
  exec "$BIN/tarot-chaos" --out="$VAR/chaos/last" "$@"
}

# build_roll [ARGUMENT...]: runs tarot-roll with the arguments. Returns 1 in each of these cases: a
# call or a stream failed after all repeats; a process did not end with exit code 0; the database
# differs from what players saw.
build_roll() {
  build_targets tarot-roll
  mkdir -p "$VAR/bench"
  local failed=0
  "$BIN/tarot-roll" "$@" >"$VAR/bench/roll.json" || failed=1
  cat "$VAR/bench/roll.json"
  say "Kept in var/bench/roll.json"
  return "$failed"
}

# build_upgrade COMMIT [ARGUMENT...]: builds the programs of COMMIT in a folder of var/upgrade, and
# runs tarot-roll with them. tarot-roll updates these programs to this build under load, and then
# goes back to the old programs. The arguments go to tarot-roll. COMMIT may also be a folder with
# the programs.
build_upgrade() {
  (($#)) || die "upgrade takes the commit of the old version, for example HEAD~1"
  local commit programs=$1 folder service failed=0 arguments=()
  if [[ ! -d $programs ]]; then
    commit=$(git rev-parse --verify --quiet "$1^{commit}") || die "there is no commit '$1'"
    folder=$VAR/upgrade/${commit:0:12}
    programs=$folder/build/bin
    if [[ ! -e $folder/CMakeLists.txt ]]; then
      git worktree prune
      git worktree add --detach "$folder" "$commit" >&2
    fi
    step "Building the programs of ${commit:0:12} in ${folder#"$ROOT"/}"
    [[ -e $folder/build/build.ninja ]] || (cd "$folder" && cmake --preset release >&2)
    ninja -C "$folder/build" "${SERVICES[@]/#/tarot-}" >&2
  fi
  for service in "${SERVICES[@]}"; do
    [[ -x $programs/tarot-$service ]] || die "$programs has no tarot-$service"
  done
  # Older versions migrate when they start, so their services need the role that owns the schemas.
  if ! grep -q SCHEMA_OLD "$programs/tarot-rules"; then
    say "The old programs migrate when they start, so they get the role that owns the schemas."
    arguments=(--old_programs_own_schemas)
  fi
  build_targets tarot-roll
  mkdir -p "$VAR/bench"
  "$BIN/tarot-roll" --old_programs="$(cd "$programs" && pwd -P)" "${arguments[@]}" "${@:2}" \
    >"$VAR/bench/upgrade.json" || failed=1
  cat "$VAR/bench/upgrade.json"
  say "Kept in var/bench/upgrade.json"
  return "$failed"
}

# build_soak [ARGUMENT...]: runs tarot-soak with the arguments. The exit status is 0 if no process
# grew.
build_soak() {
  build_targets tarot-soak
  exec "$BIN/tarot-soak" "$@"
}

# build_hostile [ARGUMENT...]: runs tarot-hostile with the arguments. Returns 1 if an attack did
# harm.
build_hostile() {
  build_targets tarot-hostile
  mkdir -p "$VAR/bench"
  local failed=0
  "$BIN/tarot-hostile" "$@" >"$VAR/bench/hostile.json.new" || failed=1
  [[ -s $VAR/bench/hostile.json.new ]] || die "tarot-hostile measured nothing"
  python3 tools/dev.d/bench_merge.py "$VAR/bench/hostile.json" "$VAR/bench/hostile.json.new"
  rm "$VAR/bench/hostile.json.new"
  say "Kept in var/bench/hostile.json"
  return "$failed"
}

# build_browsers [PART,...]: plays matches in browsers, or only these parts of
# services/gateway/web/test/browser/tables.ts.
build_browsers() {
  (($# <= 1)) || die "browsers takes one list of parts, not '$*'"
  build_targets e2e_page_test
  ${1:+env TAROT_PARTS="$1"} "$BIN/e2e_page_test" --gtest_also_run_disabled_tests \
    --gtest_filter='*PeoplePlay*'
}

# build_screens [ARGUMENT...]: draws the screens of the page in chromium and compares them with
# reviewed pictures. services/gateway/web/test/browser/screens.ts has the arguments.
build_screens() {
  build_targets page
  node build/web/browser/screens.mjs "$@"
}

# build_fuzz_door [ARGUMENT...]: builds every process with AddressSanitizer and
# UndefinedBehaviorSanitizer into build-asan/, and runs tarot-fuzz-door with the arguments. The exit
# status is 0 if it found nothing.
build_fuzz_door() {
  cmake --preset asan >/dev/null
  ninja -C build-asan tarot-fuzz-door
  exec build-asan/bin/tarot-fuzz-door "$@"
}

build_canary() {
  local only='*'
  if (($#)); then
    [[ $# == 2 && $1 == --only ]] || die "canary takes --only PATTERN or nothing, not '$*'"
    only="*$2*"
  fi
  build_targets canary_test
  "$BIN/canary_test" --gtest_filter="$only"
}

build_fmt() {
  check_switch fmt --check "$@"
  packages_install
  local mode=(-i)
  [[ ${1:-} == --check ]] && mode=(--dry-run --Werror)
  git ls-files -z '*.h' '*.cc' | xargs -0 -r -n 32 -P "$(nproc)" clang-format "${mode[@]}"
}

build_clean() {
  check_switch clean --all "$@"
  if [[ ${1:-} == --all ]]; then
    platform_down
    postgres_remove
    rm -rf "$VAR"
  fi
  rm -rf build build-*
}
