#!/usr/bin/env bash
# The examples: unit tests of their functions, the private perf test under libtest, all perf
# tests measured for real under cargo and nextest, and the demo, which learns and judges in a fresh
# store and finds its injected slowdown.
#
#   ci/examples.sh [--build]
#
# --build only builds all of it.
set -euo pipefail
cd "$(dirname "$0")/.."

# Optimised within each unit alone, which spares a quarter of the time, and without line tables, which
# nothing here reads.
export CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_DEBUG=false

if [ "${1:-}" = --build ]; then
    exec cargo test --release --locked -p perftest-examples --no-run
fi

PERFTEST_STORE=$(mktemp -d)
export PERFTEST_STORE
trap 'rm -rf "$PERFTEST_STORE"' EXIT

cargo test --release --locked -p perftest-examples
# One at a time, as the guide has it: on a busy machine a test may measure for longer than another one waits.
cargo nextest run --release --locked -p perftest-examples --test-threads 1
cargo demo
