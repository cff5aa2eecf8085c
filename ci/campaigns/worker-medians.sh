#!/usr/bin/env bash
# Measures all examples, and functions that allocate their outputs, by turns in a test's own process
# and in fresh processes that serve measurements, as confirmations and comparisons start them. Prints
# both medians and their ratio, which is 1 within noise.
#
#   ci/campaigns/worker-medians.sh [turns] [name ..]
#
# turns: 15. A turn measures each test once in each kind of process, some seconds for all.
set -euo pipefail
cd "$(dirname "$0")/../.."
turns=${1:-15}
shift || true
source ci/tool.sh
tests() {
    cargo test --release --locked -q -p perftest-examples --test perf --test outputs --no-run --message-format json |
        grep '"kind":\["test"\]' | executables
}
for executable in $(tests); do
    (cd examples && CARGO_MANIFEST_DIR=$PWD python3 ../ci/campaigns/worker_medians.py "$turns" "$executable" "$@")
done
