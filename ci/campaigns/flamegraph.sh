#!/usr/bin/env bash
# Opens pages of `cargo perftest flamegraph` in a headless Chromium: what a page shows is what is in the profiles,
# hostile names stay text, and the times of loading, zooming and searching with 100,000 frames are printed.
#
#   ci/campaigns/flamegraph.sh [--pictures DIRECTORY]
#
# CARGO_PERFTEST is a `cargo-perftest` that is already built. Needs chromium and chromedriver.
set -euo pipefail
cd "$(dirname "$0")/../.."
source ci/tool.sh
find_tool release
PYTHONPATH=ci/report_in_browser python3 -B ci/campaigns/flamegraph/checks.py "$@" "$tool"
