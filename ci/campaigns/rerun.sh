#!/usr/bin/env bash
# Runs one slowed example again and again: running until it is green must buy nothing. Fails unless
# every run is red and all were compared with the same baseline.
#
#   ci/campaigns/rerun.sh [times] [test] [factor]     50, sort, 1.30
set -euo pipefail
cd "$(dirname "$0")/../.."
source ci/campaigns/live.sh
times=${1:-50}
test=${2:-sort}
factor=${3:-1.30}

learn
decide_slower "$factor" "$times" "$test" >"$work/decisions"

python3 - "$PERFTEST_STORE" "$test" "$times" <<'PY'
import collections, glob, json, os, sys

store, test, times = sys.argv[1], sys.argv[2], int(sys.argv[3])
runs = []
for name in glob.glob(os.path.join(store, "v1", "*", "runs", "*", "*.jsonl")):
    with open(name) as lines:
        runs += [run for run in map(json.loads, lines) if run["benchmark"].endswith("::" + test)]
judged = [run for run in runs if "verdict" in run][-times:]
verdicts = collections.Counter(run["verdict"] for run in judged)
baselines = {run["baseline_hash"] for run in judged}
summary = ", ".join(f"{verdict} {count}" for verdict, count in verdicts.most_common())
print(f"{test} run {len(judged)} times: {summary}; baselines compared with: {len(baselines)}")
sys.exit(0 if verdicts["red"] == times and len(baselines) == 1 else 1)
PY
