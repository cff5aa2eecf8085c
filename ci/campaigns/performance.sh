#!/usr/bin/env bash
# Measures perftest with perftest: the performance tests of tests/performance, and what a suite of a thousand
# tests and a change of one line cost beside criterion and divan. Run it with nothing else running.
#
#   ci/campaigns/performance.sh [--write]      prints the tables, or writes them into docs/performance.md
#   ci/campaigns/performance.sh --short        only the tests without a store of their own, measured twice: reported,
#                                              never failed
#
# FUNCTIONS=1000      functions of the packages that are built
# CARGO_PERFTEST is a `cargo-perftest` that is already built with optimisation.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A store and a machine of their own: no other history counts, and no other test is waited for.
export PERFTEST_STORE=$work/store PERFTEST_ON_RED=report XDG_RUNTIME_DIR=$work

tests=(cargo test --quiet --release --locked -p perftest-performance --tests)
measured=(cargo test --quiet --release --locked -p perftest-performance --test perf --)

if [ "${1:-}" = --short ]; then
    # As the examples are built, so that nothing is built twice.
    export CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_DEBUG=false PERFTEST_BUDGET=1s
    "${tests[@]}" --no-run
    "${measured[@]}"
    "${measured[@]}"
    exit
fi

source ci/campaigns/page.sh
source ci/tool.sh
find_tool release
CARGO_PERFTEST=$(realpath "$tool")
export CARGO_PERFTEST PERFTEST_PERFORMANCE_STORES=$work/stores
PYTHONPATH=ci/campaigns/known_history:ci/report_in_browser python3 -B ci/campaigns/performance/make_stores.py \
    "$PERFTEST_PERFORMANCE_STORES" 200 2000
"${tests[@]}" --no-run
# One run: its values are the answer, and nothing is learnt for a next one.
PERFTEST_LEARN=one-per-run "${measured[@]}" --include-ignored --format json >"$work/events"

python3 -B ci/campaigns/performance/table.py "$work/events" | show docs/performance.md tests
bash ci/campaigns/performance/builds.sh "${FUNCTIONS:-1000}" | show docs/performance.md builds
