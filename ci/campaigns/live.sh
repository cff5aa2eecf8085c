# shellcheck shell=bash
# What the campaigns that judge or compare the examples for real share. Source it in the root of the
# repository, with `set -euo pipefail`. ci/campaigns/overhead.sh and ci/campaigns/port.sh use it only for
# its directory, its flags and its end.

work=$(mktemp -d)
export PERFTEST_STORE="$work/store"
# Functions aligned, as `cargo perftest init` sets a package up: code that only moved is not slower then.
# Other flags of the caller stay: with `RUSTFLAGS=` functions are where the compiler puts them.
export RUSTFLAGS="${RUSTFLAGS--C llvm-args=-align-all-functions=6}"
load_pid=
finish() {
    end_load
    rm -rf "$work"
}
trap finish EXIT

# The perf tests of the examples, with these arguments.
perf_tests() { cargo test --release --locked -q -p perftest-examples --test perf "$@"; }

# Builds the tests and gives them a history. Seven runs, because one that other work disturbed from
# start to end does not teach.
learn() {
    perf_tests --no-run
    for _ in 1 2 3 4 5 6 7; do
        perf_tests >/dev/null 2>&1
    done
}

# Gives the tests a history of 30 more runs: of ten code states, as ten changes that cost nothing
# leave them. The amount of work is the same, and the machine code is another.
grow() {
    local state
    for state in 0 1 2 3 4 5 6 7 8 9; do
        for _ in 1 2 3; do
            EXAMPLES_SLOWDOWN="hash=1.00000000$state" perf_tests >/dev/null 2>&1 || true
        done
    done
}

# Decides once on each test, or on those named by the arguments, and prints the events. A red is an
# answer and no error of the script.
decide() { perf_tests -- -Z unstable-options --format json "$@" 2>/dev/null || true; }

# How to ask the build for slower tests: factor, their names.
slowdown() {
    local factor=$1 slower
    shift
    slower=$(printf "%s=$factor," "$@")
    printf '%s\n' "${slower%,}"
}

# Decides on tests made slower: factor, how often, their names. The slowdown is part of the build, so
# decisions on the same one belong together.
decide_slower() {
    local factor=$1 times=$2
    shift 2
    for _ in $(seq "$times"); do
        EXAMPLES_SLOWDOWN=$(slowdown "$factor" "$@") decide --exact "$@"
    done
}

# How many runs of all `tests` make so many decisions or comparisons.
runs_for() { printf '%s\n' $((($1 + ${#tests[@]} - 1) / ${#tests[@]})); }

# The names of the tests that run without being asked for.
names() { perf_tests -- --list --format terse 2>/dev/null | sed -n 's/: test$//p' | grep -v '^compress_archive$'; }

# Busy and idle for random 0 to 2 seconds in turn.
burn() {
    while :; do
        timeout "$((RANDOM % 2)).$((1 + RANDOM % 9))" sh -c 'while :; do :; done' || true
        sleep "0.$((RANDOM % 10))"
        sleep "$((RANDOM % 2))"
    done
}

# An endless loop.
hog() { sh -c 'while :; do :; done'; }

# An endless loop for each core.
hogs() {
    for _ in $(seq "$(nproc)"); do
        hog &
    done
    wait
}

# Starts other work, burn, hog or hogs, beside what follows. It has a process group of its own, so that
# all of it ends with `end_load`.
begin_load() {
    set -m
    "$1" &
    load_pid=$!
    set +m
}

end_load() {
    [ -z "$load_pid" ] || kill -- "-$load_pid" 2>/dev/null || true
    load_pid=
}
