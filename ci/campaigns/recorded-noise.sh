#!/usr/bin/env bash
# Prints how far apart processes of unchanged code lie, before and after the rules of the core, on
# recorded measurements. docs/evidence/noise.md explains the columns.
#
#   ci/campaigns/recorded-noise.sh [--markdown] [recording.csv or directory ...]   default: the fixtures
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)

case "$*" in "" | --markdown) set -- "$@" "$root/tests/fixtures/noise" ;; esac
cargo run --manifest-path "$root/Cargo.toml" --release --locked --quiet \
    -p perftest-tests --bin recorded_noise -- "$@"
