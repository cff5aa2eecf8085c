#!/usr/bin/env bash
# The test command: everything that must hold before a change is merged, in order of cost.
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n== %s (after %d s)\n' "$*" "$SECONDS"; }

step "tools"
bash ci/install-tools.sh

step "format"
cargo fmt --all --check

step "lints"
cargo clippy --workspace --all-targets --locked -- -D warnings

step "the oldest Rust, and other systems"
bash ci/portability.sh

step "documentation"
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked --quiet

step "tests: of the crates, and end to end in tiny projects under the real runners"
cargo test --workspace --exclude perftest-examples --locked

step "examples: their functions, and their perf tests as real perf tests"
bash ci/examples.sh

step "attacks: a few tries of each kind"
bash ci/campaigns/attack.sh --short

printf '\nall checks passed (after %d s)\n' "$SECONDS"
