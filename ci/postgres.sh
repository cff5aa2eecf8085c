#!/usr/bin/env bash
# Starts a real PostgreSQL for one run of the checks of `cargo-perftest/tests/remote`, and ends it.
#
#   ci/postgres.sh [argument of the test binary ..]
#
# The checks of every remote, and one that kills the server again and again.
set -euo pipefail
cd "$(dirname "$0")/.."
source ci/postgres-server.sh
trap end_postgres EXIT
start_postgres

# Kills the server as a power loss does, and starts it again as soon as its last process is gone.
cat >"$server/restart" <<RESTART
#!/usr/bin/env bash
cd "$server"
# Until the last process of the old server is gone, a new one does not start.
kill -9 "\$(head -n 1 "$server/data/postmaster.pid")"
for _ in \$(seq 100); do
    ! ${as_user[*]} "$programs/pg_ctl" --pgdata "$server/data" --silent --log "$server/log" --wait start >>"$server/restarts" 2>&1 || exit 0
    sleep 0.1
done
exit 1
RESTART
chmod +x "$server/restart"

export PERFTEST_TEST_POSTGRES=$address
export PERFTEST_TEST_POSTGRES_RESTART=$server/restart
tests=(cargo test --locked -p cargo-perftest --features postgres --test remote --)
"${tests[@]}" postgres "$@"
"${tests[@]}" --ignored a_server_that_is_killed_again_and_again
