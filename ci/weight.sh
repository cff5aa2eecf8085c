#!/usr/bin/env bash
# Prints what the dev-dependency costs: crates and CPU seconds of a cold build of an empty package that
# depends on it, beside divan and criterion, in the dev and in the release profile. Run it with nothing
# else running.
#
#   ci/weight.sh [--repetitions N] [--profile dev | release] [--at-most RATIO]
#   ci/weight.sh --crates
#
# With --at-most it builds perftest and divan only, and fails where perftest takes more than RATIO times
# divan's CPU seconds: a ratio of the same run holds on any machine. RATIO is one number for both
# profiles, or DEV,RELEASE. Other work only adds to a build: where the ratio is above, it is of the fastest of
# up to four builds of each.
#
# With --crates it prints the CPU seconds of each crate of perftest, one cold build in each profile.
#
# All is built as cargo builds what comes from a registry: not incrementally, and without lints. The
# packages are built in turns, so that a machine that becomes slower is slower for each of them.
#
# The aim is 1.35 in both profiles. Runs gave 1.4 to 1.7 in dev, on the same commit, and 2.1 to 2.7 in release,
# by what a neighbour on the core did meanwhile; the gate allows 1.85 and 2.6 in the fastest of up to four builds.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
repetitions=3
at_most=
by_crate=
profiles=(dev release)
while [ $# -gt 0 ]; do
    case $1 in
    --repetitions) repetitions=$2 && shift 2 ;;
    --at-most) at_most=$2 && shift 2 ;;
    --profile) profiles=("$2") && shift 2 ;;
    --crates) by_crate=yes && shift ;;
    *) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" && exit 2 ;;
    esac
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CARGO_INCREMENTAL=0 RUSTFLAGS=--cap-lints=allow
unset CARGO_PROFILE_DEV_DEBUG

package() { # name, dependency line
    mkdir -p "$work/$1/src"
    echo '' > "$work/$1/src/lib.rs"
    printf '[package]\nname = "weight-%s"\nversion = "0.0.0"\nedition = "2024"\n\n[dependencies]\n%s\n\n[workspace]\n' \
        "$1" "$2" > "$work/$1/Cargo.toml"
    (cd "$work/$1" && cargo fetch --quiet)
}

# The smallest number of a file.
fastest() { sort -n "$1" | head -n 1; }

# Whether perftest takes too many of divan's CPU seconds.
is_above() { # profile, limit
    awk "BEGIN { exit !($(fastest "$work/perftest-$1") > $2 * $(fastest "$work/divan-$1")) }"
}

# CPU seconds (user and system) of one cold build.
cold_build() { # name, profile
    (
        cd "$work/$1"
        rm -rf target
        TIMEFORMAT='%U %S'
        { time cargo build --quiet --offline --profile "$2" 2>"$work/errors"; } 2>&1 |
            awk '{ printf "%.1f\n", $1 + $2 }' || { cat "$work/errors" >&2 && exit 1; }
    )
}

# The same by crate: a wrapper times each call of the compiler.
print_crates() { # profile
    cat > "$work/rustc" <<'END'
#!/usr/bin/env bash
name= before=
for argument in "$@"; do
    [ "$before" = --crate-name ] && name=$argument
    before=$argument
done
TIMEFORMAT="$name %U %S"
exec 3>&2
{ time "$@" 2>&3; } 2>>"$CRATES"
END
    chmod +x "$work/rustc"
    rm -f "$work/crates"
    RUSTC_WRAPPER="$work/rustc" CRATES="$work/crates" CARGO_BUILD_JOBS=1 cold_build perftest "$1" >/dev/null
    # Cargo also asks the compiler for its version, without a crate's name or with `___`.
    awk 'NF == 3 && $1 != "___" { s[$1] += $2 + $3 } END { for (it in s) printf "%6.2f  %s\n", s[it], it }' "$work/crates" | sort -rn
}

if [ -n "$by_crate" ]; then
    package perftest "perftest = { path = \"$root/perftest\" }"
    for profile in "${profiles[@]}"; do
        echo "$profile: CPU seconds by crate"
        print_crates "$profile"
    done
    exit
fi

dependencies=(perftest divan)
package perftest "perftest = { path = \"$root/perftest\" }"
package divan 'divan = "0.1"'
if [ -z "$at_most" ]; then
    package criterion 'criterion = "0.8"'
    dependencies+=(criterion)
fi

printf '%-8s %-10s %8s %10s %10s %10s %10s\n' profile dependency crates min median max 'of divan'
is_too_much=
for profile in "${profiles[@]}"; do
    [ "$profile" = dev ] && limit=${at_most%,*} || limit=${at_most#*,}
    builds=0
    while [ "$builds" -lt "$repetitions" ] || { [ -n "$at_most" ] && [ "$builds" -lt 4 ] && is_above "$profile" "$limit"; }; do
        for name in "${dependencies[@]}"; do
            cold_build "$name" "$profile" >> "$work/$name-$profile"
        done
        builds=$((builds + 1))
    done
    median_of_divan=$(sort -n "$work/divan-$profile" | sed -n "$(((builds + 1) / 2))p")
    for name in "${dependencies[@]}"; do
        crates=$(cd "$work/$name" && cargo tree --edges normal,build --prefix none --offline | sed 's/ (\*)$//' | sort -u | wc -l)
        runs=$(sort -n "$work/$name-$profile")
        median=$(sed -n "$(((builds + 1) / 2))p" <<<"$runs")
        ratio=$(awk "BEGIN { printf \"%.2f\", $median / $median_of_divan }")
        printf '%-8s %-10s %8s %10s %10s %10s %9sx\n' "$profile" "$name" "$((crates - 1))" \
            "$(head -n 1 <<<"$runs")" "$median" "$(tail -n 1 <<<"$runs")" "$ratio"
    done
    if [ -n "$at_most" ] && is_above "$profile" "$limit"; then
        is_too_much="$is_too_much $profile"
    fi
done
echo "crates: all that are compiled, the dependency itself included; times: CPU seconds of cold builds"
if [ -n "$is_too_much" ]; then
    echo "perftest takes too many of divan's CPU seconds to build (at most $at_most):$is_too_much" >&2
    exit 1
fi
