#!/usr/bin/env bash
# Slows one example after the other down and prints how often that was called red, and how long
# the decisions took.
#
#   ci/found.sh [factor] [decisions]     factor: 1.25; decisions for each test: 10
set -euo pipefail
cd "$(dirname "$0")/.."
factor=${1:-1.25}
decisions=${2:-10}
source ci/live.sh

learn
for test in $(names); do
    decide_slower "$test" "$factor" "$decisions"
done >"$work/slower"
python3 ci/outcomes.py "x$factor=$work/slower"
