#!/usr/bin/env bash
# Starts a real ClickHouse for one run of the checks of `cargo-perftest/tests/remote`, and ends it.
#
#   ci/clickhouse.sh [argument of the test binary ..]
#
# The checks of every remote, those of a database, and one that kills the server again and again.
#
# The server is that of Debian's package `clickhouse-server`, 18.16: the oldest that the tool knows. It listens at free
# ports of this machine only.
set -euo pipefail
cd "$(dirname "$0")/.."
source ci/server.sh

program=target/clickhouse-server/usr/sbin/clickhouse-server
if [ ! -x "$program" ]; then
    echo 'there is no ClickHouse: ci/install-tools.sh unpacks it' >&2
    exit 1
fi
stop_server() { [ ! -s "$work/pid" ] || kill -9 "$(cat "$work/pid")"; }
begin_server_work

find_free_port
tcp_port=$port
find_free_port
cat >"$work/config.xml" <<CONFIG
<yandex>
    <logger><level>warning</level><log>$work/log</log><errorlog>$work/errors</errorlog></logger>
    <listen_host>127.0.0.1</listen_host>
    <http_port>$port</http_port>
    <tcp_port>$tcp_port</tcp_port>
    <path>$work/data/</path>
    <tmp_path>$work/tmp/</tmp_path>
    <users_config>$work/users.xml</users_config>
    <default_profile>default</default_profile>
    <default_database>default</default_database>
    <mark_cache_size>67108864</mark_cache_size>
</yandex>
CONFIG
# The users of the page, and two of the checks.
user() {
    printf '<%s><password>%s</password><profile>%s</profile><quota>default</quota>' "$1" "$2" "$3"
    printf '<networks><ip>127.0.0.1</ip></networks></%s>\n' "$1"
}
cat >"$work/users.xml" <<USERS
<yandex>
    <profiles><default/><reader><readonly>1</readonly></reader></profiles>
    <quotas><default/></quotas>
    <users>$(user owner '' default) $(user writer '' default) $(user reader '' reader) $(user guarded r1ght default)</users>
</yandex>
USERS

# Kills the server as a power loss does, and starts it again.
cat >"$work/restart" <<RESTART
#!/usr/bin/env bash
[ ! -s "$work/pid" ] || kill -9 "\$(cat "$work/pid")"
for _ in \$(seq 100); do
    setsid "$PWD/$program" --config-file="$work/config.xml" >>"$work/starts" 2>&1 </dev/null &
    echo \$! >"$work/pid"
    while kill -0 \$! 2>/dev/null; do
        ! curl --silent --fail --max-time 5 "http://127.0.0.1:$port/" >/dev/null || exit 0
        sleep 0.05
    done
    sleep 0.1
done
exit 1
RESTART
chmod +x "$work/restart"
"$work/restart"
curl --silent "http://127.0.0.1:$port/?user=owner" --data "SELECT concat('ClickHouse ', version())"

export PERFTEST_TEST_CLICKHOUSE=clickhouse+http://owner@127.0.0.1:$port/default
export PERFTEST_TEST_CLICKHOUSE_RESTART=$work/restart
database_tests --bin=cargo-perftest --ignored a_clickhouse_server_reads_every_literal
database_tests --test=remote clickhouse "$@"
database_tests --test=remote --ignored a_clickhouse_server_that_is_killed_again_and_again
