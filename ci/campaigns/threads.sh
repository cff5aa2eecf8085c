#!/usr/bin/env bash
# Judges bodies that work in threads from an empty store: mutex ping-pong, contended lock, rayon, a channel
# of crossbeam, a thread per call, tokio's runtime, a spinning thread beside. Prints how decisions on unchanged
# and on slower code ended, and which bounds hold. Exits with 1 when one is missed.
#
#   ci/campaigns/threads.sh [runs] [decisions-per-slowdown]
#
# runs: 35 on unchanged code; the first begins the history. decisions-per-slowdown: 5 on each test at +20 % and
# +100%, each with the history of those runs.
set -euo pipefail
cd "$(dirname "$0")/../.."
runs=${1:-35}
slower=${2:-5}
source ci/campaigns/live.sh
project=$PWD/ci/campaigns/threads
export CARGO_TARGET_DIR=$PWD/target/threads

# Decides once on each test, built with so many percent of the usual work, and prints the events.
decide_on() {
    (cd "$project" && THREADS_WORK=$1 cargo test --release --locked -q --test perf -- -Z unstable-options --format json 2>/dev/null) || true
}
build() { (cd "$project" && THREADS_WORK=$1 cargo test --release --locked -q --test perf --no-run); }

build 100
for _ in $(seq "$runs"); do decide_on 100; done >"$work/100"
cp -R "$PERFTEST_STORE" "$work/grown"
for percent in 120 200; do
    build "$percent"
    for _ in $(seq "$slower"); do
        rm -rf "$PERFTEST_STORE"
        cp -R "$work/grown" "$PERFTEST_STORE"
        decide_on "$percent"
    done >"$work/$percent"
done
python3 -B ci/campaigns/outcomes.py "unchanged=$work/100" "+20%=$work/120" "+100%=$work/200"
python3 -B ci/campaigns/bounds.py "learning:unchanged=$work/100" "slower-1.20:+20%=$work/120" \
    "slower-2.00:+100%=$work/200"
