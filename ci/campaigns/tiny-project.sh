# shellcheck shell=bash
# To be sourced in the root of perftest: plays a machine, and makes a repository whose one perf test works as long
# as src/lib.rs says.

# The root of perftest, and the directory of the machine, in which it makes `bin`. Puts the tool on the path, and
# leaves nothing of the environment that would tell of another machine.
play_machine() {
    local repository=$1 machine=$2 name
    source ci/tool.sh
    find_tool dev
    mkdir -p "$machine/bin"
    ln -s "$tool" "$machine/bin/cargo-perftest"
    PATH=$machine/bin:$PATH
    for name in $(compgen -e | grep -E '^(PERFTEST|NEXTEST|GITHUB_|GITLAB_|CI$|CI_)' || true); do unset "$name"; done
    # That of the end-to-end tests, whose dependencies are built the same way.
    export CARGO_TARGET_DIR=$repository/target/tmp/tiny-projects/target XDG_RUNTIME_DIR=$machine
    # No settings that a developer has for git.
    export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
    export GIT_AUTHOR_NAME=n GIT_AUTHOR_EMAIL=e GIT_COMMITTER_NAME=n GIT_COMMITTER_EMAIL=e
}

# The root of perftest, and the directory of the new repository.
make_tiny_project() {
    local repository=$1 project=$2
    mkdir -p "$project/src" "$project/tests" "$project/.cargo"
    cat >"$project/Cargo.toml" <<MANIFEST
[package]
name = "tiny"
version = "0.1.0"
edition = "2024"
[dev-dependencies]
perftest = { path = "$repository/perftest" }
[[test]]
name = "perf"
harness = false
[profile.release]
lto = "off"
[profile.release.package]
"*" = { opt-level = 1 }
# What only the compiler runs.
perftest-macros = { opt-level = 0 }
proc-macro2 = { opt-level = 0 }
quote = { opt-level = 0 }
syn = { opt-level = 0 }
[workspace]
MANIFEST
    cp "$repository/ci/campaigns/attack/crate/.cargo/config.toml" "$project/.cargo"
    cat >"$project/src/lib.rs" <<'LIBRARY'
/// Rounds of the work.
pub const ROUNDS: u64 = 1000;

/// Work that no optimisation removes.
pub fn work() -> u64 {
    (0..ROUNDS).fold(1, |sum, round| std::hint::black_box(sum ^ round).rotate_left(5))
}
LIBRARY
    cat >"$project/tests/perf.rs" <<'TESTS'
use perftest::perf_test;

#[perf_test]
fn steady() -> u64 {
    tiny::work()
}

perftest::main!();
TESTS
    cp "$repository/Cargo.lock" "$project"
    printf '/target\n' >"$project/.gitignore"
    git -C "$project" init --quiet --initial-branch=main
    # Without what only perftest itself needs.
    (cd "$project" && cargo metadata --offline --format-version 1 >/dev/null 2>&1)
    git -C "$project" add --all
    git -C "$project" commit --quiet --message "A project"
}

# The root of perftest, a new repository, and where it will be checked out: the tool's first build of the base
# there begins with the dependencies of the end-to-end tests. The repository is built where these are.
spare_dependencies() {
    local repository=$1 project=$2 checkout=$3 digest base
    digest=$(PYTHONPATH=$repository/ci/campaigns/attack python3 -B -c \
        'import by_hand, sys; print(by_hand.file_name(sys.argv[1])[-8:])' "$checkout")
    base=$XDG_CACHE_HOME/perftest/compare/${checkout##*/}-$digest/base
    [ ! -d "$base" ] || return 0
    (cd "$project" && cargo test --quiet --release --no-run)
    mkdir -p "$base/target"
    # Other tests build there: a file that is gone before it is copied is none of a dependency.
    cp -a "$CARGO_TARGET_DIR/release" "$base/target" || true
}
