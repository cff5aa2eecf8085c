# shellcheck shell=bash
# To be sourced: a real PostgreSQL for one script.
#
# The server of Debian's package `postgresql` listens at a free port of this machine only. It refuses to run as
# root, so root starts it as the user `postgres`.

# Starts a server in a directory of its own. Puts its address into `address`, that directory into `server`, and the
# directory of its programs into `programs`.
start_postgres() {
    programs=$(pg_config --bindir 2>/dev/null || true)
    local directory
    for directory in /usr/lib/postgresql/*/bin; do
        [ -x "$programs/initdb" ] || programs=$directory
    done
    if [ ! -x "$programs/initdb" ]; then
        echo 'there is no PostgreSQL: ci/install-tools.sh installs it' >&2
        return 1
    fi
    server=$(mktemp -d)
    chmod 755 "$server"
    as_user=()
    if [ "$(id -u)" = 0 ]; then
        chown postgres "$server"
        as_user=(runuser -u postgres --)
    fi
    (cd "$server" && "${as_user[@]}" "$programs/initdb" --pgdata "$server/data" --auth trust --username owner --encoding UTF8 >/dev/null)
    local port
    port=$(python3 -c 'import socket; it = socket.socket(); it.bind(("127.0.0.1", 0)); print(it.getsockname()[1])')
    cat >>"$server/data/postgresql.conf" <<SETTINGS
listen_addresses = '127.0.0.1'
port = $port
unix_socket_directories = '$server'
SETTINGS
    control_postgres --log "$server/log" --wait start
    "$programs/psql" --quiet --host 127.0.0.1 --port "$port" --username owner postgres --command 'CREATE DATABASE perf'
    "$programs/postgres" --version
    # shellcheck disable=SC2034 # whoever sources this uses it
    address=postgres://owner@127.0.0.1:$port/perf
}

control_postgres() { (cd "$server" && "${as_user[@]}" "$programs/pg_ctl" --pgdata "$server/data" --silent "$@"); }

# Ends the server, if it was started.
end_postgres() {
    [ -n "${server:-}" ] || return 0
    control_postgres --mode immediate stop || true
    rm -rf "$server"
}
