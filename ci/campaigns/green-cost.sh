#!/usr/bin/env bash
# Prints what a decision costs: the wall time of a whole process until it has answered for one function,
# under perftest (a green, beside a history) and under divan, in turn; the same in an executable that was
# padded to 200 MB, each test in a process of its own as nextest starts it; and in an executable that was
# just built, which is hashed, and kept once it was good. Medians, ranges and ratios; ratios are what can
# be compared between machines, and those of processor time hardly change beside other work.
#
#   ci/campaigns/green-cost.sh [turns]
#
# turns: 41
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
source ci/tool.sh
turns=${1:-41}
home="$root/target/green-cost"
project="$home/project"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir -p "$project/src" "$project/tests" "$project/benches"
# Nothing that compresses, so that a kept executable is as large as it can be.
padding_bytes=$((190 << 20))
[ "$(stat -c %s "$project/padding" 2>/dev/null)" = "$padding_bytes" ] ||
    head -c "$padding_bytes" /dev/urandom >"$project/padding"

cat >"$project/Cargo.toml" <<END
[package]
name = "green-cost"
version = "0.0.0"
edition = "2024"

[features]
padded = []

[dev-dependencies]
divan = "0.1"
perftest.path = "$root/perftest"

[[test]]
name = "by_perftest"
harness = false

[[bench]]
name = "by_divan"
harness = false

[profile.release]
debug = "line-tables-only"

[workspace]
END
printf '/target\n/padding\n' >"$project/.gitignore"
cat >"$project/src/lib.rs" <<'END'
//! The functions that both harnesses measure.

/// Some microseconds.
pub fn parse() -> u64 {
    const LINE: &str = "17 4 2003 99 12 65535 1 0 31 8080 443 22 25 110 143 993";
    let text = std::hint::black_box(LINE);
    (0..8).map(|_| text.split(' ').filter_map(|it| it.parse::<u64>().ok()).sum::<u64>()).sum()
}

/// Some tens of microseconds.
pub fn sort() -> Vec<u64> {
    let mut state = std::hint::black_box(1_u64);
    let mut values: Vec<u64> = (0..2_000)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        })
        .collect();
    values.sort_unstable();
    values
}
END
cat >"$project/tests/by_perftest.rs" <<'END'
#[perftest::perf_test]
fn parse() -> u64 {
    green_cost::parse()
}

#[perftest::perf_test]
fn sort() -> Vec<u64> {
    green_cost::sort()
}

#[cfg(feature = "padded")]
#[used]
static PADDING: &[u8] = include_bytes!("../padding");

perftest::main!();
END
cat >"$project/benches/by_divan.rs" <<'END'
#[divan::bench]
fn parse() -> u64 {
    green_cost::parse()
}

#[divan::bench]
fn sort() -> Vec<u64> {
    green_cost::sort()
}

fn main() {
    divan::main();
}
END
cd "$project"
[ -d .git ] || git init -q -b main
git add -A
git diff --cached --quiet ||
    git -c user.name=campaign -c user.email=campaign@example.org commit -q -m "The functions"

export RUSTFLAGS="-Cllvm-args=-align-all-functions=6"
divan=$(executable bench --no-run --bench by_divan)
usual=$(executable test --release --no-run --test by_perftest)
cp "$usual" "$home/usual"
padded=$(executable test --release --no-run --test by_perftest --features padded)
cp "$padded" "$home/padded"
export CARGO_MANIFEST_DIR="$project"
python3 -B "$root/ci/campaigns/green_cost.py" "$turns" "$work" "$divan" "$home/usual" "$home/padded"
