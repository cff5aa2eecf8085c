#!/usr/bin/env bash
# Builds perftest for 64-bit ARM on Debian on x86-64, and runs there, emulated by qemu, the unit tests of every crate,
# and the tests of the profiler with real samples. Prints what ran and what failed.
#
#   ci/campaigns/aarch64.sh                  both of them
#   ci/campaigns/aarch64.sh units samples    only these
#
# The compiler is Debian's `rustc-web` with the standard library of both systems, because rustup brings none to every
# machine. All is unpacked below target/aarch64; only the C compiler is installed. Needs root, also to let the kernel
# start programs of ARM.
set -euo pipefail
cd "$(dirname "$0")/../.."
chosen=("$@")
[ ${#chosen[@]} -gt 0 ] || chosen=(units samples)
is_chosen() { [[ " ${chosen[*]} " == *" $1 "* ]]; }

place=$PWD/target/aarch64
root=$place/root
apt=(-o APT::Architectures::=amd64 -o APT::Architectures::=arm64 -o "Dir::State::lists=$place/lists"
    -o "Dir::Cache=$place/cache" -o APT::Sandbox::User=root -q)

install_compiler() {
    local download=$place/download
    mkdir -p "$place/lists/partial" "$place/cache/archives/partial" "$download"
    if ! command -v aarch64-linux-gnu-gcc >/dev/null; then
        apt-get update -q
        apt-get install -q -y gcc-aarch64-linux-gnu libc6-dev-arm64-cross
    fi
    apt-get "${apt[@]}" update
    (
        cd "$download"
        apt-get "${apt[@]}" download rustc-web:amd64 libstd-rust-web-dev:amd64 libstd-rust-web-dev:arm64 \
            qemu-user-static:amd64
        # The compiler names its own library, and that one its LLVM.
        needed=$(dpkg -f libstd-rust-web-dev_*_amd64.deb Depends | grep -o 'libstd-rust-web-[0-9.]*' | head -1)
        apt-get "${apt[@]}" download "$needed:amd64"
        needed=$(dpkg -f "$needed"_*_amd64.deb Depends | grep -o 'libllvm[0-9]*' | head -1)
        apt-get "${apt[@]}" download "$needed:amd64"
        for package in *.deb; do dpkg -x "$package" "$root"; done
    )
    rm -r "$download"
}
[ -x "$root/usr/bin/rustc" ] || install_compiler

# The kernel starts a program of ARM by the emulator, which stays open (F): perftest starts such programs itself.
formats=/proc/sys/fs/binfmt_misc
if [ ! -e "$formats/perftest-aarch64" ]; then
    [ -e "$formats/register" ] || mount -t binfmt_misc none "$formats"
    magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
    mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
    printf '%s' ":perftest-aarch64:M::$magic:$mask:$root/usr/bin/qemu-aarch64-static:F" >"$formats/register"
    # Other tests on this machine should not find it.
    trap 'echo -1 >"$formats/perftest-aarch64"' EXIT
fi

export RUSTC=$root/usr/bin/rustc LD_LIBRARY_PATH=$root/usr/lib/x86_64-linux-gnu QEMU_LD_PREFIX=/usr/aarch64-linux-gnu
export CARGO_BUILD_TARGET=aarch64-unknown-linux-gnu CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
export CARGO_TARGET_DIR=$place/target CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=false
"$RUSTC" --version
source ci/packages.sh

failed=0
try() {
    local what=$1 code=0
    shift
    "$@" >"$place/log" 2>&1 || code=$?
    awk -v what="$what" '/^test result:/ { passed += $4; failed += $6; ignored += $8 }
        END { printf "%s: %d passed, %d failed, %d ignored\n", what, passed, failed, ignored }' "$place/log"
    if [ "$code" != 0 ]; then
        failed=1
        grep -E -A 12 'panicked at|^error' "$place/log" | head -n 150 >&2 || tail -n 40 "$place/log" >&2
    fi
}

crates=(-p perftest-core -p perftest-analysis -p perftest-machine -p perftest-store -p perftest-process
    -p perftest -p cargo-perftest)
if is_chosen units; then
    # Emulated, a program that is not there is started, and ends then: two tests of its message are left out.
    try "unit tests" cargo test --locked --no-fail-fast "${crates[@]}" --lib --bins -- \
        --skip what_cannot_be_started_is_named --skip a_missing_pmset_is_a_reason
fi
if is_chosen samples; then
    try "samples" cargo test --locked --no-fail-fast -p cargo-perftest --test sampler
fi
exit $failed
