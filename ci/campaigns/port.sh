#!/usr/bin/env bash
# Runs the benchmarks of base64 as they are written for criterion, for divan and for perftest
# (peers/port), and prints how many lines each needs: the table of docs/evidence/peers.md. Lines are those of
# the formatted file without blank lines and comments.
#
#   ci/campaigns/port.sh [--write]
#
# --write puts the table into docs/evidence/peers.md instead of printing it.
set -euo pipefail
cd "$(dirname "$0")/../.."
source ci/campaigns/page.sh
source ci/campaigns/live.sh
export CRITERION_HOME="$work/criterion"
functions=10
sizes=5

run() { # subcommand, its arguments
    local subcommand=$1
    shift
    cargo "$subcommand" --manifest-path peers/Cargo.toml -p peer-port --locked -q "$@"
}

# A line of the table; fails where not every benchmark was measured: harness, file, how many were.
row() {
    if [ "$3" != $((functions * sizes)) ]; then
        printf '%s measured %s benchmarks and not %s\n' "$1" "$3" $((functions * sizes)) >&2
        exit 1
    fi
    printf '| %s | `%s` | %s | %s |\n' "$1" "$2" "$(grep -vcE '^\s*(//.*)?$' "$2")" "$3"
}

# What each harness prints of each size.
measured_by_criterion() { run bench --bench for_criterion -- --quick --noplot | grep -c 'time: '; }
measured_by_divan() { run bench --bench for_divan | grep -cE '─ [0-9]+ +[0-9.]+ (ps|ns|µs) '; }
measured_by_perftest() {
    run test --release --test for_perftest -- -Z unstable-options --format json |
        grep -c '"event":"ok".*"type":"test"'
}

rustfmt --check --edition 2024 peers/port/*/for_*.rs
{
    printf '| harness | file | lines of code | benchmarks measured |\n| --- | --- | ---: | ---: |\n'
    row criterion peers/port/benches/for_criterion.rs "$(measured_by_criterion)"
    row divan peers/port/benches/for_divan.rs "$(measured_by_divan)"
    row perftest peers/port/tests/for_perftest.rs "$(measured_by_perftest)"
} >"$work/table"
show docs/evidence/peers.md port <"$work/table"
