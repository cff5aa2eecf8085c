#!/usr/bin/env bash
# Puts a process and its children into a control group with a processor quota, where this machine
# allows it.
#
#   ci/campaigns/quota.sh PID PERCENT              100 percent is one processor
set -euo pipefail
pid=$1
percent=$2
period_us=100000
quota_us=$((percent * period_us / 100))
name=perftest-quota

if [ -w /sys/fs/cgroup/cgroup.procs ] && grep -qw cpu /sys/fs/cgroup/cgroup.controllers; then
    echo +cpu >/sys/fs/cgroup/cgroup.subtree_control
    mkdir -p "/sys/fs/cgroup/$name"
    echo "$quota_us $period_us" >"/sys/fs/cgroup/$name/cpu.max"
    echo "$pid" >"/sys/fs/cgroup/$name/cgroup.procs"
elif [ -w /sys/fs/cgroup/cpu/cgroup.procs ]; then
    mkdir -p "/sys/fs/cgroup/cpu/$name"
    echo "$period_us" >"/sys/fs/cgroup/cpu/$name/cpu.cfs_period_us"
    echo "$quota_us" >"/sys/fs/cgroup/cpu/$name/cpu.cfs_quota_us"
    echo "$pid" >"/sys/fs/cgroup/cpu/$name/cgroup.procs"
else
    printf 'no control group can be made here: a quota cannot be tried on this machine\n' >&2
    exit 2
fi
