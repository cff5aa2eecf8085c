#!/usr/bin/env bash
# Compares two executables of the examples side by side, again and again, and lets tango compare the
# same functions in the same minutes. Prints how often each found what is there, how often it found
# what is not, and how long it took: the tables of docs/evidence/comparing.md. Nothing else should run.
#
#   ci/campaigns/side-by-side.sh [--write] [comparisons] [comparisons-of-the-same]
#
# comparisons: 100 with code that is slower by 5%. comparisons-of-the-same: 300 of an executable
# with itself. Each on a quiet machine, and again while a process burns one core at random; all tests
# are compared each time, so a few more are made. --write puts the table into docs/evidence/comparing.md
# instead of printing it.
set -euo pipefail
cd "$(dirname "$0")/../.."
source ci/campaigns/page.sh
comparisons=${1:-100}
same=${2:-300}
source ci/campaigns/live.sh
source ci/tool.sh
# A point before the decimals of a second, whatever the language.
export LC_ALL=C

# Copies the one executable that cargo builds with these arguments: slowdown, where to, arguments.
build() {
    local slower=$1 to=$2
    shift 2
    cp "$(EXAMPLES_SLOWDOWN=$slower executable "$@" --profile release --locked)" "$to"
}

# Both executables of both tools, so much slower: factor, suffix of their names.
build_both() {
    local slower
    slower=$(slowdown "$1" "${tests[@]}")
    build "$slower" "$work/perftest-$2" test --no-run -p perftest-examples --test perf
    build "$slower" "$work/tango-$2" bench --no-run --manifest-path peers/Cargo.toml --bench examples
}

# A line of JSON a test. A test that is slower is an answer and no error of the script.
with_perftest() { # base, head
    (cd examples && "$tool" perftest compare --executables "$work/perftest-$1" "$work/perftest-$2" \
        --measure-same-code --tolerance 3% --json 2>/dev/null) || true
}

# Seconds and tango's line of each test. One second is what tango promises to need.
with_tango() { # base, head
    local test began line
    for test in "${tests[@]}"; do
        began=$EPOCHREALTIME
        line=$("$work/tango-$2" --color never compare "$work/tango-$1" --time 1 --filter "$test" \
            2>/dev/null) || true
        awk -v began="$began" -v ended="$EPOCHREALTIME" -v line="$line" \
            'BEGIN { printf "%.3f %s\n", ended - began, line }'
    done
}

# One after the other in each round, so that both meet the same machine.
compare() { # condition, head, how many comparisons
    local round
    printf '%s %s\n' "$(date +%T)" "$1" >&2
    for round in $(seq "$(runs_for "$3")"); do
        with_perftest usual "$2" >>"$work/$1.perftest"
        with_tango usual "$2" >>"$work/$1.tango"
    done
}

tool=$work/cargo-perftest
build "" "$tool" build -p cargo-perftest
mapfile -t tests < <(names)
build_both 1 usual
build_both 1.05 slower

compare "+5%, quiet" slower "$comparisons"
compare "the same, quiet" usual "$same"
begin_load burn
compare "+5%, burner" slower "$comparisons"
compare "the same, burner" usual "$same"
end_load
printf '%s done\n' "$(date +%T)" >&2

python3 -B ci/campaigns/comparisons.py "$work" "+5%, quiet" "+5%, burner" "the same, quiet" "the same, burner" \
    >"$work/table"
show docs/evidence/comparing.md live <"$work/table"
