#!/usr/bin/env bash
# Prints how well the detectors of change points do on real series, or writes it into
# docs/change-points.md, which explains the columns.
#
#   ci/detectors.sh [--write] [directory of series]     default: tests/series
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)

write=false
if [ "${1:-}" = --write ]; then
    write=true
    shift
fi

scores() {
    cargo run --manifest-path "$root/Cargo.toml" --release --locked --quiet \
        -p perftest-tests --bin detectors -- scores "${1:-$root/tests/series}"
}

if $write; then
    scores "$@" | bash "$root/ci/replace.sh" "$root/docs/change-points.md" detectors
else
    scores "$@"
fi
