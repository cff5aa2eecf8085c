//! The processors that this process may use.

use super::cpu_list;
use super::tree::Tree;
use perftest_core::list::IntoList;
use perftest_core::text::Text;

/// Reads the processors that are online and allowed to this process, ascending. `None` if neither list
/// can be read.
pub(super) fn read(tree: &Tree) -> Option<Vec<u32>> {
    let online = tree.parse("sys/devices/system/cpu/online", cpu_list::parse).ok();
    let allowed = tree.parse("proc/self/status", parse_allowed_cpus).ok();
    let (Some(online), Some(allowed)) = (&online, &allowed) else {
        return online.or(allowed);
    };
    // Processors that could be plugged in are allowed too.
    let is_allowed = |cpu: &u32| allowed.binary_search(cpu).is_ok();
    Some(online.iter().copied().filter(is_allowed).into_list())
}

/// The processors this process may be scheduled on, by its `status` file.
fn parse_allowed_cpus(status: &str) -> Option<Vec<u32>> {
    let list = status.each_line().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
    cpu_list::parse(list).filter(|cpus| !cpus.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linux::fake_machine::FakeMachine;

    #[test]
    fn one_list_holds_alone_where_the_other_cannot_be_read() {
        let machine = FakeMachine::empty();
        assert_eq!(read(&machine.tree()), None);
        machine.write("proc/self/status", "Name:\tx\nCpus_allowed_list:\t3,5-6\n");
        assert_eq!(read(&machine.tree()), Some(vec![3, 5, 6]));
        machine.write("sys/devices/system/cpu/online", "0-5\n");
        assert_eq!(read(&machine.tree()), Some(vec![3, 5]));
        machine.remove("proc/self/status");
        assert_eq!(read(&machine.tree()), Some((0..6).collect()));
    }
}
