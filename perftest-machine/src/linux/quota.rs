//! The processor quota of the container: control groups of version 1 and 2.

use super::tree::{Tree, number};
use crate::sensor_answer::{SensorAnswer, part};
use perftest_core::list::IntoList;
use perftest_core::model::QuotaState;
use perftest_core::text::Text;
use std::path::{Component, Path, PathBuf};

/// The control groups of this process that have a processor quota.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Quota {
    groups: Vec<LimitedGroup>,
}

/// A group with a quota.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LimitedGroup {
    directory: PathBuf,
    milli_cpus: u64,
}

impl Quota {
    /// Finds the quotas from this process's group up to the root; all of them apply.
    pub(super) fn discover(tree: &Tree) -> Self {
        let membership = tree.read("proc/self/cgroup").unwrap_or_default();
        let limited = |directory: PathBuf| {
            Some(LimitedGroup { milli_cpus: limit_milli_cpus(tree, &directory)?, directory })
        };
        let groups = CpuGroup::parse(&membership)
            .map(|group| group.directories(tree).into_iter().filter_map(limited).into_list());
        Self { groups: groups.unwrap_or_default() }
    }

    /// The smallest quota, thousandths of a processor; `None` when there is no quota.
    pub(super) fn milli_cpus(&self) -> Option<u64> {
        self.groups.iter().map(|group| group.milli_cpus).min()
    }

    /// Reads the throttle counts, summed over the process's groups.
    pub(super) fn read(&self, tree: &Tree) -> QuotaState {
        let counts = self.read_counts(tree);
        QuotaState {
            periods: part(&counts, |counts| counts.periods),
            throttled_periods: part(&counts, |counts| counts.throttled_periods),
            throttled_us: part(&counts, |counts| counts.throttled_us),
        }
    }

    fn read_counts(&self, tree: &Tree) -> SensorAnswer<Counts> {
        if self.groups.is_empty() {
            return Err("no processor quota".to_owned());
        }
        let read =
            |group: &LimitedGroup| tree.parse(group.directory.join("cpu.stat"), Counts::parse);
        self.groups.iter().try_fold(Counts::default(), |sum, group| Ok(sum.plus(read(group)?)))
    }
}

/// The counts of a group's `cpu.stat`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counts {
    periods: u64,
    throttled_periods: u64,
    throttled_us: u64,
}

impl Counts {
    /// Parses the counts by name: kernels differ in the other entries, and version 1 of the groups
    /// counts the time in nanoseconds.
    fn parse(text: &str) -> Option<Self> {
        let count = |key| text.each_line().find_map(|line| number::<u64>(line.strip_prefix(key)?));
        let throttled_us =
            count("throttled_usec ").or_else(|| Some(count("throttled_time ")? / 1000));
        Some(Self {
            periods: count("nr_periods ")?,
            throttled_periods: count("nr_throttled ")?,
            throttled_us: throttled_us?,
        })
    }

    fn plus(self, other: Self) -> Self {
        Self {
            periods: self.periods.saturating_add(other.periods),
            throttled_periods: self.throttled_periods.saturating_add(other.throttled_periods),
            throttled_us: self.throttled_us.saturating_add(other.throttled_us),
        }
    }
}

/// The directory of this process's group of version 2, or of the nearest parent that is visible.
pub(super) fn unified_group(tree: &Tree) -> Option<PathBuf> {
    let membership = tree.read("proc/self/cgroup").ok()?;
    let mut lines = membership.each_line().filter_map(split_membership);
    let (controllers, path) = lines.find(|(controllers, _)| controllers.is_empty())?;
    CpuGroup::at(controllers, path).directories(tree).into_iter().next()
}

/// Where a process stands in the hierarchy that has the `cpu` controller.
#[derive(Debug, Clone, PartialEq, Eq)]
struct CpuGroup {
    /// Places where the hierarchy is mounted by convention, the likeliest first.
    mounts: Vec<String>,
    /// The group's path below the mount.
    path: PathBuf,
}

impl CpuGroup {
    /// The group in `/proc/self/cgroup`: in the hierarchy of version 1 with the controller `cpu`,
    /// or else in the one of version 2, whose line has no controllers.
    fn parse(text: &str) -> Option<Self> {
        let lines: Vec<_> = text.each_line().filter_map(split_membership).into_list();
        let version_1 = |(controllers, _): &&(&str, &str)| has_cpu(controllers);
        let version_2 = |(controllers, _): &&(&str, &str)| controllers.is_empty();
        let (controllers, path) =
            lines.iter().find(version_1).or_else(|| lines.iter().find(version_2))?;
        Some(Self::at(controllers, path))
    }

    /// The group at a path of the hierarchy with these controllers.
    fn at(controllers: &str, path: &str) -> Self {
        let mounts = match controllers {
            "" => vec!["sys/fs/cgroup".into()],
            names => vec![format!("sys/fs/cgroup/{names}"), "sys/fs/cgroup/cpu".into()],
        };
        // A path above the namespace's root begins with ".." and is not visible here.
        let names = Path::new(path).components();
        let path = names.filter(|name| matches!(name, Component::Normal(_))).collect();
        Self { mounts, path }
    }

    /// Returns the directories of the group and its parents. A container without its own namespace
    /// sees a path that does not exist inside; its group is then the root of its mount.
    fn directories(&self, tree: &Tree) -> Vec<PathBuf> {
        let mount = self.mounts.iter().find(|mount| tree.has(mount));
        let Some(mount) = mount.map(Path::new) else {
            return Vec::new();
        };
        self.path.ancestors().map(|path| mount.join(path)).filter(|path| tree.has(path)).into_list()
    }
}

/// Controllers and path of a line `hierarchy:controllers:path`.
fn split_membership(line: &str) -> Option<(&str, &str)> {
    let (_, rest) = line.cut(':')?;
    rest.cut(':')
}

fn has_cpu(controllers: &str) -> bool {
    controllers.parts(",").any(|controller| controller == "cpu")
}

/// The quota of one group in thousandths of a processor.
fn limit_milli_cpus(tree: &Tree, directory: &Path) -> Option<u64> {
    let version_1 = || {
        let quota_us = tree.parse(directory.join("cpu.cfs_quota_us"), number).ok()?;
        let period_us = tree.parse(directory.join("cpu.cfs_period_us"), number).ok()?;
        share_milli(quota_us, period_us)
    };
    tree.parse(directory.join("cpu.max"), parse_limit).ok().or_else(version_1)
}

/// `cpu.max` of version 2: quota and period in us; the word `max` in place of a quota is none.
fn parse_limit(text: &str) -> Option<u64> {
    let (quota_us, period_us) = text.trim().cut(' ')?;
    share_milli(number(quota_us)?, number(period_us)?)
}

/// A negative quota of version 1 is none.
fn share_milli(quota_us: i64, period_us: i64) -> Option<u64> {
    let share = quota_us.checked_mul(1000)?.checked_div(period_us)?;
    u64::try_from(share).ok().filter(|share| *share > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_1_wins_where_both_are_mounted() {
        let group = CpuGroup::parse("6:cpu,cpuacct:/docker/0123\n2:cpuset:/\n0::/other\n").unwrap();
        assert_eq!(group.mounts, ["sys/fs/cgroup/cpu,cpuacct", "sys/fs/cgroup/cpu"]);
        assert_eq!(group.path, Path::new("docker/0123"));
    }

    #[test]
    fn the_sets_of_processors_are_another_controller() {
        let group = CpuGroup::parse("3:cpuset:/a\n2:cpuacct:/b\n0::/c\n").unwrap();
        assert_eq!((group.mounts, group.path), (vec!["sys/fs/cgroup".into()], "c".into()));
    }

    #[test]
    fn a_path_with_colons_and_steps_upwards_is_kept_below_the_mount() {
        let group = CpuGroup::parse("0::/../../etc:1/x\n").unwrap();
        assert_eq!(group.path, Path::new("etc:1/x"));
    }

    #[test]
    fn a_limit_is_quota_over_period() {
        assert_eq!(parse_limit("200000 100000\n"), Some(2_000));
        assert_eq!(parse_limit("max 100000\n"), None);
        assert_eq!(parse_limit("100000 0\n"), None);
        assert_eq!(share_milli(30_000, 100_000), Some(300));
        assert_eq!(share_milli(-1, 100_000), None);
        assert_eq!(share_milli(i64::MAX, 1), None);
    }

    #[test]
    fn the_counts_are_found_by_name_and_their_time_in_both_units() {
        let counts = Counts { periods: 67, throttled_periods: 9, throttled_us: 1_284_010 };
        let version_2 = "usage_usec 1\nnr_periods 67\nnr_throttled 9\nthrottled_usec 1284010\n";
        let version_1 = "nr_periods 67\nnr_throttled 9\nthrottled_time 1284010999\n";
        assert_eq!(Counts::parse(version_2), Some(counts));
        assert_eq!(Counts::parse(version_1), Some(counts));
        for text in ["", "usage_usec 1\n", "nr_periods 1\nnr_throttled 1\n"] {
            assert_eq!(Counts::parse(text), None, "{text}");
        }
    }
}
