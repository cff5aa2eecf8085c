#!/usr/bin/env bash
# Starts a real PostgreSQL for one run of the checks of `cargo-perftest/tests/remote`, and ends it.
#
#   ci/postgres.sh [argument of the test binary ..]
#
# The checks of every remote, those of a database, and one that kills the server again and again.
#
# The server of Debian's package `postgresql` listens at a free port of this machine only. It refuses to run as
# root, so root starts it as the user `postgres`.
set -euo pipefail
cd "$(dirname "$0")/.."
source ci/server.sh

programs=$(pg_config --bindir 2>/dev/null || true)
for directory in /usr/lib/postgresql/*/bin; do
    [ -x "$programs/initdb" ] || programs=$directory
done
if [ ! -x "$programs/initdb" ]; then
    echo 'there is no PostgreSQL: ci/install-tools.sh installs it' >&2
    exit 1
fi

server() { (cd "$work" && "${as_user[@]}" "$programs/pg_ctl" --pgdata "$work/data" --silent "$@"); }
stop_server() { server --mode immediate stop; }
begin_server_work
as_user=()
if [ "$(id -u)" = 0 ]; then
    chown postgres "$work"
    as_user=(runuser -u postgres --)
fi

(cd "$work" && "${as_user[@]}" "$programs/initdb" --pgdata "$work/data" --auth trust --username owner --encoding UTF8 >/dev/null)
# One user needs a password.
sed -i '1i host all guarded 127.0.0.1/32 scram-sha-256' "$work/data/pg_hba.conf"
find_free_port
cat >>"$work/data/postgresql.conf" <<SETTINGS
listen_addresses = '127.0.0.1'
port = $port
unix_socket_directories = '$work'
SETTINGS
server --log "$work/log" --wait start
"$programs/psql" --quiet --host 127.0.0.1 --port "$port" --username owner postgres --command 'CREATE DATABASE perf' --command 'CREATE ROLE guarded LOGIN SUPERUSER'
"$programs/postgres" --version

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

export PERFTEST_TEST_POSTGRES=postgres://owner@127.0.0.1:$port/perf
export PERFTEST_TEST_POSTGRES_RESTART=$work/restart
database_tests --test=remote postgres "$@"
database_tests --test=remote --ignored a_postgres_server_that_is_killed_again_and_again
