#!/bin/sh
# The first process of the emulated machine: samples tests, prints the files, and switches off.
/bin/busybox --install -s /bin
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
mount -t tmpfs none /tmp
export PATH=/bin HOME=/tmp XDG_RUNTIME_DIR=/run PERFTEST_STORE=off TRUTH=/tmp/truth ROUNDS=40
uname -srm

record() { # name test options..
    name=$1
    shift
    cargo-perftest perftest profile record "$@" --rate 199 --out "/tmp/$name.folded" >/tmp/messages 2>&1
    echo "$name: exit $?, $(tail -n 1 /tmp/messages)"
    show "$name.folded"
}
show() {
    echo "FILE $1"
    cat "/tmp/$1"
    echo END
}
record shares known_shares --time 20s
show truth
record blocked two_blocked_threads --wall --time 4s
record cpu three_functions --cpu --time 8s
poweroff -f
