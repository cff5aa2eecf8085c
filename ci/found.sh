#!/usr/bin/env bash
# Slows one example after the other down and prints how often that was called red, and how long
# the decisions took.
#
#   ci/found.sh [factor] [decisions]     factor: 1.25; decisions for each test: 10
set -euo pipefail
cd "$(dirname "$0")/.."
factor=${1:-1.25}
decisions=${2:-10}

PERFTEST_STORE=$(mktemp -d)
export PERFTEST_STORE
log=$(mktemp)
trap 'rm -rf "$PERFTEST_STORE" "$log"' EXIT

cargo test --release --locked -q -p perftest-examples --test perf --no-run
# Seven, because a run that other work disturbed from start to end does not teach.
for _ in 1 2 3 4 5 6 7; do
    cargo test --release --locked -q -p perftest-examples --test perf >/dev/null 2>&1
done

tests=$(cargo test --release --locked -q -p perftest-examples --test perf -- --list --format terse |
    sed -n 's/: test$//p' | grep -v '^compress_archive$')
for test in $tests; do
    for _ in $(seq "$decisions"); do
        EXAMPLES_SLOWDOWN="$test=$factor" cargo test --release --locked -q -p perftest-examples --test perf -- \
            -Z unstable-options --format json --exact "$test" 2>/dev/null || true
    done
done >"$log"

python3 - "$log" <<'PY'
import json, statistics, sys
from collections import defaultdict

reasons, seconds, ratios = defaultdict(lambda: defaultdict(int)), defaultdict(list), defaultdict(list)
for line in open(sys.argv[1]):
    try:
        event = json.loads(line)
    except ValueError:
        continue
    if event.get("type") != "test" or "perftest" not in event:
        continue
    judged = event["perftest"]
    reasons[event["name"]][judged["reason"]] += 1
    seconds[event["name"]].append(event["exec_time"])
    ratios[event["name"]].append(judged["ratio"])

print(f"{'test':<14} {'median ratio':>12} {'median s':>9} {'max s':>7}  outcomes")
for name in sorted(reasons):
    outcomes = ", ".join(f"{reason} {count}" for reason, count in sorted(reasons[name].items()))
    print(f"{name:<14} {statistics.median(ratios[name]):12.3f} {statistics.median(seconds[name]):9.2f} "
          f"{max(seconds[name]):7.2f}  {outcomes}")
PY
