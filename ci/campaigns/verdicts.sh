#!/usr/bin/env bash
# Judges the examples for real, on unchanged and on slower code, and prints the live table of
# docs/statistics.md. Nothing else should run meanwhile.
#
#   ci/campaigns/verdicts.sh [--write] [decisions] [decisions-per-slowdown]
#
# decisions-per-slowdown: 40 at +10 %, +20 % and +100 % each with a newcomer's history of five to seven
# runs, and as many with a grown one of 30 runs more; all tests are slowed at once. decisions: 1000 on
# unchanged code with the grown history, and as many while a process burns one core at random. All
# tests run each time, so a few more decisions are made.
# --write puts the table into docs/statistics.md instead of printing it.
set -euo pipefail
cd "$(dirname "$0")/../.."
show=cat
if [ "${1:-}" = --write ]; then
    show="bash ci/replace.sh docs/statistics.md live"
    shift
fi
decisions=${1:-1000}
slower=${2:-40}
source ci/campaigns/live.sh

told() { printf '%s %s\n' "$(date +%T)" "$*" >&2; }

unchanged() {
    for _ in $(seq "$(runs_for "$decisions")"); do
        decide
    done
}

# Decisions on code slower by three factors, with the history that is named.
slowed() {
    local factor
    for factor in 1.10 1.20 2.00; do
        told "$slower decisions on code slower by $factor, $1"
        decide_slower "$factor" "$(runs_for "$slower")" "${tests[@]}" >"$work/$1-x$factor"
    done
}

told "learning"
learn
mapfile -t tests < <(names)
cp -R "$PERFTEST_STORE" "$work/newcomer"
slowed newcomer
# What was slowed shall not be in the way of the grown history.
rm -rf "$PERFTEST_STORE"
mv "$work/newcomer" "$PERFTEST_STORE"
grow
slowed grown
told "$decisions decisions on unchanged code"
unchanged >"$work/quiet"
told "as many beside a burner"
begin_load burn
unchanged >"$work/burner"
end_load
told "done"

python3 ci/campaigns/outcomes.py --markdown \
    "unchanged, quiet=$work/quiet" "unchanged, burner=$work/burner" \
    "+10 %=$work/grown-x1.10" "+20 %=$work/grown-x1.20" "+100 %=$work/grown-x2.00" \
    "+10 %, newcomer=$work/newcomer-x1.10" "+20 %, newcomer=$work/newcomer-x1.20" \
    "+100 %, newcomer=$work/newcomer-x2.00" >"$work/table"
$show <"$work/table"
