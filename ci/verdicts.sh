#!/usr/bin/env bash
# Judges the examples for real, on unchanged and on slower code, and prints the live table of
# docs/statistics.md. Nothing else should run meanwhile.
#
#   ci/verdicts.sh [--write] [decisions] [decisions-per-slowdown]
#
# decisions: 1000 on unchanged code while the machine is quiet, and as many while a process burns
# one core at random. decisions-per-slowdown: 40 at +10 %, +20 % and +100 % each, on a quiet
# machine; all tests are slowed at once. All tests run each time, so a few more decisions are made.
# --write puts the table into docs/statistics.md instead of printing it.
set -euo pipefail
cd "$(dirname "$0")/.."
show=cat
if [ "${1:-}" = --write ]; then
    show="bash ci/replace.sh docs/statistics.md live"
    shift
fi
decisions=${1:-1000}
slower=${2:-40}
source ci/live.sh

told() { printf '%s %s\n' "$(date +%T)" "$*" >&2; }

unchanged() {
    for _ in $(seq "$(runs_for "$decisions")"); do
        decide
    done
}

told "learning"
learn
mapfile -t tests < <(names)
told "$decisions decisions on unchanged code"
unchanged >"$work/quiet"
told "as many beside a burner"
begin_load burn
unchanged >"$work/burner"
end_load
for factor in 1.10 1.20 2.00; do
    told "$slower decisions on code slower by $factor"
    decide_slower "$factor" "$(runs_for "$slower")" "${tests[@]}" >"$work/x$factor"
done
told "done"

python3 ci/outcomes.py --markdown \
    "unchanged, quiet=$work/quiet" "unchanged, burner=$work/burner" \
    "+10 %=$work/x1.10" "+20 %=$work/x1.20" "+100 %=$work/x2.00" >"$work/table"
$show <"$work/table"
