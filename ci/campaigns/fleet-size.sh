#!/usr/bin/env bash
# Loads histories of growing sizes into each kind of remote, and prints what a push, the pull of one job, a report, a
# search for changes and a ranking take there, beside a store with the same runs. Exits with 1 unless a remote answers
# as the store does.
#
#   ci/campaigns/fleet-size.sh [--short | --long] [--remotes dir,git,postgres,clickhouse]
#
# The sizes are 10^6 and 10^7 samples; --short takes 10^5, --long adds 10^8, which needs 40 GB in the directory for
# temporary files. CARGO_PERFTEST is a `cargo-perftest` with the features `postgres` and `clickhouse` that is already
# built. ClickHouse is 18.16; with CLICKHOUSE=--chdb it is the newest engine. Without a server of a database, choose
# other remotes.
set -euo pipefail
cd "$(dirname "$0")/../.."
source ci/tool.sh
source ci/server.sh
source ci/postgres-server.sh
source ci/clickhouse-server.sh
profile=release
[[ " $* " != *" --short "* ]] || profile=dev
find_tool "$profile" --features clickhouse,postgres
arguments=$*
# All kinds, unless some are named.
is_chosen() { [[ $arguments != *--remotes* || $arguments == *$1* ]]; }
if is_chosen postgres; then
    start_postgres
    export PERFTEST_CAMPAIGN_POSTGRES=$address PERFTEST_CAMPAIGN_POSTGRES_DATA=$work/data/base
fi
if is_chosen clickhouse; then
    start_clickhouse ${CLICKHOUSE:-}
    export PERFTEST_CAMPAIGN_CLICKHOUSE=$clickhouse_address PERFTEST_CAMPAIGN_CLICKHOUSE_DATA=$clickhouse/data
fi
PYTHONPATH=ci/campaigns/known_history python3 -B ci/campaigns/fleet_size/campaign.py "$@" "$tool"
