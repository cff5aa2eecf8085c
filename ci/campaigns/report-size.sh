#!/usr/bin/env bash
# Makes the report of a store of 5,000 tests with 200 runs each, and prints the time of the command, the size of the
# page, and in a headless Chromium the time to the first paint, of a key of the search, and to open a test.
#
#   ci/campaigns/report-size.sh [--tests N] [--runs N] [--keep FILE]
#
# CARGO_PERFTEST is a `cargo-perftest` that is already built. Needs 2 GB in the directory for temporary files.
set -euo pipefail
cd "$(dirname "$0")/../.."
source ci/tool.sh
find_tool release
PYTHONPATH=ci/campaigns/known_history python3 -B ci/report_in_browser/size.py "$@" "$tool"
