#!/usr/bin/env bash
# Prints how well the detectors of change points do on real series and how often ours changes its mind,
# or writes both into docs/evidence/change-points.md, which explains the columns.
#
#   ci/campaigns/detectors.sh [--write] [directory of series]     default: tests/series
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)

write=false
if [ "${1:-}" = --write ]; then
    write=true
    shift
fi

detectors() {
    cargo run --manifest-path "$root/Cargo.toml" --release --locked --quiet \
        -p perftest-conformance --bin detectors -- "$1" "${2:-$root/tests/series}"
}

if $write; then
    detectors scores "$@" | bash "$root/ci/replace.sh" "$root/docs/evidence/change-points.md" detectors
    detectors stability "$@" | bash "$root/ci/replace.sh" "$root/docs/evidence/change-points.md" stability
else
    detectors scores "$@"
    echo
    detectors stability "$@"
fi
