# shellcheck shell=bash
# To be sourced in the root of the repository.

# In a hook these name the repository of the hook, and git in a directory of a script would commit there. Without those of
# configuration, in which users list safe directories.
# shellcheck disable=SC2046 # names of variables
unset $(git rev-parse --local-env-vars | grep -v CONFIG)

# Puts into `tool` the `cargo-perftest` to run: CARGO_PERFTEST where that is set, and else one that is built in
# this profile (dev or release), with these arguments of cargo.
find_tool() {
    local profile=$1
    shift
    tool=${CARGO_PERFTEST:-}
    [ -z "$tool" ] || return 0
    cargo build --quiet --locked -p cargo-perftest --profile "$profile" "$@"
    tool=${CARGO_TARGET_DIR:-$PWD/target}/${profile/dev/debug}/cargo-perftest
}

# The executables in what cargo says with `--message-format json`.
executables() { sed -n 's/.*"executable":"\([^"]*\)".*/\1/p'; }

# The one executable that cargo builds with these arguments.
executable() { cargo "$@" -q --message-format json | executables | tail -n 1; }
