#!/usr/bin/env bash
# Slows the machine down after a history was learned, and prints what the examples are judged to be:
# once built anew with the same work, once with more of it. Exits with 1 unless no unchanged test was
# red and 95% of those slower by 25% were. Tests that learned no history, or one too unsteady to judge
# by, do not count there.
#
#   ci/campaigns/machine-slower.sh [decisions] [hog|hogs|pinned ..]
#
# decisions: 100 of each kind. hog: an endless loop beside the tests. hogs: one for each core.
# pinned: one on the core that the tests are bound to as well, as they were when they learned (needs
# taskset). All of them unless some are named. All tests are judged each time, so a few more decisions
# are made. Each kind begins with the history as it was learned.
set -euo pipefail
cd "$(dirname "$0")/../.."
decisions=${1:-100}
loads=("${@:2}")
[ ${#loads[@]} -gt 0 ] || loads=(hog hogs pinned)
for load in "${loads[@]}"; do
    case "$load" in
    hog | hogs | pinned) ;;
    *)
        printf 'unknown load: %s\n' "$load" >&2
        exit 2
        ;;
    esac
done
source ci/campaigns/live.sh
core=0

# Binds this shell, and what it starts from now on, to a core.
pin() { taskset --cpu-list --pid "$core" "$BASHPID" >/dev/null; }

# Judges all tests with so much more work while the load runs: load, factor. The same work is built
# with the factor in it, so that the executable is another one: the same code would never be red.
judge() {
    local hog=$1
    trap end_load EXIT
    rm -rf "$PERFTEST_STORE"
    cp -r "$work/learned" "$PERFTEST_STORE"
    EXAMPLES_SLOWDOWN=$(slowdown "$2" "${tests[@]}") perf_tests --no-run
    if [ "$1" = pinned ]; then
        pin
        hog=hog
    fi
    begin_load "$hog"
    decide_slower "$2" "$(runs_for "$decisions")" "${tests[@]}" >"$work/$1-$2"
    end_load
}

# What the load begins with is learned without it.
learn_for() {
    rm -rf "$PERFTEST_STORE" "$work/learned"
    perf_tests --no-run
    [ "$1" != pinned ] || pin
    learn
    cp -r "$PERFTEST_STORE" "$work/learned"
}

count() { grep -c "\"verdict\":$1" "$2" || true; }

mapfile -t tests < <(names)
held=0
for load in "${loads[@]}"; do
    if [ "$load" = pinned ] && ! command -v taskset >/dev/null; then
        printf 'taskset is not there: nothing is pinned\n' >&2
        continue
    fi
    (learn_for "$load")
    for factor in 1 1.25; do
        printf '%s %s, x%s\n' "$(date +%T)" "$load" "$factor" >&2
        (judge "$load" "$factor")
    done
    python3 ci/campaigns/outcomes.py "$load, unchanged=$work/$load-1" "$load, +25%=$work/$load-1.25"
    false_reds=$(count '"red"' "$work/$load-1")
    found=$(count '"red"' "$work/$load-1.25")
    judged=$(($(count '' "$work/$load-1.25") - $(count '"unstable"' "$work/$load-1.25") -
        $(count '"no_baseline"' "$work/$load-1.25")))
    printf 'red: %s of %s that could be judged\n' "$found" "$judged"
    if [ "$false_reds" -gt 0 ] || [ "$judged" -eq 0 ] || [ $((20 * found)) -lt $((19 * judged)) ]; then
        printf '%s did not hold\n' "$load"
        held=1
    fi
done
exit "$held"
