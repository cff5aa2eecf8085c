#!/usr/bin/env bash
# Runs all perf tests of the examples again and again on unchanged code, optionally while other
# processes take the processors, and prints how they ended and how long a decision took.
#
#   ci/campaigns/unchanged.sh [runs] [burn|hogs|quota]
#
# runs: 100. burn: a process burns one core at random. hogs: an endless loop for each core.
# quota: the tests run in a control group that may use half of the processors (needs a writable
# control group of version 1 or 2 with the cpu controller).
set -euo pipefail
cd "$(dirname "$0")/../.."
runs=${1:-100}
load=${2:-none}
case "$load" in
none | burn | hogs | quota) ;;
*)
    printf 'unknown load: %s\n' "$load" >&2
    exit 2
    ;;
esac
source ci/campaigns/live.sh

learn
case "$load" in
none) ;;
quota) bash ci/campaigns/quota.sh "$$" "$(($(nproc) * 50))" ;;
*) begin_load "$load" ;;
esac
for _ in $(seq "$runs"); do
    decide
done >"$work/unchanged"
python3 ci/campaigns/outcomes.py "unchanged=$work/unchanged"
