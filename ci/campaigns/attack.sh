#!/usr/bin/env bash
# Attacks perftest as a hostile tester would: kills, cuts, concurrent writers, odd files, foreign code,
# variables and bodies, and prints which attacks fell. `--help` has the options.
# CARGO_PERFTEST is a `cargo-perftest` that is already built.
set -euo pipefail
cd "$(dirname "$0")/../.."
exec python3 -B ci/campaigns/attack/campaign.py "$@"
