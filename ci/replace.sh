#!/usr/bin/env bash
# Puts standard input between the two lines of a page that mark a part of it:
# `<!-- begin: PART -->` and `<!-- end: PART -->`.
#
#   ci/replace.sh PAGE PART <text
set -euo pipefail
page=$1
begin="<!-- begin: $2 -->"
end="<!-- end: $2 -->"
grep -qxF "$begin" "$page" && grep -qxF "$end" "$page" || {
    printf '%s lacks the lines %s and %s\n' "$page" "$begin" "$end" >&2
    exit 2
}
TABLE=$(cat)
export TABLE
awk -v begin="$begin" -v end="$end" '
    $0 == begin { print; print ""; print ENVIRON["TABLE"]; print ""; skips = 1 }
    $0 == end { skips = 0 }
    !skips { print }
' "$page" >"$page.new"
mv "$page.new" "$page"
