#!/usr/bin/env bash
# Checks that what is published compiles with the oldest versions of its dependencies that its manifests allow, by
# the oldest Rust. In a copy: the lock file of the repository stays as it is.
set -euo pipefail
cd "$(dirname "$0")/../.."

packages=(perftest-core perftest-macros perftest-analysis perftest-store perftest-process perftest-machine perftest
    cargo-perftest)
oldest=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)
if ! cargo +nightly --version >/dev/null 2>&1; then
    printf 'the oldest versions are found by nightly cargo: rustup toolchain install nightly --profile minimal\n' >&2
    exit 2
fi

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git ls-files -z --cached --others --exclude-standard -- Cargo.toml README.md 'LICENSE-*' docs/part-of-perftest.md \
    "${packages[@]}" | xargs -0 cp --parents --target-directory "$copy"
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}/minimal-versions
cd "$copy"
# Users get neither the other packages nor what tests depend on.
sed -i '/^    "\(examples\|tests\)/d' Cargo.toml
for manifest in */Cargo.toml; do
    awk '/^\[/ { is_of_tests = /^\[dev-dependencies/ } !is_of_tests' "$manifest" >kept
    mv kept "$manifest"
done
cargo +nightly generate-lockfile --quiet -Z direct-minimal-versions

fallen=()
for package in "${packages[@]}"; do
    cargo "+$oldest" check --quiet --locked --package "$package" || fallen+=("$package")
done
printf '| packages | failures |\n| ---: | ---: |\n| %d | %d |\n' "${#packages[@]}" "${#fallen[@]}"
[ ${#fallen[@]} = 0 ] || { printf 'do not compile: %s\n' "${fallen[*]}" && exit 1; }
