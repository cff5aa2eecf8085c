# shellcheck shell=bash
# To be sourced in the root of the repository by scripts that start a real server for the checks of
# `cargo-perftest/tests/remote`.
source ci/packages.sh

# Runs a function when the script ends.
at_exit() {
    ends+=("$1")
    trap 'for it in "${ends[@]}"; do "$it" || true; done' EXIT
}

# Puts a new directory into `work`. When the script ends, runs `stop_server` and deletes the directory.
begin_server_work() {
    work=$(mktemp -d)
    chmod 755 "$work"
    at_exit end_server_work
}

end_server_work() {
    stop_server || true
    rm -rf "$work"
}

# Puts a port into `port` at which nobody listens.
find_free_port() {
    port=$(python3 -c 'import socket; it = socket.socket(); it.bind(("127.0.0.1", 0)); print(it.getsockname()[1])')
}

# Runs tests of one target: --test=remote or --bin=cargo-perftest, as ci/test.sh builds them. Fails where none has
# passed: a name that no test has any more chooses none.
database_tests() {
    local target=$1
    shift
    cargo test --quiet "${packages[@]}" "$target" -- "$@" | awk '
        { print; fflush() }
        /^test result: .* [1-9][0-9]* passed;/ { passed = 1 }
        END { if (!passed) { print "no test has passed" >"/dev/stderr"; exit 1 } }'
}
