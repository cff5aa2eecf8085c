#!/usr/bin/env bash
# Simulates how often verdicts are wrong. docs/statistics.md explains the worlds and columns.
#
#   ci/simulate.sh            writes the tables of docs/statistics.md again: many minutes
#   ci/simulate.sh --quick    fails where a promise is clearly broken for no known cause
#   ci/simulate.sh ARGUMENT.. whatever else the program is asked: see tests/simulate
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
page="$root/docs/statistics.md"

simulate() {
    cargo run --manifest-path "$root/Cargo.toml" --release --locked --quiet \
        -p perftest-simulate -- "$@"
}

# Puts standard input between the two marker lines of the page that name a part of it.
replace() {
    local begin="<!-- begin: $1 -->" end="<!-- end: $1 -->" table
    grep -qxF "$begin" "$page" && grep -qxF "$end" "$page" || {
        printf 'docs/statistics.md lacks the lines %s and %s\n' "$begin" "$end" >&2
        exit 2
    }
    table=$(cat)
    TABLE="$table" awk -v begin="$begin" -v end="$end" '
        $0 == begin { print; print ""; print ENVIRON["TABLE"]; print ""; skips = 1 }
        $0 == end { skips = 0 }
        !skips { print }
    ' "$page" >"$page.new"
    mv "$page.new" "$page"
}

case "${1:-}" in
"")
    simulate --worlds | replace worlds
    simulate --markdown | replace results
    ;;
--quick) simulate --check --decisions 200 --slowdown 1.0,1.10 ;;
*) simulate "$@" ;;
esac
