#!/usr/bin/env bash
# Lets one store live through many sessions of scripted time, with random faults, and checks after each that
# nothing recorded is lost and no unchanged code is red. `--help` has the options.
# CARGO_PERFTEST is a `cargo-perftest` that is already built.
set -euo pipefail
cd "$(dirname "$0")/../.."
export PYTHONPATH=ci/campaigns/attack
exec python3 -B ci/campaigns/soak/campaign.py "$@"
