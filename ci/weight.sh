#!/usr/bin/env bash
# Prints what the dev-dependency costs: crates and CPU seconds of a cold build of an empty package that
# depends on it, beside divan and criterion, in the dev and in the release profile. Run it with nothing
# else running.
#
#   ci/weight.sh [--repetitions N] [--at-most RATIO]
#
# With --at-most it builds perftest and divan only, and fails where perftest takes more than RATIO times
# divan's CPU seconds: a ratio of the same run holds on any machine.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
repetitions=3
at_most=
while [ $# -gt 0 ]; do
    case $1 in
    --repetitions) repetitions=$2 && shift 2 ;;
    --at-most) at_most=$2 && shift 2 ;;
    *) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" && exit 2 ;;
    esac
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

package() { # name, dependency line
    mkdir -p "$work/$1/src"
    echo '' > "$work/$1/src/lib.rs"
    printf '[package]\nname = "weight-%s"\nversion = "0.0.0"\nedition = "2024"\n\n[dependencies]\n%s\n\n[workspace]\n' \
        "$1" "$2" > "$work/$1/Cargo.toml"
    (cd "$work/$1" && cargo fetch --quiet)
}

# CPU seconds (user and system) of one cold build.
cold_build() { # name, profile
    (
        cd "$work/$1"
        rm -rf target
        TIMEFORMAT='%U %S'
        { time cargo build --quiet --offline --profile "$2" 2>/dev/null; } 2>&1 | awk '{ printf "%.1f\n", $1 + $2 }'
    )
}

dependencies=(perftest divan)
package perftest "perftest = { path = \"$root/perftest\" }"
package divan 'divan = "0.1"'
if [ -z "$at_most" ]; then
    package criterion 'criterion = "0.8"'
    dependencies+=(criterion)
fi

printf '%-8s %-10s %8s %10s %10s %10s %10s\n' profile dependency crates min median max 'of divan'
is_too_much=
for profile in dev release; do
    declare -A medians=() rows=()
    for name in "${dependencies[@]}"; do
        crates=$(cd "$work/$name" && cargo tree --edges normal,build --prefix none --offline | sed 's/ (\*)$//' | sort -u | wc -l)
        runs=$(for _ in $(seq "$repetitions"); do cold_build "$name" "$profile"; done | sort -n)
        medians[$name]=$(sed -n "$(((repetitions + 1) / 2))p" <<<"$runs")
        rows[$name]=$(printf '%-8s %-10s %8s %10s %10s %10s' "$profile" "$name" "$((crates - 1))" \
            "$(head -n 1 <<<"$runs")" "${medians[$name]}" "$(tail -n 1 <<<"$runs")")
    done
    for name in "${dependencies[@]}"; do
        ratio=$(awk "BEGIN { printf \"%.2f\", ${medians[$name]} / ${medians[divan]} }")
        printf '%s %9sx\n' "${rows[$name]}" "$ratio"
        if [ "$name" = perftest ] && [ -n "$at_most" ] && awk "BEGIN { exit !($ratio > $at_most) }"; then
            is_too_much=yes
        fi
    done
done
echo "crates: all that are compiled, the dependency itself included; times: CPU seconds of $repetitions cold builds"
if [ -n "$is_too_much" ]; then
    echo "perftest takes more than $at_most times divan's CPU seconds to build" >&2
    exit 1
fi
