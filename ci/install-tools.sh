#!/usr/bin/env bash
# What the tests need beyond cargo: nextest, because the harness is tested under the real one, and
# on Linux valgrind, which really counts instructions.
set -euo pipefail

if ! cargo nextest --version >/dev/null 2>&1; then
    cargo install cargo-nextest --locked
fi
cargo nextest --version | head -n 1

if [ "$(uname -s)" = Linux ]; then
    if ! command -v valgrind >/dev/null; then
        as_root=$([ "$(id -u)" = 0 ] || echo sudo)
        $as_root apt-get update --quiet
        $as_root apt-get install --quiet --yes valgrind
    fi
    valgrind --version
fi
