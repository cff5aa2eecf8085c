#!/usr/bin/env bash
# Builds perftest for 64-bit ARM on Debian on x86-64. Runs the unit tests of every crate, emulated by qemu, and samples
# tests of known shares under a real kernel in an emulated machine. Prints what ran and what failed.
#
#   ci/campaigns/aarch64.sh                  both of them
#   ci/campaigns/aarch64.sh units samples    only these
#
# The compiler is Debian's `rustc-web` with the standard library of both systems, because rustup does not bring that of
# ARM to every machine. It is unpacked below target/aarch64; a C compiler, cpio and the emulated machine are installed,
# which needs root.
set -euo pipefail
cd "$(dirname "$0")/../.."
source ci/tool.sh
chosen=("$@")
[ ${#chosen[@]} -gt 0 ] || chosen=(units samples)
is_chosen() { [[ " ${chosen[*]} " == *" $1 "* ]]; }

place=$PWD/target/aarch64
root=$place/root      # programs of this machine, and ARM's standard library
system=$place/system  # what the emulated machine starts with
kernel=$place/kernel
apt=(-o APT::Architectures::=amd64 -o APT::Architectures::=arm64 -o "Dir::State::lists=$place/lists"
    -o "Dir::Cache=$place/cache" -o APT::Sandbox::User=root -qq)

# Prints the first package that a downloaded one depends on whose name matches.
needed_by() { dpkg -f "$1"_*.deb Depends | grep -o "$2" | head -1; }

install_all() {
    local download=$place/download library
    mkdir -p "$place/lists/partial" "$place/cache/archives/partial" "$download"
    apt-get update -qq
    apt-get install -qq --no-install-recommends gcc-aarch64-linux-gnu libc6-dev-arm64-cross cpio qemu-system-arm
    apt-get "${apt[@]}" update
    (
        cd "$download"
        get() { apt-get "${apt[@]}" download "$@"; }
        get rustc-web:amd64 libstd-rust-web-dev:arm64 qemu-user-static:amd64 linux-image-arm64:arm64
        get "$(needed_by linux-image-arm64 'linux-image-[0-9][^ ]*'):arm64"
        mkdir arm && mv libstd-rust-web-dev_* linux-image-* arm
        get libstd-rust-web-dev:amd64
        library=$(needed_by libstd-rust-web-dev 'libstd-rust-web-[0-9.]*')
        get "$library:amd64"
        get "$(needed_by "$library" 'libllvm[0-9]*'):amd64"
        for package in *.deb arm/libstd-*.deb; do dpkg -x "$package" "$root"; done
        for package in arm/linux-image-[0-9]*.deb; do dpkg -x "$package" "$kernel"; done
        rm -r ./*
        get busybox-static:arm64 libc6:arm64 libgcc-s1:arm64
        for package in *.deb; do dpkg -x "$package" "$system"; done
    )
    rm -r "$download"
    touch "$place/installed"
}
[ -e "$place/installed" ] || install_all >/dev/null

export RUSTC=$root/usr/bin/rustc LD_LIBRARY_PATH=$root/usr/lib/x86_64-linux-gnu
export CARGO_BUILD_TARGET=aarch64-unknown-linux-gnu CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="$root/usr/bin/qemu-aarch64-static -L /usr/aarch64-linux-gnu"
export CARGO_TARGET_DIR=$place/target CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=false
"$RUSTC" --version
failed=0

if is_chosen units; then
    crates=(-p perftest-core -p perftest-analysis -p perftest-machine -p perftest-store -p perftest-process
        -p perftest -p cargo-perftest)
    # Emulated, a program that is not there is started, and ends then: two tests of its message are left out.
    cargo test --locked --no-fail-fast "${crates[@]}" --lib --bins -- --skip what_cannot_be_started_is_named \
        --skip a_missing_pmset_is_a_reason >"$place/log" 2>&1 || failed=1
    awk '/^test result:/ { passed += $4; failed += $6; ignored += $8 }
        END { printf "unit tests: %d passed, %d failed, %d ignored\n", passed, failed, ignored }' "$place/log"
    [ $failed = 0 ] || grep -E -A 12 'panicked at|^error' "$place/log" | head -n 150 >&2 || true
fi

# The project of the sampler's tests, and the tool, in a machine whose `cargo` only says what was built.
make_system() {
    local package=$place/package
    mkdir -p "$system"/{proc,sys,dev,tmp,run,bin}
    bash ci/campaigns/sampled_package.sh "$package"
    cargo build --locked --quiet -p cargo-perftest
    (cd "$package" && cargo test --release --no-run --message-format json-render-diagnostics >"$place/built" 2>/dev/null)
    cp "$CARGO_TARGET_DIR/$CARGO_BUILD_TARGET/debug/cargo-perftest" "$system/bin"
    aarch64-linux-gnu-strip "$system/bin/cargo-perftest"
    cp "$place/built" "$system/built"
    printf '#!/bin/busybox sh\nexec /bin/busybox cat /built\n' >"$system/bin/cargo"
    sed 1d ci/campaigns/aarch64/init.sh | sed "1i #!/bin/busybox sh\ncd '$package'" >"$system/init"
    chmod +x "$system/bin/cargo" "$system/init"
    mapfile -t programs < <(executables <"$place/built")
    (cd / && cp --parents -R "${programs[@]}" "$package" "$system")
    (cd "$system" && find . | cpio -o -H newc --quiet | gzip -1) >"$place/initrd"
}

if is_chosen samples; then
    make_system
    timeout 1200 qemu-system-aarch64 -machine virt -cpu cortex-a72 -smp 2 -m 2G -nic none -nographic -no-reboot \
        -kernel "$kernel"/boot/vmlinuz-* -initrd "$place/initrd" \
        -append "console=ttyAMA0 quiet panic=-1 rdinit=/init" >"$place/serial" 2>&1 </dev/null || failed=1
    tr -d '\r' <"$place/serial" | awk -v place="$place" '
        /^FILE / { file = place "/" $2; printf "" >file; next }
        /^END$/ { file = ""; next }
        file { print >file; next }
        { print }'
    # Emulated, a thread wakes late, and an interruption takes long: what an instruction costs is not that of ARM.
    python3 -B ci/campaigns/profile_shares.py "shares of a test" 15 "$place/shares.folded" "$place/truth" || failed=1
    grep -q ';perf::wait_for_lock;.*\[waiting\] [0-9]' "$place/blocked.folded" || failed=1
    grep -q ';perf::unescape ' "$place/cpu.folded" || failed=1
fi
exit $failed
