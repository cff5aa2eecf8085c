#!/usr/bin/env bash
# Lets two versions of perftest measure one project into one store, alternately and at once, and checks that nothing is
# lost, doubled or changed, and that both reach verdicts. `--help` has the options.
# CARGO_PERFTEST is a `cargo-perftest` that is already built.
set -euo pipefail
cd "$(dirname "$0")/../.."
export PYTHONPATH=ci/campaigns/attack
exec python3 -B ci/campaigns/two_versions/campaign.py "$@"
