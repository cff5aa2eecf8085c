#!/usr/bin/env bash
# Runs the code around every `unsafe` block under AddressSanitizer (with leaks), ThreadSanitizer and valgrind, and the
# parts that Miri can run under Miri where it is installed. Prints what ran, what failed, and what was skipped.
#
#   ci/campaigns/sanitizers.sh                     all of them
#   ci/campaigns/sanitizers.sh address thread      only these; the others are `valgrind` and `miri`
#   ci/campaigns/sanitizers.sh --short             only valgrind, over the unit tests of `perftest-machine`
#
# Two things run under each sanitizer: the unit tests of the crates with `unsafe` code, and of the one that talks to
# processes; and a project with tests for every such block, which are measured, found slower in fresh processes, and
# sampled by the profiler.
#
# The sanitizers are part of each toolchain, but only unlocked for its own bootstrap; its standard library is not
# instrumented. What follows from that is suppressed, each with its reason, below.
# CARGO_PERFTEST is a `cargo-perftest` that is already built.
set -euo pipefail
cd "$(dirname "$0")/../.."
repository=$PWD

crates=(-p perftest -p perftest-machine -p perftest-process)
# The exit code of a program with a report. No test of ours ends with it.
report_code=86

chosen=("$@")
[ ${#chosen[@]} -gt 0 ] || chosen=(address thread valgrind miri)
under_valgrind='perftest(_machine)?'
if [ "${chosen[0]}" = --short ]; then
    chosen=(valgrind)
    under_valgrind=perftest_machine
fi
is_chosen() { [[ " ${chosen[*]} " == *" $1 "* ]]; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
results=$work/results
failed=0
host=$(rustc -vV | sed -n 's/^host: //p')
places=${CARGO_TARGET_DIR:-$PWD/target}/sanitizers

# One row: what ran, under which tool, how many tests, the seconds of the processor, and the result.
row() { printf '| %s | %s | %s | %s | %s |\n' "$@" >>"$results"; }

# Runs a command and notes a row. Its result is that of the command and of the reports, wherever a process wrote one.
try() {
    local tool=$1 what=$2 code=0 result=ok spent tests TIMEFORMAT='%U %S'
    shift 2
    rm -f "$work"/report.*
    spent=$({ time "$@" >"$work/log" 2>&1; } 2>&1) || code=$?
    tests=$(sed -n 's/^test result: .* \([0-9]*\) passed; .*/\1/p' "$work/log" | paste -sd+ | bc)
    tests=${tests:-0}
    # Unit tests are chosen by name: one that no test has any more chooses none.
    if [ "$code" != 0 ] || grep -qs '^SUMMARY: ' "$work"/report.* || [[ $what == "unit tests"* && $tests = 0 ]]; then
        result=FAILED
        failed=1
        printf '\n%s: %s failed (exit %s, %s tests passed)\n' "$tool" "$what" "$code" "$tests" >&2
        cat "$work"/report.* 2>/dev/null | cut -c 1-200 | head -n 150 >&2 || true
        grep -E -A 40 'panicked at|^failures:|^error' "$work/log" | head -n 80 >&2 || tail -n 30 "$work/log" >&2
    fi
    row "$tool" "$what" "$tests" "$(awk '{ printf "%.0f", $1 + $2 }' <<<"$spent")" "$result"
}

skip() { row "$1" "$2" 0 0 "SKIPPED: $3"; }

# Sanitizers: what is compiled with one goes to a place of its own.
use_sanitizer() {
    export RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR=$places/$1 CARGO_BUILD_TARGET=$host
    # The standard library is linked as it is.
    export RUSTFLAGS="-Zsanitizer=$1 -Cunsafe-allow-abi-mismatch=sanitizer -Cforce-frame-pointers=yes"
    local common="exitcode=$report_code:log_path=$work/report:allocator_may_return_null=1"
    export ASAN_OPTIONS="$common:detect_leaks=1:detect_stack_use_after_return=1:suppressions=$work/address.supp"
    export LSAN_OPTIONS="suppressions=$work/leaks.supp:print_suppressions=0"
    export TSAN_OPTIONS="$common:suppressions=$work/thread.supp:second_deadlock_stack=1"
}

cat >"$work/address.supp" <<'SUPPRESSIONS'
# The sampler lets the kernel copy a whole stack into a file, with the red zones that the sanitizer puts between
# variables. Nothing in this process reads them. (No other code of ours calls it.)
interceptor_name:pwrite
SUPPRESSIONS
cat >"$work/leaks.supp" <<'SUPPRESSIONS'
# A signal handler may read the message of a test at any moment, so it is never freed: one short text for each test.
leak:perftest::measure::exit_message
# Registrations live as long as the program. Those of unit tests are made and leaked.
leak:perftest::registry::Descriptor
# Outputs of a batch that panics leak rather than be dropped twice: that is what this test is about.
leak:a_routine_that_panics_leaves_nothing_half_dropped
SUPPRESSIONS
cat >"$work/thread.supp" <<'SUPPRESSIONS'
# The sampler copies the stack of an interrupted thread, into which other threads may write meanwhile: a scope's
# results are there. What is copied is only searched for return addresses.
race:perftest::measure::sampler::pass::handler
# The rest is in the standard library and in the test runner, which are not instrumented: what orders their accesses is
# not seen. The last owner of an Arc orders by a fence, of which the sanitizer does not know.
race:alloc::sync::Arc<
# A thread and the handle to it share an Arc.
race:std::thread::lifecycle::
race:std::sys::thread_local::guard::
# Channels order by atomic numbers.
race:std::sync::mpmc::
race:std::sync::mpsc::
race:^test::
SUPPRESSIONS

unit_tests() {
    try "$1" "unit tests" cargo test --locked --quiet --no-fail-fast "${crates[@]}" --lib
}

# A session of the project may end in any verdict: this machine is slow now. Only a report of a sanitizer fails it.
session() {
    local code=0
    "$@" || code=$?
    case $code in
    0 | 1 | 3 | 4) ;;
    *) return "$code" ;;
    esac
}

measured_and_sampled() {
    local tool=$1 project=$work/project-$1
    make_tiny_project "$repository" "$project" >/dev/null
    cp ci/campaigns/sanitizers/perf.rs "$project/tests"
    export PERFTEST_STORE=$work/store-$1
    pushd "$project" >/dev/null
    try "$tool" "a project, built and measured" session cargo test --release --quiet --test perf
    try "$tool" "the same code, measured again" session cargo test --release --quiet --test perf
    sed -i 's/ROUNDS: u64 = 1000/ROUNDS: u64 = 2000/' src/lib.rs
    try "$tool" "slower code, in fresh processes" session cargo test --release --quiet --test perf
    try "$tool" "threads, sampled by wall time" \
        cargo perftest profile record threads_that_come_and_go --wall --time 2s --rate 997 --out "$work/wall"
    try "$tool" "threads, sampled by processor time" \
        cargo perftest profile record a_lock_of_two --cpu --time 2s --rate 997 --out "$work/cpu"
    popd >/dev/null
}

if is_chosen address || is_chosen thread; then
    source ci/campaigns/tiny-project.sh
    # In a process of its own, because the sanitizers' variables are only for what they run.
    machine=$work/machine
    mkdir -p -m 700 "$machine"
    play_machine "$repository" "$machine"
    for sanitizer in address thread; do
        is_chosen $sanitizer || continue
        name=${sanitizer^}Sanitizer
        use_sanitizer $sanitizer
        unit_tests "$name"
        measured_and_sampled "$name"
        unset RUSTC_BOOTSTRAP RUSTFLAGS CARGO_BUILD_TARGET CARGO_TARGET_DIR
    done
fi

# The unit tests of the modules with unsafe code, in the place of Miri, which cannot run system calls and assembly.
if is_chosen valgrind; then
    if command -v valgrind >/dev/null; then
        # Valgrind shows a processor of its own, runs one thread at a time, is slow, and starts even what cannot be
        # started.
        skipped=(
            --skip the_processor_and_the_kernel_agree_on_being_a_guest
            --skip a_routine_on_several_threads_keeps_all_kinds_of_core
            --skip an_author_who_measures_no_time_is_reported
            --skip what_cannot_be_started_is_named
        )
        source ci/packages.sh
        source ci/tool.sh
        cargo test --quiet "${packages[@]}" --lib --no-run --message-format json 2>/dev/null |
            executables | grep -E "/$under_valgrind-[^/]*$" >"$work/programs"
        while read -r program; do
            try "valgrind memcheck" "unit tests of $(basename "${program%-*}")" \
                valgrind --quiet --error-exitcode=$report_code --leak-check=no --fair-sched=try "$program" \
                --test-threads 1 "${skipped[@]}" clock:: measure:: cpuid:: probe:: linux::perf_event::
        done <"$work/programs"
    else
        skip "valgrind memcheck" "unit tests" "valgrind is not installed: bash ci/install-tools.sh"
    fi
fi

# What Miri can run: code without system calls and assembly.
if is_chosen miri; then
    if cargo +nightly miri --version >/dev/null 2>&1; then
        # One test leaks on purpose what a panic leaves behind; AddressSanitizer finds other leaks.
        MIRIFLAGS=-Zmiri-ignore-leaks CARGO_TARGET_DIR=$places/miri try Miri "unit tests of kept outputs and counted allocations" \
            cargo +nightly miri test --quiet -p perftest --lib -- measure::routine::tests measure::allocation
    else
        skip Miri "unit tests of kept outputs and counted allocations" \
            "rustup toolchain install nightly --component miri,rust-src"
    fi
fi

printf '| tool | what | tests | CPU s | result |\n| --- | --- | ---: | ---: | --- |\n'
cat "$results"
printf '%s\n' "$(rustc --version)"
exit $failed
