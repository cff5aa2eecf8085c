#!/usr/bin/env bash
# Checks each package that is published without features, with each feature alone, and with all of them together.
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
check() {
    tried=$((tried + 1))
    cargo check --quiet --locked "$@" || fallen+=("$*")
}
while read -r package names; do
    check --package "$package" --no-default-features
    for name in $names; do
        check --package "$package" --no-default-features --features "$name"
    done
    [ -z "$names" ] || check --package "$package" --all-features
done <<<"$features"
check --package perftest --package cargo-perftest --all-features

printf '| tries | failures |\n| ---: | ---: |\n| %d | %d |\n' "$tried" "${#fallen[@]}"
[ ${#fallen[@]} = 0 ] || { printf 'does not compile: %s\n' "${fallen[@]}" && exit 1; }
