#!/usr/bin/env bash
# Runs the performance tests of a CI job, and compares those without a history with the base of the change.
# action.yml calls it; ci/campaigns/workflow.sh runs it without a CI system.
#
# Variables: BUDGET (15m), SHARD (none), ARGUMENTS (none), COMMENT (no file for a comment).
set -euo pipefail

if [ -n "${GITHUB_BASE_REF:-}" ]; then
    # A pull request: where it left its target.
    base=$(git merge-base "origin/$GITHUB_BASE_REF" HEAD)
else
    # A push: the commit before. The first commit has none and is compared with itself.
    base=$(git rev-parse --verify --quiet HEAD^ || git rev-parse HEAD)
fi

arguments=(--bootstrap=ab --base "$base" --budget "${BUDGET:-15m}")
[ -z "${COMMENT:-}" ] || arguments+=(--comment "$COMMENT")
[ -z "${SHARD:-}" ] || arguments+=(--shard "$SHARD")
# Several words are several arguments.
# shellcheck disable=SC2206
arguments+=(${ARGUMENTS:-})
exec cargo perftest run "${arguments[@]}"
