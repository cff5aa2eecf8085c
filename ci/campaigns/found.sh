#!/usr/bin/env bash
# Slows all examples down and prints how often that was called red, and how long
# the decisions took.
#
#   ci/campaigns/found.sh [factor] [decisions]     factor: 1.25; decisions for each test: 10
set -euo pipefail
cd "$(dirname "$0")/../.."
factor=${1:-1.25}
decisions=${2:-10}
source ci/campaigns/live.sh

learn
mapfile -t tests < <(names)
decide_slower "$factor" "$decisions" "${tests[@]}" >"$work/slower"
python3 ci/campaigns/outcomes.py "x$factor=$work/slower"
