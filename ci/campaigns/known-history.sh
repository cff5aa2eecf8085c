#!/usr/bin/env bash
# Generates stores of histories whose truth is known (steps of 3 to 100%, drifts, modes, rare modes, seasons,
# levels that go up and down; three runs a commit and one), asks `changepoints`, `check`, `drift`, `rank`,
# `history`, `power` and `stats` about them, and prints how often they are wrong, with their time and memory.
#
#   ci/campaigns/known-history.sh [--short] [--seed N]
#
# --short takes a tenth of the histories. CARGO_PERFTEST is a `cargo-perftest` that is already built.
set -euo pipefail
cd "$(dirname "$0")/../.."
source ci/tool.sh
find_tool dev
python3 -B ci/campaigns/known_history/campaign.py "$@" "$tool"
