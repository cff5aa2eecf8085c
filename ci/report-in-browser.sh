#!/usr/bin/env bash
# Checks the report of `cargo perftest report` in a headless Chromium: it loads without an error, sorts, searches,
# zooms by mouse, fingers and keys, shows the values of the store, prints, fits a phone, and runs no other script
# than its own.
#
#   ci/report-in-browser.sh [--pictures DIRECTORY]
#
# CARGO_PERFTEST is a `cargo-perftest` that is already built. Needs chromium and chromedriver
# (ci/install-tools.sh).
set -euo pipefail
cd "$(dirname "$0")/.."
source ci/tool.sh
find_tool dev
PYTHONPATH=ci/campaigns/known_history python3 -B ci/report_in_browser/checks.py "$@" "$tool"
