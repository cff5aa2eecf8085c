#!/usr/bin/env bash
# Times the detectors of change points beside those of ruptures on the same series in one run, and
# prints the table, or writes it into docs/evidence/change-points.md. Run it with nothing else running.
# Ruptures comes from PyPI into target/.
#
#   ci/campaigns/detector-speed.sh [--write] [number of values ...]     default: 1000 10000 100000
#   LONGEST=60                                                seconds after which a call is stopped
set -euo pipefail
cd "$(dirname "$0")/../.."
source ci/campaigns/page.sh
target=${CARGO_TARGET_DIR:-$PWD/target}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

[ $# -gt 0 ] || set -- 1000 10000 100000

python=$target/ruptures/bin/python
"$python" -c 'import ruptures' 2>/dev/null || {
    python3 -m venv "$target/ruptures"
    "$python" -m pip install --quiet ruptures==1.1.10
}
cargo run --release --locked --quiet -p perftest-conformance --bin detectors -- speed "$work" "$@" >"$work/ours"
"$python" ci/campaigns/ruptures_speed.py "$work" "${LONGEST:-60}" "$@" <"$work/ours" |
    show docs/evidence/change-points.md speed
