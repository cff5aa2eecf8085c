#!/usr/bin/env bash
# Runs the steps of docs/guide/4-ci.md's workflow and of the composite action on this machine, in a tiny
# project from an empty checkout: a first job without a history, a second that is judged by it, and a pull
# request whose test is slower. Exits with 1 unless they end with 0, 0 and 1, with an annotation at the line
# of the test and one comment on the pull request.
#
#   ci/campaigns/workflow.sh [--short]
#
# Planted are +20%, and +60% with --short. A busy machine gives no verdict: the pull request is tried up to
# eight times. CARGO_PERFTEST is a `cargo-perftest` that is already built.
set -euo pipefail
cd "$(dirname "$0")/../.."
repository=$PWD
percent=20
[ "${1:-}" != --short ] || percent=60

# Always at the same place, so that nothing is built twice.
built=$repository/target/workflow
work=$built/work
rm -rf "$work"
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT

source ci/campaigns/tiny-project.sh
play_machine "$repository" "$work"
export XDG_CACHE_HOME=$built/cache
export PERFTEST_STORE=$work/runner/perftest PERFTEST_TESTBED=ubuntu-24.04
export CI=true GITHUB_ACTIONS=true GITHUB_EVENT_NAME=push GITHUB_REF=refs/heads/main
export GITHUB_DEFAULT_BRANCH=main GITHUB_REF_NAME=main GITHUB_BASE_REF=
export GITHUB_STEP_SUMMARY=$work/summary.md

# The step of the page, word by word.
sed -n '/name: measure and judge/,/^      - if/p' docs/guide/4-ci.md | sed -n 's/^ \{10\}//p' >"$work/step.sh"
grep -q 'cargo perftest run' "$work/step.sh"

make_tiny_project "$repository" "$work/origin"
spare_dependencies "$repository" "$work/origin" "$work/checkout"
cd "$work/origin"

# A job: its name, the branch that it checks out, the script of its step.
job() {
    local name=$1 branch=$2 step=$3 code=0
    rm -rf "$work/checkout"
    git clone --quiet --branch "$branch" "$work/origin" "$work/checkout"
    cd "$work/checkout"
    # Restored: the newest history that main saved.
    rm -rf "$PERFTEST_STORE"
    mkdir -p "$work/runner"
    [ ! -d "$work/cache" ] || cp -a "$work/cache" "$PERFTEST_STORE"
    bash "$step" >"$work/$name.out" 2>"$work/$name.err" || code=$?
    # Saved: by main alone.
    if [ "$GITHUB_REF" = refs/heads/main ] && [ -d "$PERFTEST_STORE" ]; then
        rm -rf "$work/cache"
        cp -a "$PERFTEST_STORE" "$work/cache"
    fi
    cd "$work/origin"
    return "$code"
}

failed() {
    printf 'FAILED: %s\n' "$1" >&2
    tail -n 40 "$work/$2.out" "$work/$2.err" >&2
    exit 1
}

job first main "$work/step.sh" || failed "the first job ended with $?" first
printf 'first job, without a history: 0\n'

echo >>README.md
git add --all
git commit --quiet --message "A change that is no code"
job second main "$repository/.github/actions/perftest/run.sh" || failed "the second job ended with $?" second
grep -q 'steady' "$work/second.out" || failed "the second job did not run the test" second
printf 'second job, with the history of the first: 0\n'

git checkout --quiet -b slower
sed -i "s/ROUNDS: u64 = 1000/ROUNDS: u64 = $((1000 + 10 * percent))/" src/lib.rs
git commit --quiet --all --message "Slower"
export GITHUB_EVENT_NAME=pull_request GITHUB_REF=refs/pull/1/merge GITHUB_BASE_REF=main GITHUB_HEAD_REF=slower
export GITHUB_REF_NAME=1/merge
export COMMENT=$work/comment.md
sed '$ s|$| --comment "$COMMENT"|' "$work/step.sh" >"$work/commented.sh"
for pause in 0 1 2 4 8 15 15 15; do
    code=0
    job request slower "$work/commented.sh" || code=$?
    [ "$code" != 1 ] || break
    printf 'the pull request ended with %s, tried again after %s s\n' "$code" "$pause" >&2
    sleep "$pause"
done
[ "$code" = 1 ] || failed "a pull request that is $percent% slower ended with $code" request
printf 'pull request, %s%% slower: 1\n' "$percent"

# GitHub shows it at the line of the test.
line=$(grep -n 'fn steady' tests/perf.rs | cut -d : -f 1)
cat "$work/request.out" "$work/request.err" >"$work/request"
grep -qE "^::error file=tests/perf.rs,line=($line|$((line - 1)))::.*slower" "$work/request" ||
    failed "no annotation points at line $line of tests/perf.rs" request
printf 'annotation: %s\n' "$(grep -m 1 '^::error' "$work/request")"

[ -z "$(find "$work/cache" -newer "$work/request.out" -type f)" ] || failed "the pull request wrote the cache" request

grep -q '❌.*steady.*slower' "$COMMENT" || failed "the comment does not name the red" request
bash "$repository/ci/campaigns/comments.sh" "$COMMENT" || failed "no comment on the pull request" request
