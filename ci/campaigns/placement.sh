#!/usr/bin/env bash
# Prints what a body of a few nanoseconds takes when its functions lie in other places: the same code in random
# orders of the linker, each judged against six runs of the order that the compiler chose. Run it with nothing else
# running.
#
#   ci/campaigns/placement.sh [ORDERS]     20 unless given
set -euo pipefail
cd "$(dirname "$0")/../.."
orders=${1:-20}
repository=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source ci/campaigns/tiny-project.sh
play_machine "$repository" "$work/machine"
export PERFTEST_STORE=$work/store
make_tiny_project "$repository" "$work/tiny"
cat >"$work/tiny/tests/perf.rs" <<'TESTS'
use perftest::{Bencher, black_box, perf_test};

/// The hash of Fowler, Noll and Vo, a round for each of eight bytes.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[perf_test]
fn nanoseconds(b: &mut Bencher) {
    let bytes = vec![7; 8];
    b.iter(|| hash(black_box(&bytes)));
}

perftest::main!();
TESTS
git -C "$work/tiny" commit --quiet --all --message "A body of a few nanoseconds"
cd "$work/tiny"
for _ in 1 2 3 4 5 6; do cargo test --quiet --release --test perf; done
cargo perftest relink nanoseconds --times "$orders"
