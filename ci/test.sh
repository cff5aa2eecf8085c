#!/usr/bin/env bash
# The test command: everything that must hold before a change is merged.
#
#   ci/test.sh              all of it, and a table of the seconds of each step
#   ci/test.sh --changed    only what a change can break soon: `ci/test.sh --changed --help`
#
# Long proofs are campaigns, which CONTRIBUTING.md lists: stories with `#[ignore = "long: .."]` are run by
# ci/campaigns/stories.sh.
#
# Lanes run beside each other, because most steps leave processors idle: compilers of one crate alone, and perf tests,
# which measure one at a time. The first lane builds the tests and runs the stories that profile, learn and judge. The
# second one lints, checks and computes with what the others leave: beside its compilers the stories take hardly more
# processor time than alone. The third one mostly waits for database servers. A fourth one begins when profiles have
# been taken, with steps that any lane takes that comes to them. What the further lanes print follows when all have ended.
set -euo pipefail
cd "$(dirname "$0")/.."

# Tests write thousands of small files and remove them: in memory that takes a fraction of the time. There has to be
# room for whole builds, too.
memory=/dev/shm
if [ -w "$memory" ] && [ "$(df --output=avail -k "$memory" | tail -n 1)" -gt $((8 << 20)) ]; then
    export TMPDIR=$memory
fi

case "${1:-}" in
"") ;;
--changed) shift && exec bash ci/changed.sh "$@" ;;
*) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" && exit 2 ;;
esac

# A clean clone is built once: nothing is kept for a next build, and nobody reads line numbers in a debugger.
if [ ! -d target ]; then export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=false; fi

work=$(mktemp -d)
lanes=()
end() {
    local lane
    if [ ${#lanes[@]} -gt 0 ]; then
        for lane in "${lanes[@]}"; do kill -- "-$lane" 2>/dev/null || true; done
        cat "$work"/lane-* 2>/dev/null || true
    fi
    printf '\n%8s %8s  step\n' "s" "CPU s"
    cat "$work/times" 2>/dev/null || true
    # Once more, behind the lanes that were cut short: what failed or was left out is looked for at the end.
    cat "$work"/skipped-* "$work"/failed-* 2>/dev/null || true
    rm -rf "$work"
}
trap end EXIT
exec 3>&1

# Runs a step, which is a name and a command, and notes its wall and processor seconds. Kept are the last lines of one
# that failed, and what a step left out.
step() {
    local name=$1 code=0 spent output TIMEFORMAT='%R %U %S'
    shift
    printf '\n== %s (after %d s)\n' "$name" "$SECONDS" >&3
    output=$(mktemp "$work/output-XXXXXX")
    spent=$({ time "$@" 2>&1 | tee "$output" >&3; } 2>&1) || code=$?
    awk -v name="$name" '{ printf "%8.0f %8.0f  %s\n", $1, $2 + $3, name }' <<<"$spent" >>"$work/times"
    grep 'SKIPPED: ' "$output" >"${output/output/skipped}" || true
    if [ "$code" -ne 0 ]; then
        { printf '\n== failed: %s\n' "$name" && tail -n 100 "$output"; } >"${output/output/failed}"
    fi
    rm -f "$output"
    return "$code"
}

# Starts a further lane: a function with steps. It has a process group, which ends with this script.
start_lane() {
    set -m
    (
        set +m
        exec >"$work/lane-$1" 2>&1 3>&1 </dev/null
        "$1"
    ) &
    lanes+=("$!")
    set +m
}

# Waits for the further lanes and prints what they printed.
finish_lanes() {
    local lane code=0
    for lane in "${lanes[@]}"; do wait "$lane" || code=$?; done
    lanes=()
    cat "$work"/lane-*
    return "$code"
}

# Takes the steps that wait for any lane, one after the other, each of which is a function.
take_shared_steps() {
    local shared
    for shared in "${shared_steps[@]}"; do
        if mkdir "$work/$shared" 2>/dev/null; then
            "$shared"
        elif [ ! -d "$work/$shared" ]; then
            printf 'the step %s cannot be taken: no directory can be made in %s\n' "$shared" "$work" >&2
            return 1
        fi
    done
}

source ci/packages.sh
target=${CARGO_TARGET_DIR:-$PWD/target}
# Built with the tests: alone, the tool would be built again with fewer features.
tool=CARGO_PERFTEST=$target/debug/cargo-perftest

# Beside the tests that measure: with the processors that they leave.
aside=(nice -n 19)

# In a directory of their own, so that no lane waits for the builds of another one.
check_and_build() {
    local own=CARGO_TARGET_DIR=$target/checks
    step "lints" "${aside[@]}" env "$own" cargo clippy --workspace --all-targets --features "$features" --locked -- -D warnings
    step "documentation" "${aside[@]}" env "$own" RUSTDOCFLAGS="-D warnings" \
        cargo doc --workspace --no-deps --features "$features" --locked --quiet
    step "oldest Rust, other systems" "${aside[@]}" env "$own" bash ci/campaigns/portability.sh --short
    step "oldest dependencies" "${aside[@]}" env "$own" bash ci/campaigns/minimal-versions.sh --short
    step "packages without features" "${aside[@]}" env "$own" bash ci/campaigns/features.sh --short
    step "what would be published" bash ci/campaigns/package.sh --short
    step "build: examples" "${aside[@]}" bash ci/examples.sh --build
}

compare() {
    step "tests: compare, run and bisect" cargo test "${packages[@]}" --test compare
}

other_packages() {
    step "tests: attribute and guide, imports, init" cargo test "${packages[@]}" --test ui --test peers --test init
}

examples() {
    step "examples as real perf tests, and the demo" env "$tool" bash ci/examples.sh
}

databases() {
    wait_for_tests
    step "remotes in a database" "${aside[@]}" bash ci/remotes.sh postgres clickhouse
    step "answers of remotes" "${aside[@]}" env "$tool" bash ci/campaigns/fleet-size.sh --short
}

workflow() {
    step "workflow of the page on CI" env "$tool" bash ci/campaigns/workflow.sh --short
}

attacks() {
    step "attacks: a few tries of each kind" env "$tool" bash ci/campaigns/attack.sh --short
}

two_versions() {
    step "two versions on one store: some sessions" env "$tool" bash ci/campaigns/two-versions.sh --short
}

browser() {
    step "reports in a browser" env "$tool" bash ci/report-in-browser.sh
}

soak() {
    step "soak: a store over some sessions with faults" env "$tool" bash ci/campaigns/soak.sh --short
}

memory() {
    step "memory under valgrind" bash ci/campaigns/sanitizers.sh --short
}

performance() {
    step "performance of perftest, reported" bash ci/campaigns/performance.sh --short
}

# The longest first.
shared_steps=(compare other_packages performance examples two_versions attacks soak workflow)
[ "$(uname -s)" != Linux ] || shared_steps+=(browser memory)

wait_for_tests() { until [ -e "$work/built" ]; do sleep 1; done; }

second_lane() {
    check_and_build
    wait_for_tests
    step "tests that build no package" "${aside[@]}" cargo nextest run "${packages[@]}" --profile quick
    step "examples in doc comments" "${aside[@]}" cargo test "${packages[@]}" --doc --quiet
    step "histories whose truth is known" "${aside[@]}" env "$tool" bash ci/campaigns/known-history.sh --short
    take_shared_steps
}

step "tools" bash ci/install-tools.sh
step "format" cargo fmt --all --check

start_lane second_lane
[ "$(uname -s)" != Linux ] || start_lane databases
step "build: tests" cargo test "${packages[@]}" --no-run
touch "$work/built"
step "tests: profiles of real runs" cargo test "${packages[@]}" --test sampler
start_lane take_shared_steps
step "tests: end to end, in tiny projects under the real runners" cargo test "${packages[@]}" --test end_to_end
take_shared_steps
finish_lanes

# Beside other work the ratio of the processor times is less steady.
step "weight: what users compile, beside divan" bash ci/weight.sh --repetitions 1 --at-most 1.85,2.6

printf '\nall checks passed (after %d s)\n' "$SECONDS"
