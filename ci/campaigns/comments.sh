#!/usr/bin/env bash
# Runs comment.sh of the composite action on this machine, with the comments of one pull request as files. Exits with 1
# unless there is one comment for each key that each push changes, and those of persons stay.
#
#   ci/campaigns/comments.sh [FILE]
#
# FILE is what `cargo perftest run --comment` wrote.
set -euo pipefail
file=${1:+$(realpath "$1")}
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

export COMMENT=$work/comment.md COMMENTS=$work/comments GITHUB_REPOSITORY=owner/repository PULL_REQUEST=7
mkdir -p "$COMMENTS" "$work/bin"
if [ -n "$file" ]; then
    cp "$file" "$COMMENT"
else
    printf '%s\n' '<!-- perftest -->' '### Performance tests: 1 slower' >"$COMMENT"
fi
# Instead of GitHub.
cat >"$work/bin/gh" <<'GITHUB'
#!/usr/bin/env bash
set -euo pipefail
last=${!#}
case "$*" in
"api repos/owner/repository/issues/7/comments --paginate --jq "*)
    marker=$(sed -n 's/.*startswith("\(.*\)").*/\1/p' <<<"$last")
    cd "$COMMENTS"
    grep -lxF -- "${marker:?}" * || true
    ;;
"api --silent --method POST repos/owner/repository/issues/7/comments --field body=@"*)
    cp "${last#body=@}" "$COMMENTS/$(($(find "$COMMENTS" -type f | wc -l) + 1))"
    ;;
"api --silent --method PATCH repos/owner/repository/issues/comments/"*)
    id=$(sed -n 's|.*/comments/\([0-9]*\) .*|\1|p' <<<"$*")
    cp "${last#body=@}" "$COMMENTS/${id:?}"
    ;;
"api --silent --method DELETE repos/owner/repository/issues/comments/"*)
    rm "$COMMENTS/${last##*/}"
    ;;
*)
    echo "gh does not know: $*" >&2
    exit 1
    ;;
esac
GITHUB
chmod +x "$work/bin/gh"

failed() {
    printf 'FAILED: %s\n' "$1" >&2
    exit 1
}

# Writes the comment of a job with this key.
push() { COMMENT_KEY=$1 PATH=$work/bin:$PATH bash .github/actions/perftest/comment.sh; }

# Fails unless these comments are there.
are_there() { [ "$(cd "$COMMENTS" && echo *)" = "$1" ] || failed "$2: there are the comments $(cd "$COMMENTS" && echo *)"; }

# Fails unless a comment is what was written last, behind this marker.
is_new() {
    [ "$(head -n 1 "$COMMENTS/$1")" = "$2" ] || failed "comment $1 begins with $(head -n 1 "$COMMENTS/$1")"
    cmp <(tail -n +2 "$COMMENTS/$1") <(tail -n +2 "$COMMENT") || failed "comment $1 was not changed"
}

echo 'Is it slower?' >"$COMMENTS/1"
push ''
echo 'of before' >>"$COMMENTS/2"
push ''
are_there '1 2' 'after two pushes'
is_new 2 '<!-- perftest -->'
printf 'comment: one, changed by the second push\n'

push linux
push mac-os
echo 'of before' >>"$COMMENTS/3"
push linux
are_there '1 2 3 4' 'with two keys'
is_new 3 '<!-- perftest linux -->'
is_new 4 '<!-- perftest mac-os -->'
printf 'comments with a key: one for each\n'

cp "$COMMENTS/3" "$COMMENTS/5"
push linux
are_there '1 2 3 4' 'after two jobs at once'
printf 'a second comment of one key: deleted\n'

printf '%s\n' '<!-- perftest -->' '### Performance tests: no result' '' \
    "Those of commit $(git rev-parse --short=9 HEAD) did not run to their end: see the job." >"$work/no-result"
COMMENT=$work/none push linux
COMMENT=$work/none push windows
COMMENT=$work/no-result is_new 3 '<!-- perftest linux -->'
are_there '1 2 3 4' 'after tests that did not run'
push linux
is_new 3 '<!-- perftest linux -->'
printf 'tests that did not run: the result of the push before is gone\n'

[ "$(cat "$COMMENTS/1")" = 'Is it slower?' ] || failed 'the comment of a person was changed'
for key in 'a--b' '"' 'a b' '-->'; do
    ! push "$key" 2>/dev/null || failed "the key $key was accepted"
done
are_there '1 2 3 4' 'after keys that are refused'
