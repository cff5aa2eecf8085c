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
source ci/campaigns/page.sh
repeats=${1:-15}
source ci/campaigns/live.sh
source ci/tool.sh
# A unit that python can read, whatever the language.
export LC_ALL=C.UTF-8

peer=(--manifest-path peers/Cargo.toml -p peer-overhead --locked --no-run)
perftest=$(executable test --release "${peer[@]}" --test by_perftest)
divan=$(executable bench "${peer[@]}" --bench by_divan)
criterion=$(executable bench "${peer[@]}" --bench by_criterion)
loop=$(executable bench "${peer[@]}" --bench by_loop)
# In a clone whose files are as new as git's index, git reads all of them each time that it is asked for changes, until
# it may write the index: 70 to 110 ms more for each run.
git status --short >/dev/null
export CRITERION_HOME="$work/criterion"
(
    cd peers/overhead
    python3 -B ../../ci/campaigns/overhead.py "$repeats" "$perftest" "$divan" "$criterion" "$loop" >"$work/tables"
)
show docs/evidence/overhead.md live <"$work/tables"
