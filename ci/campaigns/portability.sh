#!/usr/bin/env bash
# Checks that harness and tool compile with the oldest Rust they promise, and on other systems. What
# rustup cannot bring to this machine is skipped, and said so.
#
#   ci/campaigns/portability.sh            both of them
#   ci/campaigns/portability.sh --short    only the harness, which every user compiles
set -euo pipefail
cd "$(dirname "$0")/../.."

packages=(-p perftest)
[ "${1:-}" = --short ] || packages+=(-p cargo-perftest)
oldest=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)
systems="aarch64-unknown-linux-gnu aarch64-apple-darwin x86_64-pc-windows-msvc"

skip() { printf 'SKIPPED: %s\n' "$*"; }

if timeout 300 rustup toolchain install "$oldest" --profile minimal >/dev/null 2>&1; then
    printf 'rust %s\n' "$oldest"
    CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}/oldest cargo "+$oldest" check --quiet --locked "${packages[@]}"
else
    skip "rust $oldest cannot be installed here"
fi
targets=()
for system in $systems; do
    if timeout 300 rustup target add "$system" >/dev/null 2>&1; then
        printf '%s\n' "$system"
        targets+=(--target "$system")
    else
        skip "the standard library of $system cannot be installed here"
    fi
done
if [ ${#targets[@]} -gt 0 ]; then
    # Side by side, where the lints have built macros and build scripts already.
    cargo check --quiet --locked "${packages[@]}" "${targets[@]}"
fi
