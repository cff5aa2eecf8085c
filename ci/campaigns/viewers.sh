#!/usr/bin/env bash
# Opens exported profiles in the programs they are for: speedscope's page in a headless Chromium, and the reader of
# the Firefox profiler on the command line. Both have to show the functions and shares of the exported file. The two
# come from npm into target/viewers.
#
#   ci/campaigns/viewers.sh
#
# CARGO_PERFTEST is a `cargo-perftest` that is already built. Needs chromium, chromedriver and npm.
set -euo pipefail
cd "$(dirname "$0")/../.."
source ci/tool.sh
find_tool release
viewers=${CARGO_TARGET_DIR:-$PWD/target}/viewers
mkdir -p "$viewers"
npm install --silent --no-fund --no-audit --prefix "$viewers" speedscope@1.25.0 @firefox-devtools/profiler-cli@0.10.0
PYTHONPATH=ci/report_in_browser python3 -B ci/campaigns/viewers/checks.py "$tool" "$viewers/node_modules"
