#!/usr/bin/env bash
# Times the detectors of change points beside those of ruptures on the same series in one run, and
# prints the table, or writes it into docs/evidence/change-points.md. Run it with nothing else running.
# Ruptures comes from PyPI into target/.
#
#   ci/campaigns/detector-speed.sh [--write] [number of values ...]     default: 1000 10000 100000
#   LONGEST=60                                                seconds after which a call is stopped
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

write=false
if [ "${1:-}" = --write ]; then
    write=true
    shift
fi
[ $# -gt 0 ] || set -- 1000 10000 100000

python=$target/ruptures/bin/python
"$python" -c 'import ruptures' 2>/dev/null || {
    python3 -m venv "$target/ruptures"
    "$python" -m pip install --quiet ruptures==1.1.10
}
cargo run --manifest-path "$root/Cargo.toml" --release --locked --quiet \
    -p perftest-conformance --bin detectors -- speed "$work" "$@" >"$work/ours"
table() { "$python" "$root/ci/campaigns/ruptures_speed.py" "$work" "${LONGEST:-60}" "$@" <"$work/ours"; }

if $write; then
    table "$@" | bash "$root/ci/replace.sh" "$root/docs/evidence/change-points.md" speed
else
    table "$@"
fi
