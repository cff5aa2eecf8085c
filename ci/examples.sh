#!/usr/bin/env bash
# The examples: unit tests of their functions, the private perf test under libtest, all perf
# tests measured for real in a fresh store (learning, then judged), under cargo and nextest, and
# the demo with its injected slowdown.
set -euo pipefail
cd "$(dirname "$0")/.."

PERFTEST_STORE=$(mktemp -d)
export PERFTEST_STORE
trap 'rm -rf "$PERFTEST_STORE"' EXIT

cargo test --release --locked -p perftest-examples
for _ in 2 3 4 5 6; do
    cargo test --release --locked -q -p perftest-examples --test perf
done
cargo nextest run --release --locked -p perftest-examples
cargo demo
