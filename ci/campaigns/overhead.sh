#!/usr/bin/env bash
# Reads an empty function and functions up to 1 us (peers/overhead/src/lib.rs) with perftest, divan,
# criterion and a plain loop, in turn, each harness with its defaults and, where it keeps one, a
# history. Prints what each read and how long it took until it was done: the tables of
# docs/evidence/overhead.md. Nothing else should run. A repeat takes about a minute, nearly all of it
# criterion's.
#
#   ci/campaigns/overhead.sh [--write] [repeats]
#
# repeats: 15. --write puts the tables into docs/evidence/overhead.md instead of printing them.
set -euo pipefail
cd "$(dirname "$0")/../.."
show=cat
if [ "${1:-}" = --write ]; then
    show="bash ci/replace.sh docs/evidence/overhead.md live"
    shift
fi
repeats=${1:-15}
source ci/campaigns/live.sh
# A unit that python can read, whatever the language.
export LC_ALL=C.UTF-8

# The executable that cargo builds with these arguments.
executable() {
    cargo "$@" --manifest-path peers/Cargo.toml -p peer-overhead --locked -q --message-format json |
        sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | tail -n 1
}

perftest=$(executable test --release --no-run --test by_perftest)
divan=$(executable bench --no-run --bench by_divan)
criterion=$(executable bench --no-run --bench by_criterion)
loop=$(executable bench --no-run --bench by_loop)
export CRITERION_HOME="$work/criterion"
(
    cd peers/overhead
    python3 -B ../../ci/campaigns/overhead.py "$repeats" "$perftest" "$divan" "$criterion" "$loop" >"$work/tables"
)
$show <"$work/tables"
