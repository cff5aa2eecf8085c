#!/usr/bin/env bash
# What the tests need beyond cargo: nextest, because the harness is tested under the real one, and
# on Linux valgrind, which really counts instructions, and hyperfine, whose files are imported.
set -euo pipefail

if ! cargo nextest --version >/dev/null 2>&1; then
    cargo install cargo-nextest --locked
fi
cargo nextest --version | head -n 1

if [ "$(uname -s)" = Linux ]; then
    as_root=$([ "$(id -u)" = 0 ] || echo sudo)
    for tool in valgrind hyperfine; do
        if ! command -v "$tool" >/dev/null; then
            $as_root apt-get update --quiet
            $as_root apt-get install --quiet --yes "$tool"
        fi
        "$tool" --version
    done
fi
