//! Ends a worker process with its parent, even while a body hangs.

#![allow(unsafe_code)] // One system call; the block explains its safety.

/// Ends this process when its parent ends. On Windows a worker without a parent ends at its next read of a
/// request.
pub(crate) fn end_with_parent() {
    system::end_with_parent();
}

/// The parent ended before it could be watched.
#[cfg(unix)]
fn end_if_orphaned() {
    if !crate::config::is_started_by_perftest() {
        std::process::exit(super::FAILED);
    }
}

#[cfg(target_os = "linux")]
mod system {
    /// The kernel ends this process, so nothing runs beside the measurements.
    pub(super) fn end_with_parent() {
        // SAFETY: the call takes two numbers and changes only which signal this process gets. A
        // kernel that refuses changes nothing.
        unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
        super::end_if_orphaned();
    }
}

#[cfg(all(unix, not(target_os = "linux")))]
mod system {
    use std::time::Duration;

    const BETWEEN_LOOKS: Duration = Duration::from_secs(1);

    /// A thread checks the parent once a second.
    pub(super) fn end_with_parent() {
        std::thread::spawn(|| {
            loop {
                super::end_if_orphaned();
                std::thread::sleep(BETWEEN_LOOKS);
            }
        });
    }
}

#[cfg(not(unix))]
mod system {
    pub(super) fn end_with_parent() {}
}
