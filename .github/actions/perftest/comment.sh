#!/usr/bin/env bash
# Writes what `cargo perftest run --comment` left as a comment on a pull request. A comment that this script
# wrote before is changed, so a pull request has one. action.yml calls it; ci/campaigns/workflow.sh runs it
# without GitHub.
#
# Variables: COMMENT (the file), PULL_REQUEST (its number), GITHUB_REPOSITORY, GH_TOKEN (may write to pull
# requests).
set -euo pipefail

if [ ! -s "$COMMENT" ]; then
    echo "the tests did not run, so there is nothing to write on the pull request"
    exit
fi
# Its first line is the same in every comment, and no reader sees it.
marker=$(head -n 1 "$COMMENT")

comments=repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments
# No person's comment is changed, whatever it begins with.
ours=".[] | select(.user.type == \"Bot\" and (.body | startswith(\"$marker\"))) | .id"
ids=$(gh api "$comments" --paginate --jq "$ours")
if [ -n "$ids" ]; then
    # Of several, which two jobs at once can make, the oldest.
    gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/${ids%%$'\n'*}" --field "body=@$COMMENT"
else
    gh api --silent --method POST "$comments" --field "body=@$COMMENT"
fi
