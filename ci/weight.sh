#!/usr/bin/env bash
# Prints what the dev-dependency costs: crates and CPU seconds of a cold dev build of an empty
# package that depends on it, beside divan and criterion. Run it with nothing else running.
#
#   ci/weight.sh [repetitions]
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
repetitions=${1:-3}
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
cold_build() {
    (
        cd "$work/$1"
        rm -rf target
        TIMEFORMAT='%U %S'
        { time cargo build --quiet --offline 2>/dev/null; } 2>&1 | awk '{ printf "%.1f\n", $1 + $2 }'
    )
}

package perftest "perftest = { path = \"$root/perftest\" }"
package divan 'divan = "0.1"'
package criterion 'criterion = "0.8"'

printf '%-10s %8s %10s %10s %10s\n' dependency crates min median max
for name in perftest divan criterion; do
    crates=$(cd "$work/$name" && cargo tree --edges normal,build --prefix none --offline | sed 's/ (\*)$//' | sort -u | tail -n +1 | wc -l)
    runs=$(for _ in $(seq "$repetitions"); do cold_build "$name"; done | sort -n)
    printf '%-10s %8s %10s %10s %10s\n' "$name" "$((crates - 1))" \
        "$(head -n 1 <<<"$runs")" "$(sed -n "$(((repetitions + 1) / 2))p" <<<"$runs")" "$(tail -n 1 <<<"$runs")"
done
echo "crates: all that are compiled, the dependency itself included; times: CPU seconds of $repetitions cold dev builds"
