#!/usr/bin/env bash
# Simulates how often verdicts are wrong. docs/statistics.md explains the worlds and columns.
#
#   ci/simulate.sh            writes the tables of docs/statistics.md again: many minutes
#   ci/simulate.sh --quick    fails where a promise is clearly broken for no known cause
#   ci/simulate.sh ARGUMENT.. whatever else the program is asked: see tests/simulate
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)

simulate() {
    cargo run --manifest-path "$root/Cargo.toml" --release --locked --quiet \
        -p perftest-simulate -- "$@"
}

replace() { bash "$root/ci/replace.sh" "$root/docs/statistics.md" "$1"; }

case "${1:-}" in
"")
    simulate --worlds | replace worlds
    simulate --markdown | replace results
    ;;
--quick) simulate --check --decisions 200 --slowdown 1.0,1.10 ;;
*) simulate "$@" ;;
esac
