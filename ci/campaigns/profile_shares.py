"""Prints by how many points the shares of a profile differ from the truth.

profile_shares.py NAME BOUND PROFILE TRUTH: exits with 1 when one differs by more than BOUND points.
"""

import sys

PARTS = ["::spin", "::nap", "::call_the_kernel", "::wait_for_lock"]


def weights(path):
    sums = dict.fromkeys(PARTS, 0)
    for line in open(path, encoding="utf-8"):
        if line.startswith("#"):
            continue
        stack, weight = line.rsplit(" ", 1)
        frames = stack.split(";")
        for part in PARTS:
            if frames[0] == "main" and any(frame.endswith(part) for frame in frames):
                sums[part] += int(weight)
    return list(sums.values())


def main():
    name, bound, profile, truth = sys.argv[1:]
    times = [int(line) for line in open(truth, encoding="utf-8")]
    shares = weights(profile)
    samples = next(line for line in open(profile, encoding="utf-8") if line.startswith("# samples: "))
    worst = 0
    print(f"{name}: {samples.split()[2].rstrip('.')} samples")
    for part, time, share in zip(PARTS, times, shares):
        true, seen = 100 * time / sum(times), 100 * share / max(sum(shares), 1)
        worst = max(worst, abs(seen - true))
        print(f"  {part[2:]:16} true {true:6.2f}%  seen {seen:6.2f}%  {seen - true:+.2f}")
    print(f"  largest difference {worst:.2f} points")
    sys.exit(worst > float(bound))


main()
