#!/usr/bin/env bash
# What the tests need beyond cargo: nextest, because the harness is tested under the real one.
set -euo pipefail

if ! cargo nextest --version >/dev/null 2>&1; then
    cargo install cargo-nextest --locked
fi
cargo nextest --version | head -n 1
