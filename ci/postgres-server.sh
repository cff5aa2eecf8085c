# shellcheck shell=bash
# To be sourced behind ci/server.sh: a real PostgreSQL for one script.
#
# The server of Debian's package `postgresql` listens at a free port of this machine only. It refuses to run as
# root, so root starts it as the user `postgres`.

server() { (cd "$work" && "${as_user[@]}" "$programs/pg_ctl" --pgdata "$work/data" --silent "$@"); }
stop_server() { server --mode immediate stop; }

# Makes certificates in `work/tls`: of an authority, of the server by that one, and of another authority.
make_certificates() {
    local tls=$work/tls name
    local new_key=(-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes)
    mkdir "$tls"
    for name in authority other; do
        openssl req -x509 "${new_key[@]}" -days 2 -subj "/CN=$name" -keyout "$tls/$name.key" -out "$tls/$name.pem"
    done
    openssl req "${new_key[@]}" -subj /CN=server -keyout "$tls/server.key" -out "$tls/server.csr"
    echo 'subjectAltName = IP:127.0.0.1' >"$tls/names"
    openssl x509 -req -in "$tls/server.csr" -CA "$tls/authority.pem" -CAkey "$tls/authority.key" -CAcreateserial \
        -days 2 -extfile "$tls/names" -out "$tls/server.pem"
    chmod 600 "$tls/server.key"
    [ "$(id -u)" != 0 ] || chown postgres "$tls/server.key"
}

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
    # One user needs a password, and one needs TLS, too.
    sed -i -e '1i host all guarded 127.0.0.1/32 scram-sha-256' \
        -e '1i hostssl all encrypted all scram-sha-256' \
        -e '1i host all encrypted all reject' "$work/data/pg_hba.conf"
    make_certificates 2>"$work/certificates"
    find_free_port
    cat >>"$work/data/postgresql.conf" <<SETTINGS
listen_addresses = '127.0.0.1'
port = $port
unix_socket_directories = '$work'
ssl = on
ssl_cert_file = '$work/tls/server.pem'
ssl_key_file = '$work/tls/server.key'
SETTINGS
    server --log "$work/log" --wait start
    "$programs/psql" --quiet --host 127.0.0.1 --port "$port" --username owner postgres --command 'CREATE DATABASE perf' --command 'CREATE ROLE guarded LOGIN SUPERUSER' --command "CREATE ROLE encrypted LOGIN SUPERUSER PASSWORD 'r1ght'"
    "$programs/postgres" --version
    # shellcheck disable=SC2034 # whoever sources this uses it
    address=postgres://owner@127.0.0.1:$port/perf
}
