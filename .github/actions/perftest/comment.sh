#!/usr/bin/env bash
# Writes what `cargo perftest run --comment` left as a comment on a pull request. A comment that this script
# wrote before is changed, so a pull request has one, or one for each key. Where the tests left none, it no longer has the
# result of an earlier push. action.yml calls it;
# ci/campaigns/comments.sh runs it without GitHub.
#
# Variables: COMMENT (the file), COMMENT_KEY (one for each job that comments on the same pull request), PULL_REQUEST
# (its number), GITHUB_REPOSITORY, GH_TOKEN (may write to pull requests).
set -euo pipefail

key=${COMMENT_KEY:-}
if ! [[ $key =~ ^([A-Za-z0-9_.]+(-[A-Za-z0-9_.]+)*)?$ ]]; then
    echo "error: the key \`$key\` has other characters than letters, digits, \`_\`, \`.\` and single \`-\` between them" >&2
    exit 2
fi
# The first line is the same in every comment of this key, and no reader sees it.
marker="<!-- perftest${key:+ $key} -->"
body=$(mktemp)
trap 'rm -f "$body"' EXIT
echo "$marker" >"$body"
if [ -s "$COMMENT" ]; then
    tail -n +2 "$COMMENT" >>"$body"
else
    printf '### Performance tests: no result\n\nThose of commit %s did not run to their end: see the job.\n' \
        "$(git rev-parse --short=9 HEAD)" >>"$body"
fi

comments=repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments
# No person's comment is changed, whatever it begins with.
ours=".[] | select(.user.type == \"Bot\" and (.body | startswith(\"$marker\"))) | .id"
ids=$(gh api "$comments" --paginate --jq "$ours")
if [ -z "$ids" ]; then
    # Without a result only the one of an earlier push is changed.
    [ ! -s "$COMMENT" ] || gh api --silent --method POST "$comments" --field "body=@$body"
    exit
fi
oldest=${ids%%$'\n'*}
gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$oldest" --field "body=@$body"
# Two jobs at once can make several.
for id in ${ids#"$oldest"}; do
    gh api --silent --method DELETE "repos/$GITHUB_REPOSITORY/issues/comments/$id"
done
