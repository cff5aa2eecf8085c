#!/usr/bin/env bash
# Checks that what is published compiles with the oldest versions of its dependencies that its manifests allow, by
# the oldest Rust. In a copy: the lock file of the repository stays as it is.
#
#   ci/campaigns/minimal-versions.sh            each package
#   ci/campaigns/minimal-versions.sh --short    only the harness, which every user compiles
set -euo pipefail
cd "$(dirname "$0")/../.."

source ci/packages.sh
oldest=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)
checked=("${published[@]}")
[ "${1:-}" != --short ] || checked=(perftest)
if ! rustup toolchain install "$oldest" --profile minimal >/dev/null 2>&1; then
    printf 'SKIPPED: rust %s cannot be installed here\n' "$oldest"
    exit
fi

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git ls-files -z --cached --others --exclude-standard -- Cargo.toml README.md 'LICENSE-*' docs/part-of-perftest.md \
    "${published[@]}" | xargs -0 cp --parents --target-directory "$copy"
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}/minimal-versions
cd "$copy"
# Users get neither the other packages nor what tests depend on.
sed -i '/^    "\(examples\|tests\)/d' Cargo.toml
for manifest in */Cargo.toml; do
    awk '/^\[/ { is_of_tests = /^\[dev-dependencies/ } !is_of_tests' "$manifest" >kept
    mv kept "$manifest"
done
# The option is one of nightly cargo, which any cargo takes like this.
RUSTC_BOOTSTRAP=1 cargo generate-lockfile --quiet -Z direct-minimal-versions

fallen=()
for package in "${checked[@]}"; do
    cargo "+$oldest" check --quiet --locked --package "$package" || fallen+=("$package")
done
printf '| packages | failures |\n| ---: | ---: |\n| %d | %d |\n' "${#checked[@]}" "${#fallen[@]}"
[ ${#fallen[@]} = 0 ] || { printf 'do not compile: %s\n' "${fallen[*]}" && exit 1; }
