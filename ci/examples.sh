#!/usr/bin/env bash
# The examples: unit tests of their functions, the private perf test under libtest, all perf
# tests measured for real under cargo and nextest, and the demo, which learns and judges in a fresh
# store and finds its injected slowdown.
set -euo pipefail
cd "$(dirname "$0")/.."

PERFTEST_STORE=$(mktemp -d)
export PERFTEST_STORE
trap 'rm -rf "$PERFTEST_STORE"' EXIT

cargo test --release --locked -p perftest-examples
cargo nextest run --release --locked -p perftest-examples
cargo demo
