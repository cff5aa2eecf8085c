#!/usr/bin/env bash
# The test command: everything that must hold before a change is merged, in order of cost.
#
#   ci/test.sh              all of it
#   ci/test.sh --changed    only what a change can break soon: `ci/test.sh --changed --help`
set -euo pipefail
cd "$(dirname "$0")/.."

case "${1:-}" in
"") ;;
--changed) shift && exec bash ci/changed.sh "$@" ;;
*) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" && exit 2 ;;
esac

# A clean clone is built once: nothing is kept for a next build.
if [ ! -d target ]; then export CARGO_INCREMENTAL=0; fi

step() { printf '\n== %s (after %d s)\n' "$*" "$SECONDS"; }

beside=
log=$(mktemp)
trap 'rm -f "$log"; if [ -n "$beside" ]; then kill "$beside" 2>/dev/null || true; fi' EXIT

# Runs a command while the next ones run: compilers of one alone leave processors idle.
start_beside() {
    "$@" >"$log" 2>&1 &
    beside=$!
}

# Waits for that command and prints what it printed.
finish_beside() {
    local code=0
    wait "$beside" || code=$?
    beside=
    cat "$log"
    return "$code"
}

step "tools"
bash ci/install-tools.sh

step "format"
cargo fmt --all --check

step "lints and documentation, beside the oldest Rust and other systems"
start_beside bash ci/portability.sh
cargo clippy --workspace --all-targets --locked -- -D warnings
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked --quiet
finish_beside

step "builds: the tests, beside the examples"
start_beside bash ci/examples.sh --build
cargo test --workspace --exclude perftest-examples --locked --no-run
finish_beside

step "tests: of the crates, and end to end in tiny projects under the real runners"
cargo test --workspace --exclude perftest-examples --locked

step "examples: their functions, and their perf tests as real perf tests"
bash ci/examples.sh

if [ "$(uname -s)" = Linux ]; then
    step "report: what a browser shows of it"
    bash ci/report-in-browser.sh
fi

step "attacks: a few tries of each kind, beside histories whose truth is known"
start_beside bash ci/campaigns/known-history.sh --short
bash ci/campaigns/attack.sh --short
finish_beside

step "the workflow of the page on CI, in a tiny project"
bash ci/campaigns/workflow.sh --short

step "weight: what users compile, beside divan"
bash ci/weight.sh --repetitions 1 --at-most 2.2,2.8

printf '\nall checks passed (after %d s)\n' "$SECONDS"
