#!/usr/bin/env bash
# Runs the gateway's tests of names with the small libicudata of its image.
# Usage: icu_data_test.sh GATEWAY_TEST
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
library=$(ldd "$1" | awk '/libicudata/ {print $3}')
python3 -B tools/dev.d/icu_data.py "$library" "$folder/$(basename "$library")"
export LD_LIBRARY_PATH=$folder
# Without -q, grep reads all of its input, so that ldd does not end with SIGPIPE.
ldd "$1" | grep " => $folder/libicudata" >/dev/null ||
  { echo "the small library is not used" && exit 1; }
said=$("$1" --gtest_filter='*Name*')
# At least ten tests must have passed. Without its tables, ICU fails in the first of them.
grep -qE 'PASSED.* [1-9][0-9]+ tests' <<<"$said"
