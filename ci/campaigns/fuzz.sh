#!/usr/bin/env bash
# Fuzzes the readers of what somebody else may have written, and prints tries and failures of each.
#
#   ci/campaigns/fuzz.sh                      60 seconds for each target
#   ci/campaigns/fuzz.sh 600 history tables   ten minutes for each of these two
#   ci/campaigns/fuzz.sh --short              kept inputs and changes of them, with stable Rust: part of the gate
#   SEED=7 ci/campaigns/fuzz.sh               what is random begins with another seed than 1
#
# An input that fails is in fuzz/artifacts. When the reader is mended, keep the input in fuzz/corpus: then the
# gate tries it each time. Inputs that reach more code are found again quickly: they stay in fuzz/target.
set -euo pipefail
cd "$(dirname "$0")/../.."

seed=${SEED:-1}
# More than any reader needs for an input of this size.
longest_input_bytes=65536
most_seconds=10
most_memory_mib=1024

if [ "${1:-}" = --short ]; then
    exec cargo test --quiet --locked -p perftest-fuzz-targets --test kept_inputs -- --nocapture
fi
seconds=60
if [[ "${1:-}" =~ ^[0-9]+$ ]]; then seconds=$1 && shift; fi

if ! cargo +nightly --version >/dev/null 2>&1; then
    printf 'a fuzzer needs the nightly compiler: rustup toolchain install nightly --profile minimal\n' >&2
    exit 2
fi
if ! cargo fuzz --version >/dev/null 2>&1; then
    printf 'cargo-fuzz is missing: cargo install cargo-fuzz --locked\n' >&2
    exit 2
fi

# Nothing here is unsafe, so that an address sanitizer would only take time.
# All targets are one file, of which cargo warns at length.
cargo +nightly fuzz build --sanitizer none 2> >(grep -v -e 'multiple build targets' -e '^  . `bin` target' >&2)
targets=("$@")
if [ ${#targets[@]} = 0 ]; then mapfile -t targets < <(cargo fuzz list); fi

work=$(mktemp -d /dev/shm/perftest-fuzz.XXXXXX 2>/dev/null || mktemp -d)
trap 'rm -rf "$work"' EXIT
programs=fuzz/target/$(rustc -vV | sed -n 's/^host: //p')/release
fallen=0
printf '| target | tries | failures | seconds |\n| --- | ---: | ---: | ---: |\n'
for target in "${targets[@]}"; do
    found=fuzz/target/corpus/$target
    failed=fuzz/artifacts/$target
    mkdir -p "$found" "$failed"
    before=$(find "$failed" -type f | wc -l)
    begin=$SECONDS
    TMPDIR=$work "$programs/$target" "$found" "fuzz/corpus/$target" \
        -seed="$seed" -max_total_time="$seconds" -max_len=$longest_input_bytes -timeout=$most_seconds \
        -rss_limit_mb=$most_memory_mib -artifact_prefix="$failed/" -print_final_stats=1 >"$work/log" 2>&1 || true
    tries=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/log")
    failures=$(($(find "$failed" -type f | wc -l) - before))
    # Without its last figures the fuzzer itself has failed.
    if [ -z "$tries" ] && [ "$failures" = 0 ]; then
        tail -n 20 "$work/log" >&2
        failures=1
    fi
    printf "| %s | %d | %d | %d |\n" "$target" "${tries:-0}" "$failures" "$((SECONDS - begin))"
    if [ "$failures" -gt 0 ]; then
        fallen=1
        grep -m 3 -A 2 -E 'panicked at|ERROR: libFuzzer' "$work/log" | cut -c 1-400 >&2 || true
    fi
done
printf 'seed %s\n' "$seed"
exit $fallen
