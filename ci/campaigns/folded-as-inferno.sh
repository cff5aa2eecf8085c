#!/usr/bin/env bash
# Compares our folded stacks with those of inferno on the same `perf script` text, or writes what inferno printed
# beside the texts in cargo-perftest/tests/profile/files. Inferno comes from crates.io into target/: its licence
# (CDDL-1.0) is none of ours, so no crate here depends on it.
#
#   ci/campaigns/folded-as-inferno.sh [--write] [TEXT ...]
set -euo pipefail
cd "$(dirname "$0")/../.."
source ci/campaigns/page.sh
source ci/tool.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

target=${CARGO_TARGET_DIR:-$PWD/target}
inferno=$target/inferno/bin/inferno-collapse-perf
[ -x "$inferno" ] || cargo install inferno --version 0.12.8 --locked --quiet --root "$target/inferno" \
    --no-default-features --features cli --bin inferno-collapse-perf

[ $# -gt 0 ] || set -- cargo-perftest/tests/profile/files/*.perf
$writes || find_tool dev
for text; do
    if $writes; then
        "$inferno" -q "$text" >"${text%.perf}.inferno"
        continue
    fi
    "$inferno" -q "$text" | LC_ALL=C sort >"$work/inferno"
    "$tool" perftest profile show "$text" --from perf --format folded 2>/dev/null |
        grep -v '^#' | LC_ALL=C sort >"$work/ours"
    diff "$work/inferno" "$work/ours"
    printf '%s: %d stacks are the same\n' "$text" "$(wc -l <"$work/ours")"
done
