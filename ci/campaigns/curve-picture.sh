#!/usr/bin/env bash
# Draws docs/reference/curve.svg: the curves of docs/reference/verdicts.md, and three bodies measured on this machine.
set -euo pipefail
cd "$(dirname "$0")/../.."

picture=$(cargo run --quiet --release --locked -p perftest-tests --bin curve_picture)
printf '%s\n' "$picture" > docs/reference/curve.svg
echo "drew docs/reference/curve.svg"
