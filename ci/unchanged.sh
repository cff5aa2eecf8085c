#!/usr/bin/env bash
# Runs all perf tests of the examples again and again on unchanged code, optionally while another
# process burns one core at random, and prints how they ended and how long a decision took.
#
#   ci/unchanged.sh [runs] [burn]        runs: 100; burn: also burn one core at random
set -euo pipefail
cd "$(dirname "$0")/.."
runs=${1:-100}
burn=${2:-}

PERFTEST_STORE=$(mktemp -d)
export PERFTEST_STORE
log=$(mktemp)
cleanup() {
    [ -n "${burner:-}" ] && kill "$burner" 2>/dev/null
    rm -rf "$PERFTEST_STORE" "$log"
}
trap cleanup EXIT

cargo test --release --locked -q -p perftest-examples --test perf --no-run
for _ in 1 2 3 4 5; do
    cargo test --release --locked -q -p perftest-examples --test perf >/dev/null
done

# Busy and idle for random 0 to 2 seconds in turn.
if [ "$burn" = burn ]; then
    (
        while :; do
            timeout "$((RANDOM % 2)).$((1 + RANDOM % 9))" sh -c 'while :; do :; done' || true
            sleep "0.$((RANDOM % 10))"
            sleep "$((RANDOM % 2))"
        done
    ) &
    burner=$!
fi

for _ in $(seq "$runs"); do
    cargo test --release --locked -q -p perftest-examples --test perf -- \
        -Z unstable-options --format json >>"$log" || true
done

python3 - "$log" "$runs" <<'PY'
import json, statistics, sys
from collections import defaultdict

reasons, seconds, measurements = defaultdict(lambda: defaultdict(int)), defaultdict(list), defaultdict(list)
for line in open(sys.argv[1]):
    try:
        event = json.loads(line)
    except ValueError:
        continue
    if event.get("type") != "test" or event.get("event") not in ("ok", "failed"):
        continue
    judged = event.get("perftest", {})
    reasons[event["name"]][judged.get("reason", "body failed")] += 1
    seconds[event["name"]].append(event["exec_time"])
    measurements[event["name"]].append(judged.get("measurements", 0))

print(f"{'test':<16} {'median s':>9} {'p90 s':>8} {'max s':>8} {'measurements':>13}  outcomes of {sys.argv[2]} runs")
reds = decisions = 0
for name in sorted(reasons):
    times = sorted(seconds[name])
    reds += reasons[name]["red"] + reasons[name]["body failed"]
    decisions += len(times)
    outcomes = ", ".join(f"{reason} {count}" for reason, count in sorted(reasons[name].items()) if count)
    print(f"{name:<16} {statistics.median(times):9.3f} {times[int(0.9 * len(times))]:8.3f} {times[-1]:8.3f} "
          f"{statistics.median(measurements[name]):13.0f}  {outcomes}")
print(f"reds: {reds} of {decisions} decisions")
PY
