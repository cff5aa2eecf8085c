#!/usr/bin/env bash
# Draws docs/curve.svg: the curves of docs/verdicts.md, and three bodies measured on this machine.
set -euo pipefail
cd "$(dirname "$0")/.."

picture=$(cargo run --quiet --release --locked -p perftest-tests --bin curve_picture)
printf '%s\n' "$picture" > docs/curve.svg
echo "drew docs/curve.svg"
