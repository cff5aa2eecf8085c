#!/usr/bin/env bash
# Starts a real ClickHouse for one run of the checks of `cargo-perftest/tests/remote`, and ends it.
#
#   ci/clickhouse.sh [--chdb] [argument of the test binary ..]
#
# The checks of every remote, those of a database, and one that kills the server again and again. The server is 18.16
# of Debian, with --chdb the newest engine.
set -euo pipefail
cd "$(dirname "$0")/.."
source ci/server.sh
source ci/clickhouse-server.sh

left_out=() kind=
if [ "${1:-}" = --chdb ]; then
    kind=$1
    shift
    left_out=(--skip password_is --skip password_comes --skip rights_of_the_page)
    echo 'not checked: passwords and rights, because this engine has no users'
fi
start_clickhouse $kind

export PERFTEST_TEST_CLICKHOUSE=$clickhouse_address
export PERFTEST_TEST_CLICKHOUSE_RESTART=$clickhouse/restart
database_tests --bin=cargo-perftest --ignored a_clickhouse_server_reads_every_literal
database_tests --test=remote clickhouse "${left_out[@]}" "$@"
database_tests --test=remote --ignored a_clickhouse_server_that_is_killed_again_and_again
