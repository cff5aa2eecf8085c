#!/usr/bin/env bash
# Runs the checks of `cargo-perftest/tests/remote` for each kind of remote, with real servers, and prints how many
# passed. Exits with 1 unless all do.
#
#   ci/remotes.sh [directory | git | postgres | clickhouse | chdb ..]
#
# clickhouse is version 18.16, chdb the newest engine.
set -euo pipefail
cd "$(dirname "$0")/.."
source ci/server.sh

remotes=("$@")
[ $# -gt 0 ] || remotes=(directory git postgres clickhouse chdb)

checks_of() {
    case $1 in
    directory | git) database_tests --test=remote "$1" ;;
    postgres) bash ci/postgres.sh ;;
    clickhouse) bash ci/clickhouse.sh ;;
    chdb) bash ci/clickhouse.sh --chdb ;;
    *) printf 'there is no remote %s\n' "$1" >&2 && return 2 ;;
    esac
}

# Adds a column up: "test result: ok. 32 passed; 0 failed; ..".
sum() { awk -v word="$1" '/^test result:/ { for (i = 2; i <= NF; i++) if ($i ~ "^" word) sum += $(i - 1) } END { print sum + 0 }' "$2"; }

work=$(mktemp -d)
running=()
# Ends what still runs, with its servers, and prints what it has printed.
end() {
    for at in "${!running[@]}"; do
        kill -- "-${running[at]}" 2>/dev/null || true
        cat "$work/${remotes[at]}"
    done
    rm -rf "$work"
}
trap end EXIT

code=0 table=
# At once, because most checks wait for a server, and each in a process group.
set -m
for remote in "${remotes[@]}"; do
    checks_of "$remote" >"$work/$remote" 2>&1 </dev/null &
    running+=("$!")
done
set +m
for at in "${!remotes[@]}"; do
    remote=${remotes[at]}
    printf '== %s\n' "$remote"
    wait "${running[at]}" || code=1
    unset "running[at]"
    cat "$work/$remote"
    table+=$(printf '%-12s %8s %8s' "$remote" "$(sum passed "$work/$remote")" "$(sum failed "$work/$remote")")$'\n'
done
printf '%-12s %8s %8s\n%s' remote passed failed "$table"
exit $code
