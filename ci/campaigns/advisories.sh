#!/usr/bin/env bash
# Asks cargo-deny about the dependencies of all lock files: advisories of RustSec, versions that were taken back, and
# sources; of the workspace also licences, and requirements without a version. Run it before a release.
#
#   ci/campaigns/advisories.sh                    with the present database of RustSec
#   ci/campaigns/advisories.sh --offline          with the one that an earlier call fetched
#
# cargo-deny comes by `cargo install cargo-deny --locked`.
set -euo pipefail
cd "$(dirname "$0")/../.."

cargo deny --version >/dev/null 2>&1 || { echo 'Install it: cargo install cargo-deny --locked' >&2 && exit 1; }

failed=0
printf '| lock file | packages | answer |\n| --- | ---: | --- |\n'
while read -r lock; do
    answer=ok
    # The workspace alone is published.
    checks=(advisories sources)
    [ "$lock" != Cargo.lock ] || checks+=(bans licenses)
    cargo deny "$@" --locked --all-features --manifest-path "${lock%.lock}.toml" --config deny.toml \
        check --hide-inclusion-graph "${checks[@]}" >&2 || answer=FAILED
    [ $answer = ok ] || failed=1
    printf '| %s | %d | %s |\n' "$lock" "$(grep -c '^\[\[package\]\]' "$lock")" "$answer"
done < <(git ls-files 'Cargo.lock' '*/Cargo.lock')
exit $failed
