#!/usr/bin/env bash
# Simulates how often verdicts are wrong. docs/statistics.md explains the worlds and columns,
# docs/comparing.md those of two revisions side by side.
#
#   ci/simulate.sh            writes the tables of both pages again: many minutes
#   ci/simulate.sh --quick    fails where a promise is clearly broken for no known cause
#   ci/simulate.sh ARGUMENT.. whatever else the program is asked: see tests/simulate
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)

simulate() {
    cargo run --manifest-path "$root/Cargo.toml" --release --locked --quiet \
        -p perftest-simulate -- "$@"
}

replace() { bash "$root/ci/replace.sh" "$root/docs/$1.md" "$2"; }

case "${1:-}" in
"")
    simulate --worlds | replace statistics worlds
    simulate --markdown | replace statistics results
    simulate --side-by-side --decisions 10000 | replace comparing side-by-side
    ;;
--quick) simulate --check --decisions 100 --slowdown 1.0,1.10,2.0 ;;
*) simulate "$@" ;;
esac
