#!/usr/bin/env bash
# Prints what a developer waits for: packages with the same benchmarks for perftest, divan and criterion are built
# from nothing and after a change of one line, and suites of them, about five nanoseconds each, are run.
#
#   ci/campaigns/performance/builds.sh [functions [suites]]     1000 unless given; suites: without the table of builds
set -euo pipefail
cd "$(dirname "$0")/../../.."
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PERFTEST_STORE=$work/store XDG_RUNTIME_DIR=$work
unset CARGO_TARGET_DIR
turns=3
functions=${1:-1000}
what=${2:-all}

# The function below all benchmarks.
library() { # a number in it
    cat <<END
//! Work that no optimisation removes.
use std::hint::black_box;

/// Four steps that wait for each other, in a register.
pub fn work(first: u64) -> u64 {
    (0..4).fold(black_box(first), |value: u64, step| (value ^ step).wrapping_mul(0x9e37_79b1 + $1))
}
END
}

package() { # name, dependency, kind of target, its line above a function, last lines
    local directory=$work/$1 targets=tests number
    [ "$3" = test ] || targets=benches
    mkdir -p "$directory/src" "$directory/$targets"
    printf '[package]\nname = "suite"\nversion = "0.0.0"\nedition = "2024"\n[dev-dependencies]\n%s\n[[%s]]\nname = "suite"\nharness = false\n[workspace]\n' \
        "$2" "$3" >"$directory/Cargo.toml"
    library 5 >"$directory/src/lib.rs"
    for number in $(seq $functions); do
        printf '%s\nfn f%s%s' "$4" "$number" "$5" | sed "s/@/f$number/g"
    done >"$directory/$targets/suite.rs"
    printf '%s\n' "$6" >>"$directory/$targets/suite.rs"
}
body='() -> u64 { suite::work(std::hint::black_box(17)) }
'
package perftest "perftest.path = \"$root/perftest\"" test '#[perftest::perf_test]' "$body" 'perftest::main!();'
package divan 'divan = "0.1"' bench '#[divan::bench]' "$body" 'fn main() { divan::main() }'
# shellcheck disable=SC2016 # The names are of Rust.
package criterion 'criterion = "0.8"' bench '' '(c: &mut criterion::Criterion) { c.bench_function("@", |b| b.iter(|| suite::work(std::hint::black_box(17)))); }
' "criterion::criterion_group!(suite, $(seq -s, -f f%g $functions)); criterion::criterion_main!(suite);"

# Wall seconds and seconds of the processor.
timed() {
    local TIMEFORMAT='%R %U %S'
    { time "$@" >"$work/printed" 2>&1; } 2>&1 | awk '{ printf "%.2f %.2f\n", $1, $2 + $3 }'
}
middle() { # column
    sort -n -k "$1" | awk -v column="$1" '{ at[NR] = $column } END { print at[int((NR + 1) / 2)] }'
}
build() { # name, profile
    cd "$work/$1"
    case $1 in perftest) cargo test --no-run --offline --profile "$2" ;; *) cargo bench --no-run --offline --profile "$2" ;; esac
}

print_builds() {
    printf '| %s functions | profile | from nothing, s | of the processor, s | one line changed, s | of the processor, s |\n|---|---|--:|--:|--:|--:|\n' "$functions"
    for profile in dev release; do
        for name in perftest divan criterion; do
            (cd "$work/$name" && cargo fetch --quiet)
            cold=$(timed build "$name" "$profile")
            changed=$(for turn in $(seq $turns); do
                library "$turn" >"$work/$name/src/lib.rs"
                timed build "$name" "$profile"
            done)
            printf '| %s | %s | %s | %s | %s | %s |\n' "$name" "$profile" "${cold% *}" "${cold#* }" \
                "$(middle 1 <<<"$changed")" "$(middle 2 <<<"$changed")"
        done
    done
    echo
}
[ "$what" = suites ] || print_builds

suite() { # name, options of cargo
    cd "$work/$1"
    case $1 in perftest) cargo test --release --offline "${@:2}" ;; *) cargo bench --offline "${@:2}" ;; esac
}
row() { # what, seconds
    printf '| %s | %s | %s |\n' "$1" "${2% *}" "${2#* }"
}
printf '| the suite of %s | s | of the processor, s |\n|---|--:|--:|\n' "$functions"
export PERFTEST_LEARN=one-per-run
for name in perftest divan; do timed suite "$name" --no-run >/dev/null; done
# Assigned first: a suite that fails ends the script.
first=$(timed suite perftest)
row 'perftest, one run of five to learn' "$first"
for _ in 2 3 4 5; do timed suite perftest >/dev/null; done
judged=$(timed suite perftest)
row 'perftest, judged' "$judged"
# A run that other work disturbed does not count for the baseline, so some tests may still be learning.
ended=$(sed -n 's/^ *verdicts *\([^;]*\).*/\1/p' "$work/printed")
others=$(timed suite divan)
row divan "$others"
printf '\nHow the judged tests ended: %s.\n' "$ended"
