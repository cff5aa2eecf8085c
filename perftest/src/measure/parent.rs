//! Ends a worker process with its parent, even while a body hangs.

#![allow(unsafe_code)] // One system call; the block explains its safety.

/// Ends this process when its parent ends. The kernel ends it, so nothing runs beside the measurements.
#[cfg(target_os = "linux")]
pub(crate) fn end_with_parent() {
    // SAFETY: the call takes two numbers and changes only which signal this process gets. A
    // kernel that refuses changes nothing.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
    end_if_orphaned();
}

/// Ends this process when its parent ends. A thread checks the parent once a second.
#[cfg(all(unix, not(target_os = "linux")))]
pub(crate) fn end_with_parent() {
    const BETWEEN_LOOKS: std::time::Duration = std::time::Duration::from_secs(1);
    std::thread::spawn(|| {
        loop {
            end_if_orphaned();
            std::thread::sleep(BETWEEN_LOOKS);
        }
    });
}

/// Does nothing: a worker without a parent ends at its next read of a request.
#[cfg(not(unix))]
pub(crate) fn end_with_parent() {}

/// The parent ended before it could be watched.
#[cfg(unix)]
fn end_if_orphaned() {
    if !crate::config::is_started_by_perftest() {
        std::process::exit(super::FAILED);
    }
}
