#!/usr/bin/env bash
# Judges the examples for real, on unchanged and on slower code, and prints the live table of
# docs/evidence/verdicts.md, and below it which bounds hold. Exits with 1 when one is missed. Nothing else
# should run meanwhile.
#
#   ci/campaigns/verdicts.sh [--write] [decisions] [decisions-per-slowdown]
#
# Three histories: a newcomer's of five to seven runs, a grown one of 30 runs more, and a restless one,
# which is a grown one that was learned beside a process that burns one core at random.
# decisions-per-slowdown: 40 at +10%, +20% and +100% each, with each history, and beside the burner
# with the grown one; all tests are slowed at once. decisions: 1000 on unchanged code with the grown
# history, as many beside the burner, and as many with the restless history. All tests run each time, so
# a few more decisions are made.
# --write puts the table into docs/evidence/verdicts.md instead of printing it.
set -euo pipefail
cd "$(dirname "$0")/../.."
source ci/campaigns/page.sh
decisions=${1:-1000}
slower=${2:-40}
source ci/campaigns/live.sh
factors=(1.10 1.20 2.00)

progress() { printf '%s %s\n' "$(date +%T)" "$*" >&2; }

# Decisions on unchanged code under the condition that is named.
unchanged() {
    progress "$decisions decisions on unchanged code, $1"
    for _ in $(seq "$(runs_for "$decisions")"); do
        decide
    done >"$work/$1"
}

# Decisions on code slower by each factor under the condition that is named.
slowed() {
    local factor
    for factor in "${factors[@]}"; do
        progress "$slower decisions on code slower by $factor, $1"
        decide_slower "$factor" "$(runs_for "$slower")" "${tests[@]}" >"$work/$1-x$factor"
    done
}

# The store as it is now, for `recall`: what was judged shall not be in the way of the next condition.
remember() { cp -R "$PERFTEST_STORE" "$work/remembered"; }
recall() {
    rm -rf "$PERFTEST_STORE"
    mv "$work/remembered" "$PERFTEST_STORE"
}

progress "learning"
learn
mapfile -t tests < <(names)
remember
slowed newcomer
recall
grow
remember
slowed grown
recall
unchanged quiet
begin_load burn
unchanged burner
slowed burner
progress "learning beside the burner"
rm -rf "$PERFTEST_STORE"
learn
grow
end_load
remember
slowed restless
recall
unchanged restless-history
progress "done"

table=("unchanged, quiet=$work/quiet" "unchanged, burner=$work/burner"
    "unchanged, restless history=$work/restless-history")
bounds=("${table[@]/#/unchanged:}")
for condition in grown burner restless newcomer; do
    for factor in "${factors[@]}"; do
        row="+$(awk -v factor="$factor" 'BEGIN { printf "%.0f", 100 * (factor - 1) }')%, $condition"
        table+=("$row=$work/$condition-x$factor")
        bounds+=("slower-$factor:$row=$work/$condition-x$factor")
    done
done
python3 -B ci/campaigns/outcomes.py --markdown "${table[@]}" >"$work/table"
show docs/evidence/verdicts.md live <"$work/table"
python3 -B ci/campaigns/bounds.py "${bounds[@]}"
