#!/usr/bin/env bash
# Imports files that other tools have just written, and compares the history with what they say: Go, and Google
# Benchmark as Debian has it (C++) and as PyPI has it (a newer one). criterion, divan and hyperfine run in
# cargo-perftest/tests/peers.
#
#   ci/campaigns/imports.sh
#
# CARGO_PERFTEST is a `cargo-perftest` that is already built.
# Installs golang-go, libbenchmark-dev and g++ of Debian, and google-benchmark of PyPI below target/imports.
set -euo pipefail
cd "$(dirname "$0")/../.."
place=$PWD/target/imports
sources=$PWD/ci/campaigns/imports
mkdir -p "$place"
source ci/tool.sh
find_tool dev

missing=()
command -v go >/dev/null || missing+=(golang-go)
command -v g++ >/dev/null || missing+=(g++)
[ -e /usr/include/benchmark/benchmark.h ] || missing+=(libbenchmark-dev)
if [ "${#missing[@]}" -gt 0 ]; then
    as_root=$([ "$(id -u)" = 0 ] || echo sudo)
    $as_root apt-get update --quiet >/dev/null
    $as_root apt-get install --quiet --yes --no-install-recommends "${missing[@]}" >/dev/null
fi
if [ ! -d "$place/venv" ]; then
    python3 -m venv "$place/venv"
    "$place/venv/bin/pip" install --quiet google-benchmark
fi

quick=(--benchmark_format=json --benchmark_repetitions=3)
g++ -O2 "$sources/sums.cpp" -lbenchmark -lpthread -o "$place/sums"
"$place/sums" "${quick[@]}" --benchmark_min_time=0.01 >"$place/cpp.json" 2>/dev/null
"$place/venv/bin/python" -B "$sources/sums.py" "${quick[@]}" --benchmark_min_time=0.01s >"$place/python.json" 2>/dev/null
(cd "$sources/go" && GOFLAGS=-mod=mod GOCACHE=$place/go go test -bench . -benchmem -count 3 -benchtime 10ms) >"$place/go.txt"

python3 -B "$sources/check.py" "$tool" "$place"
