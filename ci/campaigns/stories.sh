#!/usr/bin/env bash
# Runs the stories that build and measure tiny projects, with the long ones that ci/test.sh leaves out, and prints how
# many were tried and failed. Exits with 1 where one failed, or where none was tried.
#
#   ci/campaigns/stories.sh           all of them
#   ci/campaigns/stories.sh --long    only those that ci/test.sh leaves out
set -euo pipefail
cd "$(dirname "$0")/../.."

source ci/packages.sh
chosen=--include-ignored
[ "${1:-}" != --long ] || chosen=--ignored

output=$(mktemp)
trap 'rm -f "$output"' EXIT
code=0 table=
binaries=(end_to_end peers)
[ "$(uname -s)" != Linux ] || binaries+=(compare sampler)
for binary in "${binaries[@]}"; do
    cargo test "${packages[@]}" --test "$binary" -- "$chosen" 2>&1 | tee "$output" || code=1
    # "test result: ok. 242 passed; 0 failed; 0 ignored; .."
    counts=$(awk '/^test result:/ { passed += $4; failed += $6 } END { print passed + 0, failed + 0 }' "$output")
    read -r passed failed <<<"$counts"
    [ $((passed + failed)) -gt 0 ] || code=1
    table+=$(printf '| %s | %d | %d |' "$binary" $((passed + failed)) "$failed")$'\n'
done
printf '| stories | tries | failures |\n| --- | ---: | ---: |\n%s' "$table"
exit $code
