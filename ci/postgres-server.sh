# shellcheck shell=bash
# To be sourced behind ci/server.sh: a real PostgreSQL for one script.
#
# The server of Debian's package `postgresql` listens at a free port of this machine only. It refuses to run as
# root, so root starts it as the user `postgres`.

server() { (cd "$work" && "${as_user[@]}" "$programs/pg_ctl" --pgdata "$work/data" --silent "$@"); }
stop_server() { server --mode immediate stop; }

# Starts the server in `work`. Puts its address into `address`, and the directory of its programs into `programs`.
start_postgres() {
    programs=$(pg_config --bindir 2>/dev/null || true)
    for directory in /usr/lib/postgresql/*/bin; do
        [ -x "$programs/initdb" ] || programs=$directory
    done
    if [ ! -x "$programs/initdb" ]; then
        echo 'there is no PostgreSQL: ci/install-tools.sh installs it' >&2
        return 1
    fi

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
    # shellcheck disable=SC2034 # whoever sources this uses it
    address=postgres://owner@127.0.0.1:$port/perf
}
