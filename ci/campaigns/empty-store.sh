#!/usr/bin/env bash
# Runs the examples for real from an empty store, as often as is asked, and prints how the runs after
# that ended: no red, and verdicts from the second run on. Exits with 1 when that is missed. Nothing
# else should run meanwhile.
#
#   ci/campaigns/empty-store.sh [stores] [runs]
#
# stores: 50. runs: 10 of all tests in each store.
set -euo pipefail
cd "$(dirname "$0")/../.."
stores=${1:-50}
runs=${2:-10}
source ci/campaigns/live.sh

perf_tests --no-run
for store in $(seq "$stores"); do
    printf '%s store %s of %s\n' "$(date +%T)" "$store" "$stores" >&2
    rm -rf "$PERFTEST_STORE"
    for run in $(seq "$runs"); do
        decide >>"$work/run-$run"
    done
done

bounds=("learning:run 1=$work/run-1")
for run in $(seq 2 "$runs"); do
    bounds+=("unchanged:run $run=$work/run-$run")
done
python3 -B ci/campaigns/bounds.py "${bounds[@]}"
