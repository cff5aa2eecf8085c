#!/usr/bin/env bash
# Checks a change in about two minutes: format, lints and tests of the crates that differ from a branch,
# committed or not, and of the crates that use them.
#
#   ci/test.sh --changed [BRANCH]    BRANCH is main unless given
#
# Left out, and part of ci/test.sh:
#   - tests that build packages or measure: those that .config/nextest.toml leaves out (run one with
#     `cargo test -p cargo-perftest --test compare`)
#   - the examples, the known histories, the attacks, and reports in a browser
#   - the oldest Rust, other systems and the documentation
# Of files outside of the crates only `tidy` is run, which reads the pages and the map.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "${1:-}" = --help ]; then
    sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"
    exit
fi

source ci/packages.sh
target=${CARGO_TARGET_DIR:-$PWD/target}

step() { printf '\n== %s (after %d s)\n' "$*" "$SECONDS"; }

# The package that a file belongs to: the name in the nearest manifest above it.
package_of() {
    local directory=$1
    while [ "$directory" != . ]; do
        directory=$(dirname "$directory")
        if [ -f "$directory/Cargo.toml" ]; then
            sed -n '/^\[package\]/,/^\[[^p]/s/^name = "\(.*\)"$/\1/p' "$directory/Cargo.toml"
            return
        fi
    done
}

branch=${1:-main}
base=$(git merge-base "$branch" HEAD)
# Of a file that was moved both packages have changed. Names with other letters stand as they are.
as_they_are=(-c core.quotePath=false)
files=$({ git "${as_they_are[@]}" diff --name-only --no-renames "$base" && git "${as_they_are[@]}" ls-files --others --exclude-standard; } | sort -u)
# In a hook these name its repository, which is not that of any test. Those of configuration list safe directories.
# shellcheck disable=SC2046 # names of variables
unset $(git rev-parse --local-env-vars | grep -v CONFIG)
members=$(cargo tree --workspace --depth 0 --prefix none --locked --offline | grep -o '^[^ ]*')
changed=$(while read -r file; do package_of "$file"; done <<<"$files" | sort -u | grep -xF "$members" || true)

tests='binary(tidy)'
for package in $changed; do tests+=" + rdeps(=$package)"; done
if grep -qxE 'Cargo\.(toml|lock)|clippy\.toml' <<<"$files"; then tests='all()'; fi

# Cargo builds and checks again what changed. All are named as in ci/test.sh: of fewer packages the dependencies have
# fewer features, and are built once more.
step "format"
cargo fmt --all --check

step "lints"
CARGO_TARGET_DIR=$target/checks cargo clippy --workspace --all-targets --features "$features" --locked -- -D warnings

step "tests: $tests"
cargo nextest run "${packages[@]}" --profile quick -E "$tests"

step "examples in doc comments"
cargo test "${packages[@]}" --doc --quiet

printf '\nthe change passed (after %d s); ci/test.sh has the rest\n' "$SECONDS"
