#!/usr/bin/env bash
# Judges a history of published crates, in which one crate moves from commit to commit, and prints
# the plain truth beside what `cargo test` and `cargo perftest compare` said. `--help` has the options.
set -euo pipefail
cd "$(dirname "$0")/../.."
exec python3 -B ci/campaigns/real_crates/campaign.py "$@"
