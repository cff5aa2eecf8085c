#!/usr/bin/env bash
# Packages what is published, in the order of publishing, and looks into each package: its licences, its page on
# crates.io, its size, and nothing that only the repository needs.
#
#   ci/campaigns/package.sh               each package is built from what is in it, too
#   ci/campaigns/package.sh --short       only packaged
set -euo pipefail
cd "$(dirname "$0")/../.."

source ci/packages.sh
# crates.io takes no larger package.
most_kib=10240
licences=(LICENSE-MIT LICENSE-APACHE)

options=()
[ "${1:-}" != --short ] || options+=(--no-verify)
cargo package --quiet --locked --allow-dirty "${published[@]/#/--package=}" "${options[@]}"

fallen=0
printf '| package | files | KiB | failures |\n| --- | ---: | ---: | ---: |\n'
for package in "${published[@]}"; do
    file=$(ls -t "${CARGO_TARGET_DIR:-target}/package/$package"-[0-9]*.crate | head -n 1)
    inside=$(tar --list --file "$file" | sed 's|^[^/]*/||')
    manifest=$(tar --extract --to-stdout --file "$file" --wildcards '*/Cargo.toml')
    readme=$(sed -n 's/^readme = "\(.*\)"$/\1/p' <<<"$manifest")
    failures=()
    for name in "${readme:-README.md}" "${licences[@]}"; do
        grep -qxF "$name" <<<"$inside" || failures+=("no $name")
    done
    kib=$(($(stat -c %s "$file") / 1024))
    [ "$kib" -le $most_kib ] || failures+=("$kib KiB")
    # Manifests of packages have the versions of what is needed, and no paths.
    if grep -q '^path = "\.\./' <<<"$manifest"; then
        failures+=("a path out of the package")
    fi
    printf '| %s | %d | %d | %d |\n' "$package" "$(wc -l <<<"$inside")" "$kib" "${#failures[@]}"
    [ ${#failures[@]} = 0 ] || { printf '%s: %s\n' "$package" "${failures[*]}" >&2 && fallen=1; }
done
exit $fallen
