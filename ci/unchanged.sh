#!/usr/bin/env bash
# Runs all perf tests of the examples again and again on unchanged code, optionally while other
# processes take the processors, and prints how they ended and how long a decision took.
#
#   ci/unchanged.sh [runs] [burn|hogs|quota]
#
# runs: 100. burn: a process burns one core at random. hogs: an endless loop for each core.
# quota: the tests run in a control group that may use half of the processors (needs a writable
# control group of version 1 or 2 with the cpu controller).
set -euo pipefail
cd "$(dirname "$0")/.."
runs=${1:-100}
load=${2:-none}

PERFTEST_STORE=$(mktemp -d)
export PERFTEST_STORE
log=$(mktemp)
cleanup() {
    # shellcheck disable=SC2046  # a list of jobs
    kill $(jobs -p) 2>/dev/null || true
    rm -rf "$PERFTEST_STORE" "$log"
}
trap cleanup EXIT

cargo test --release --locked -q -p perftest-examples --test perf --no-run
# Seven, because a run that other work disturbed from start to end does not teach.
for _ in 1 2 3 4 5 6 7; do
    cargo test --release --locked -q -p perftest-examples --test perf >/dev/null 2>&1
done

case "$load" in
none) ;;
hogs)
    for _ in $(seq "$(nproc)"); do
        sh -c 'while :; do :; done' &
    done
    ;;
quota) bash ci/quota.sh "$$" "$(($(nproc) * 50))" ;;
burn)
    # Busy and idle for random 0 to 2 seconds in turn.
    (
        while :; do
            timeout "$((RANDOM % 2)).$((1 + RANDOM % 9))" sh -c 'while :; do :; done' || true
            sleep "0.$((RANDOM % 10))"
            sleep "$((RANDOM % 2))"
        done
    ) &
    ;;
*)
    printf 'unknown load: %s\n' "$load" >&2
    exit 2
    ;;
esac

for _ in $(seq "$runs"); do
    cargo test --release --locked -q -p perftest-examples --test perf -- \
        -Z unstable-options --format json >>"$log" 2>/dev/null || true
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
