# shellcheck shell=bash
# To be sourced in the root of the repository, after ci/server.sh: a real ClickHouse for one script.
#
# The server is that of Debian's package `clickhouse-server`, 18.16: the oldest that the tool knows. With --chdb it is
# the newest engine, which the package `chdb-core` of PyPI has (560 MB, in target/chdb), behind `ci/chdb_server.py`.
# They listen at free ports of this machine only.

# Starts a server in a directory of its own, until the script ends. Puts its address into `clickhouse_address`, and that
# directory, where `restart` kills the server and starts it again, into `clickhouse`.
start_clickhouse() {
    local command
    clickhouse=$(mktemp -d)
    at_exit end_clickhouse
    find_free_port
    clickhouse_address=clickhouse+http://owner@127.0.0.1:$port/default
    if [ "${1:-}" = --chdb ]; then prepare_chdb; else prepare_debian; fi || return 1
    # As a power loss does.
    cat >"$clickhouse/restart" <<RESTART
#!/usr/bin/env bash
[ ! -s "$clickhouse/pid" ] || kill -9 "\$(cat "$clickhouse/pid")"
for _ in \$(seq 100); do
    setsid $command >>"$clickhouse/starts" 2>&1 </dev/null &
    echo \$! >"$clickhouse/pid"
    while kill -0 \$! 2>/dev/null; do
        ! curl --silent --fail --max-time 5 "http://127.0.0.1:$port/" >/dev/null || exit 0
        sleep 0.05
    done
    sleep 0.1
done
exit 1
RESTART
    chmod +x "$clickhouse/restart"
    "$clickhouse/restart"
    curl --silent "http://127.0.0.1:$port/?user=owner" --data "SELECT concat('ClickHouse ', version()) FORMAT TabSeparated"
}

end_clickhouse() {
    [ ! -s "$clickhouse/pid" ] || kill -9 "$(cat "$clickhouse/pid")" || true
    rm -rf "$clickhouse"
}

prepare_debian() {
    local http_port=$port program=$PWD/target/clickhouse-server/usr/sbin/clickhouse-server
    if [ ! -x "$program" ]; then
        echo 'there is no ClickHouse: ci/install-tools.sh unpacks it' >&2
        return 1
    fi
    find_free_port
    cat >"$clickhouse/config.xml" <<CONFIG
<yandex>
    <logger><level>warning</level><log>$clickhouse/log</log><errorlog>$clickhouse/errors</errorlog></logger>
    <listen_host>127.0.0.1</listen_host>
    <http_port>$http_port</http_port>
    <tcp_port>$port</tcp_port>
    <path>$clickhouse/data/</path>
    <tmp_path>$clickhouse/tmp/</tmp_path>
    <users_config>$clickhouse/users.xml</users_config>
    <default_profile>default</default_profile>
    <default_database>default</default_database>
    <mark_cache_size>67108864</mark_cache_size>
</yandex>
CONFIG
    cat >"$clickhouse/users.xml" <<USERS
<yandex>
    <profiles><default/></profiles>
    <quotas><default/></quotas>
    <users>$(user owner '') $(user guarded r1ght)</users>
</yandex>
USERS
    # The users of the page.
    mkdir "$clickhouse/users.d"
    sed -n '/^```xml$/,/^```$/{/^```/!p}' docs/reference/remotes.md >"$clickhouse/users.d/perftest.xml"
    port=$http_port
    command="$program --config-file=$clickhouse/config.xml"
}

user() {
    printf '<%s><password>%s</password><profile>default</profile><quota>default</quota>' "$1" "$2"
    printf '<networks><ip>127.0.0.1</ip></networks></%s>\n' "$1"
}

prepare_chdb() {
    if [ ! -x target/chdb/bin/python ]; then
        python3 -m venv target/chdb
        # Without what it needs for data frames.
        target/chdb/bin/pip install --quiet --no-deps chdb-core==26.9.0
    fi
    command="$PWD/target/chdb/bin/python $PWD/ci/chdb_server.py $port $clickhouse/data"
}
