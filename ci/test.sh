#!/usr/bin/env bash
# The test command: everything that must hold before a change is merged.
#
#   ci/test.sh              all of it, and a table of the seconds of each step
#   ci/test.sh --changed    only what a change can break soon: `ci/test.sh --changed --help`
#
# Two lanes run beside each other, because most steps leave processors idle: compilers of one crate alone, and
# perf tests, which measure one at a time. The output of the second lane is printed when both have ended.
set -euo pipefail
cd "$(dirname "$0")/.."

case "${1:-}" in
"") ;;
--changed) shift && exec bash ci/changed.sh "$@" ;;
*) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" && exit 2 ;;
esac

# A clean clone is built once: nothing is kept for a next build.
if [ ! -d target ]; then export CARGO_INCREMENTAL=0; fi

work=$(mktemp -d)
lane=
end() {
    if [ -n "$lane" ]; then
        kill -- "-$lane" 2>/dev/null || true
        cat "$work/lane"
    fi
    printf '\n%8s %8s  step\n' "s" "CPU s"
    cat "$work/times" 2>/dev/null || true
    rm -rf "$work"
}
trap end EXIT
exec 3>&1 4>&2

# Runs a step, which is a name and a command, and notes its wall and processor seconds.
step() {
    local name=$1 code=0 spent TIMEFORMAT='%R %U %S'
    shift
    printf '\n== %s (after %d s)\n' "$name" "$SECONDS" >&3
    spent=$({ time "$@" >&3 2>&4; } 2>&1) || code=$?
    awk -v name="$name" '{ printf "%8.0f %8.0f  %s\n", $1, $2 + $3, name }' <<<"$spent" >>"$work/times"
    return "$code"
}

# Starts the second lane: a function with steps. It has a process group, which ends with this script.
start_lane() {
    set -m
    (
        set +m
        exec >"$work/lane" 2>&1 3>&1 4>&2 </dev/null
        "$1"
    ) &
    lane=$!
    set +m
}

# Waits for the second lane and prints what it printed.
finish_lane() {
    local code=0
    wait "$lane" || code=$?
    lane=
    cat "$work/lane"
    return "$code"
}

# All packages but the examples, of which one set of features is built.
packages=(--workspace --exclude perftest-examples --locked)

checks_elsewhere() {
    step "oldest Rust, other systems" bash ci/portability.sh
    step "build: examples" bash ci/examples.sh --build
}

computations() {
    step "tests that build no package" cargo nextest run "${packages[@]}" --profile quick
    step "examples in doc comments" cargo test "${packages[@]}" --doc --quiet
    step "tests: attribute and guide, imports, init, compare, run and bisect" \
        cargo test "${packages[@]}" --test ui --test peers --test init --test compare
    step "performance of perftest, reported" bash ci/campaigns/performance.sh --short
    step "histories whose truth is known" env "$tool" bash ci/campaigns/known-history.sh --short
    if [ "$(uname -s)" = Linux ]; then
        step "reports in a browser" env "$tool" bash ci/report-in-browser.sh
        step "remotes in a database" bash ci/remotes.sh postgres clickhouse
        step "answers of remotes" bash ci/campaigns/fleet-size.sh --short
    fi
}

step "tools" bash ci/install-tools.sh
step "format" cargo fmt --all --check

start_lane checks_elsewhere
step "lints" cargo clippy --workspace --all-targets --locked --features cargo-perftest/postgres,cargo-perftest/clickhouse-tls -- -D warnings
step "documentation" env RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked --quiet
step "build: tests" cargo test "${packages[@]}" --no-run
finish_lane

# Built with the tests: alone, the tool would be built again with fewer features.
tool=CARGO_PERFTEST=${CARGO_TARGET_DIR:-$PWD/target}/debug/cargo-perftest
start_lane computations
step "tests: end to end, in tiny projects under the real runners" cargo test "${packages[@]}" --test end_to_end
step "tests: profiles of real runs" cargo test "${packages[@]}" --test sampler
step "examples as real perf tests, and the demo" env "$tool" bash ci/examples.sh
step "attacks: a few tries of each kind" env "$tool" bash ci/campaigns/attack.sh --short
step "soak: a store over some sessions with faults" env "$tool" bash ci/campaigns/soak.sh --short
step "workflow of the page on CI" env "$tool" bash ci/campaigns/workflow.sh --short
finish_lane

# Alone: beside other work the ratio of the processor times is less steady.
step "weight: what users compile, beside divan" bash ci/weight.sh --repetitions 1 --at-most 2.2,2.95

printf '\nall checks passed (after %d s)\n' "$SECONDS"
