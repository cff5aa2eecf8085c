#!/usr/bin/env bash
# Starts a real PostgreSQL for one run of the checks of `cargo-perftest/tests/remote`, and ends it.
#
#   ci/postgres.sh [argument of the test binary ..]
#
# The checks of every remote, those of a database, and one that kills the server again and again.
set -euo pipefail
cd "$(dirname "$0")/.."
source ci/server.sh
source ci/postgres-server.sh

start_postgres

# Kills the server as a power loss does, and starts it again as soon as its last process is gone.
cat >"$work/restart" <<RESTART
#!/usr/bin/env bash
cd "$work"
# Until the last process of the old server is gone, a new one does not start.
kill -9 "\$(head -n 1 "$work/data/postmaster.pid")"
for _ in \$(seq 100); do
    ! ${as_user[*]} "$programs/pg_ctl" --pgdata "$work/data" --silent --log "$work/log" --wait start >>"$work/restarts" 2>&1 || exit 0
    sleep 0.1
done
exit 1
RESTART
chmod +x "$work/restart"

export PERFTEST_TEST_POSTGRES=$address
export PERFTEST_TEST_POSTGRES_CERTIFICATES=$work/tls
export PERFTEST_TEST_POSTGRES_RESTART=$work/restart
database_tests --test=remote postgres "$@"
database_tests --test=remote --ignored a_postgres_server_that_is_killed_again_and_again
