//! Looks at the processes of this machine.

use crate::doctor::BusyProcess;
use std::collections::{HashMap, HashSet};
use std::time::Instant;
use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};

/// Processes, and what each took since the last look. One that began and ended between two looks is not
/// seen.
pub(crate) struct ProcessWatch {
    system: System,
    /// When a process began, and the processor time it had used, in milliseconds.
    before: HashMap<Pid, (u64, u64)>,
    looked: Instant,
}

impl ProcessWatch {
    /// Takes the first look.
    pub(crate) fn start() -> Self {
        let mut system = System::new();
        system.refresh_memory();
        let mut watch = Self { system, before: HashMap::new(), looked: Instant::now() };
        watch.look();
        watch
    }

    /// Takes another look. Returns the busy processes since the last one, the worst first, without this
    /// process and what it started.
    pub(crate) fn take(&mut self) -> Vec<BusyProcess> {
        let (before, since) = (std::mem::take(&mut self.before), self.looked);
        self.look();
        let elapsed_ms = self.looked.duration_since(since).as_secs_f64() * 1e3;
        let own = self.own_processes();
        let total_memory = self.system.total_memory().max(1) as f64;
        let processes = self.system.processes().iter().filter(|(pid, _)| !own.contains(*pid));
        let busy = processes.map(|(pid, process)| {
            let now_ms = process.accumulated_cpu_time();
            let then = before.get(pid).filter(|(began, _)| *began == process.start_time());
            let used_ms = now_ms.saturating_sub(then.map_or(0, |(_, ms)| *ms));
            BusyProcess {
                pid: pid.as_u32(),
                name: process.name().to_string_lossy().into_owned(),
                cores: used_ms as f64 / elapsed_ms.max(1.0),
                memory_bytes: process.memory(),
                memory_share: process.memory() as f64 / total_memory,
            }
        });
        let mut busy: Vec<BusyProcess> = busy.filter(BusyProcess::is_busy).collect();
        busy.sort_by(BusyProcess::worst_first);
        busy
    }

    fn look(&mut self) {
        // Threads are counted in their processes.
        let what = ProcessRefreshKind::nothing().with_cpu().with_memory().without_tasks();
        self.system.refresh_processes_specifics(ProcessesToUpdate::All, true, what);
        self.looked = Instant::now();
        let processes = self.system.processes().iter();
        self.before = processes
            .map(|(pid, process)| (*pid, (process.start_time(), process.accumulated_cpu_time())))
            .collect();
    }

    /// This process and its descendants.
    fn own_processes(&self) -> HashSet<Pid> {
        let processes = self.system.processes();
        let own = Pid::from_u32(std::process::id());
        let mut found = HashSet::from([own]);
        let mut open = vec![own];
        while let Some(parent) = open.pop() {
            let children = processes.iter().filter(|(_, it)| it.parent() == Some(parent));
            open.extend(children.map(|(pid, _)| *pid).filter(|pid| found.insert(*pid)));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;
    use std::thread;
    use std::time::Duration;
    use sysinfo::ThreadKind;

    /// Keeps a core busy for a while.
    fn burn(time: Duration) {
        let began = Instant::now();
        while began.elapsed() < time {
            std::hint::black_box(began);
        }
    }

    #[test]
    fn this_process_and_its_children_are_not_among_the_others() {
        let mut watch = ProcessWatch::start();
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        burn(Duration::from_millis(300));
        let busy = watch.take();
        let own = watch.own_processes();
        child.kill().unwrap();
        child.wait().unwrap();
        let [own_pid, child] = [std::process::id(), child.id()];
        assert!(own.contains(&Pid::from_u32(own_pid)) && own.contains(&Pid::from_u32(child)));
        assert!(busy.iter().all(|it| it.pid != own_pid), "{busy:?}");
    }

    #[test]
    fn a_look_knows_every_process_but_no_thread() {
        let watch = thread::spawn(ProcessWatch::start).join().unwrap();
        let own = Pid::from_u32(std::process::id());
        assert!(watch.before.contains_key(&own));
        let is_thread = |it: &&sysinfo::Process| it.thread_kind() == Some(ThreadKind::Userland);
        assert_eq!(watch.system.processes().values().filter(is_thread).count(), 0);
    }
}
