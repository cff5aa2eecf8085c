#!/usr/bin/env bash
# What the tests need beyond cargo: nextest, because the harness is tested under the real one, and
# on Linux valgrind, which really counts instructions, a browser, which opens reports, hyperfine,
# whose files are imported, shells in which the command is completed, xmllint and jsonschema for Python, which compare with
# schemas, and databases that are remotes.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! cargo nextest --version >/dev/null 2>&1; then
    cargo install cargo-nextest --locked
fi
cargo nextest --version | sed -n 1p

if [ "$(uname -s)" = Linux ]; then
    missing=()
    command -v valgrind >/dev/null || missing+=(valgrind)
    for tool in hyperfine zsh fish; do
        command -v "$tool" >/dev/null || missing+=("$tool")
    done
    command -v xmllint >/dev/null || missing+=(libxml2-utils)
    python3 -c 'import jsonschema' 2>/dev/null || missing+=(python3-jsonschema)
    compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || missing+=(postgresql)
    command -v openssl >/dev/null || missing+=(openssl)
    compgen -G '/usr/lib/*/libclickhouse.so.*' >/dev/null || missing+=(clickhouse-common)
    command -v chromedriver >/dev/null || missing+=(chromium chromium-driver)
    if [ "${#missing[@]}" -gt 0 ]; then
        as_root=$([ "$(id -u)" = 0 ] || echo sudo)
        $as_root apt-get update --quiet
        $as_root apt-get install --quiet --yes "${missing[@]}"
    fi
    # Unpacked only: installed, Debian starts it.
    if [ ! -d target/clickhouse-server ]; then
        mkdir -p target
        download=$(mktemp -d)
        (cd "$download" && apt-get download --quiet clickhouse-server)
        dpkg -x "$download"/clickhouse-server_*.deb "$download/unpacked"
        mv "$download/unpacked" target/clickhouse-server
        rm -r "$download"
    fi
    valgrind --version
    hyperfine --version
    chromedriver --version
fi
