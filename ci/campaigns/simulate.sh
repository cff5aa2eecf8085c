#!/usr/bin/env bash
# Simulates how often verdicts are wrong. docs/evidence/verdicts.md explains the worlds and columns,
# docs/evidence/comparing.md those of two revisions side by side.
#
#   ci/campaigns/simulate.sh            writes the tables of both pages again: many minutes
#   ci/campaigns/simulate.sh --quick    fails where a promise is clearly broken for no known cause
#   ci/campaigns/simulate.sh ARGUMENT.. whatever else the program is asked: see tests/simulate
set -euo pipefail
cd "$(dirname "$0")/../.."

simulate() { cargo run --release --locked --quiet -p perftest-simulate -- "$@"; }

replace() { bash ci/replace.sh "docs/evidence/$1.md" "$2"; }

case "${1:-}" in
"")
    simulate --worlds | replace verdicts worlds
    simulate --markdown | replace verdicts results
    simulate --side-by-side --decisions 10000 | replace comparing side-by-side
    ;;
--quick) simulate --check --decisions 100 --slowdown 1.0,1.10,2.0 ;;
*) simulate "$@" ;;
esac
