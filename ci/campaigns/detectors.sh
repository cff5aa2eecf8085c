#!/usr/bin/env bash
# Prints how well the detectors of change points do on real series and how often ours changes its mind,
# or writes both into docs/evidence/change-points.md, which explains the columns.
#
#   ci/campaigns/detectors.sh [--write] [directory of series]     default: tests/series; relative to the repository
set -euo pipefail
cd "$(dirname "$0")/../.."
source ci/campaigns/page.sh
series=${1:-tests/series}

detectors() { cargo run --release --locked --quiet -p perftest-conformance --bin detectors -- "$1" "$series"; }

detectors scores | show docs/evidence/change-points.md detectors
$writes || echo
detectors stability | show docs/evidence/change-points.md stability
