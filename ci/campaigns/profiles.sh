#!/usr/bin/env bash
# Samples a program of known shares (spinning, sleeping, system calls, a lock) and prints by how many points each
# share is wrong: on the machine as it is, beside busy processes, on one processor, and with a period of 10 ms.
# Prints how much of the time of short tests is outside the measured loop, what samples cost, and the size of
# profiles. Exits with 1 when a share is off by more than `bound` points.
#
#   ci/campaigns/profiles.sh [seconds] [bound]
#
# seconds: 30 of samples a profile. bound: 1 point; a busy machine needs more.
# CARGO_PERFTEST is a `cargo-perftest` that is already built.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
seconds=${1:-30}
bound=${2:-1}
source ci/tool.sh
find_tool release
tool=$(realpath "$tool")
work=${CARGO_TARGET_DIR:-$PWD/target}/profiles
mkdir -p "$work"
work=$(realpath "$work")
bash ci/campaigns/sampled_package.sh "$work/package"
export CARGO_TARGET_DIR=$work/target PERFTEST_STORE=off
cd "$work/package"

# Records a profile and prints what it took.
record() { # launcher test file options..
    local launcher=$1 test=$2 file=$3
    shift 3
    # shellcheck disable=SC2086 # A launcher is several words, or none.
    $launcher "$tool" perftest profile record "$test" --out "$work/$file" --time "${seconds}s" --json "$@" \
        2>"$work/messages" | sed -n 1p >"$work/$file.json"
}

hogs=()
end_hogs() {
    for hog in "${hogs[@]:-}"; do [ -z "$hog" ] || kill "$hog" 2>/dev/null || true; done
    hogs=()
}
trap end_hogs EXIT

failed=0
shares() { # name launcher test
    rm -f "$work/truth"
    # An iteration is so long that no block is without samples: the truth is that of the sampled time.
    ROUNDS=$((2 * seconds)) TRUTH=$work/truth record "$2" "$3" shares.folded --rate 499
    python3 -B "$root/ci/campaigns/profile_shares.py" "$1" "$bound" "$work/shares.folded" "$work/truth" || failed=1
}

outside() { # name
    local micros
    for micros in 1 5 50; do
        record "" "microseconds::$micros" short.folded
        awk -v name="$micros us, $1" '!/^#/ { all += $NF } /\[outside the measured loop\]/ { out += $NF }
            END { printf "%s: %.1f%% outside the measured loop\n", name, 100 * out / all }' "$work/short.folded"
    done
}

outside "as it is"
shares "as it is" "" known_shares
shares "period of 10 ms" "" locked_to_a_period
shares "one processor" "taskset -c 0" known_shares
for _ in $(seq "$(nproc)"); do
    (while :; do :; done) &
    hogs+=($!)
done
shares "beside $(nproc) busy processes" "" known_shares
outside "beside $(nproc) busy processes"
end_hogs

for clock in wall cpu; do
    record "" three_functions cost.folded "--$clock"
    python3 -B - "$clock" "$work/cost.folded" <<'PYTHON'
import json, os, sys, zlib
clock, path = sys.argv[1:]
report = json.load(open(path + ".json"))
text = open(path, "rb").read()
print(f"{clock}: {report['samples']} samples, overhead {100 * report['overhead']:+.2f}% "
      f"(ratio of medians of {report['overhead_pairs']} pairs), {len(text)} bytes, {len(zlib.compress(text))} compressed")
PYTHON
done
exit $failed
