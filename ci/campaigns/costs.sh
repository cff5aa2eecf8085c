#!/usr/bin/env bash
# Prints what each read of the machine and each probe costs, and the harness's share of a run.
# Nothing else should run meanwhile.
set -euo pipefail
cd "$(dirname "$0")/../.."
cargo test --release --locked -q -p perftest --lib -- --ignored --nocapture --test-threads=1 \
    measure::costs
