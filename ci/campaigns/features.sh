#!/usr/bin/env bash
# Checks each package that is published without features, with each feature alone, and with all of them together.
#
#   ci/campaigns/features.sh            all of them
#   ci/campaigns/features.sh --short    only without features
set -euo pipefail
cd "$(dirname "$0")/../.."

# A line for each package: its name and its features.
features=$(cargo metadata --locked --no-deps --format-version 1 | python3 -c '
import json, sys
for package in json.load(sys.stdin)["packages"]:
    if package["publish"] is None:
        print(package["name"], *sorted(set(package["features"]) - {"default"}))
')

tried=0
fallen=()
is_short=false
[ "${1:-}" != --short ] || is_short=true
check() {
    tried=$((tried + 1))
    cargo check --quiet --locked "$@" || fallen+=("$*")
}
while read -r package names; do
    check --package "$package" --no-default-features
    ! $is_short || continue
    for name in $names; do
        check --package "$package" --no-default-features --features "$name"
    done
    [ -z "$names" ] || check --package "$package" --all-features
done <<<"$features"
$is_short || check --package perftest --package cargo-perftest --all-features

printf '| tries | failures |\n| ---: | ---: |\n| %d | %d |\n' "$tried" "${#fallen[@]}"
[ ${#fallen[@]} = 0 ] || { printf 'does not compile: %s\n' "${fallen[@]}" && exit 1; }
