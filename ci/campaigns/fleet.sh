#!/usr/bin/env bash
# Machines of one class that live for one job: each begins with an empty store and a fresh clone, pulls the
# history from a branch of the origin or from a shared directory, runs the test, and pushes its run. As soon as
# one has a baseline, three jobs in a row have to reach a verdict that rests on it. Exits with 1 unless they
# do, for each kind of remote. Runs that a busy machine disturbed do not count, so up to 15 jobs make the baseline.
#
#   ci/campaigns/fleet.sh [remote ..]
#
# remote: git and dir. CARGO_PERFTEST is a `cargo-perftest` that is already built.
set -euo pipefail
cd "$(dirname "$0")/../.."
repository=$PWD
remotes=("$@")
[ $# -gt 0 ] || remotes=(git dir)

# Always at the same place, so that nothing is built twice.
work=$repository/target/fleet
rm -rf "$work"
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT

source ci/campaigns/tiny-project.sh
play_machine "$repository" "$work"
export XDG_CACHE_HOME=$work/cache
export PERFTEST_STORE=$work/store PERFTEST_TESTBED=runner CI=true

# A job on a machine that has nothing but the remote. Prints the event of the test.
job() {
    local remote=$1
    rm -rf "$PERFTEST_STORE" "$work/clone"
    git clone --quiet "$work/origin.git" "$work/clone"
    cd "$work/clone"
    cargo perftest pull "$remote" >&2
    # A test that cannot be judged fails where `CI` is set.
    cargo test --quiet --release --test perf -- --format json 2>>"$work/log" >"$work/events" || true
    cargo perftest push "$remote" >&2
    cd "$repository"
    grep '"name":"steady"' "$work/events" | grep '"perftest":'
}

for kind in "${remotes[@]}"; do
    case $kind in
    git) remote=git:perftest-history ;;
    dir) remote=dir:$work/shared ;;
    *) printf 'there is no remote %s\n' "$kind" >&2 && exit 2 ;;
    esac
    printf '== %s\n' "$remote"
    rm -rf "$work/project" "$work/origin.git"
    make_tiny_project "$repository" "$work/project"
    git clone --quiet --bare "$work/project" "$work/origin.git"
    with_baseline=0
    for number in $(seq 18); do
        echo "$number" >>"$work/project/README.md"
        git -C "$work/project" add --all
        git -C "$work/project" commit --quiet --message "Change $number"
        git -C "$work/project" push --quiet "$work/origin.git" main
        event=$(job "$remote")
        verdict=$(grep -o '"verdict":"[a-z_]*"' <<<"$event" | head -n 1 | cut -d '"' -f 4)
        runs=$(grep -o '"baseline_runs":[0-9]*' <<<"$event" | head -n 1 | cut -d : -f 2 || true)
        printf 'machine %s: %s, baseline of %s runs\n' "$number" "$verdict" "${runs:-0}"
        if [ "$verdict" != no_baseline ] && [ "${runs:-0}" -ge 5 ]; then
            with_baseline=$((with_baseline + 1))
        elif [ "$with_baseline" -gt 0 ]; then
            printf 'FAILED: an empty machine has no verdict from the history of the others\n' >&2
            exit 1
        fi
        [ "$with_baseline" -lt 4 ] || continue 2
    done
    printf 'FAILED: %s machines made no baseline\n' "$number" >&2
    exit 1
done
