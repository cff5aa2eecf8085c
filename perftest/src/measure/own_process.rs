//! The process that runs a body: a child that the body forks never comes back from it.

#![allow(unsafe_code)] // The end of a process; the block explains its safety.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{process, thread};

/// Calls a body and catches its panic. A child that the body forks ends where it would come back, by a panic or behind
/// the last line: it would go on as a second harness, which records and gives up the measuring lock of its parent.
pub(crate) fn catch_in_own_process<T>(body: impl FnOnce() -> T) -> thread::Result<T> {
    let owner = process::id();
    let ended = catch_unwind(AssertUnwindSafe(body));
    end_child_of(owner);
    ended
}

/// Ends any process but this one.
#[cfg(unix)]
fn end_child_of(owner: u32) {
    if process::id() != owner {
        // SAFETY: ends the process at once and touches no memory. Exit handlers and buffers are those of the parent.
        unsafe { libc::_exit(super::FAILED) };
    }
}

/// No system but unix forks.
#[cfg(not(unix))]
fn end_child_of(_owner: u32) {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::resume_unwind;

    #[test]
    fn a_panic_is_caught_in_the_process_that_runs_the_body() {
        assert_eq!(catch_in_own_process(|| 7).unwrap(), 7);
        assert!(catch_in_own_process(|| resume_unwind(Box::new(()))).is_err());
    }

    #[test]
    #[cfg(unix)]
    fn a_forked_child_never_comes_back_from_the_body() {
        // Without the hook of panics, whose locks another thread of this process may hold.
        let endings: [fn(); 2] = [|| resume_unwind(Box::new(())), || ()];
        for end in endings {
            let owner = process::id();
            let mut child = 0;
            let ended = catch_in_own_process(|| {
                // SAFETY: the child allocates at most, which the system's allocator allows in a forked process.
                child = unsafe { libc::fork() };
                if child == 0 {
                    end();
                }
            });
            if process::id() != owner {
                // SAFETY: ends the process at once and touches no memory.
                unsafe { libc::_exit(0) };
            }
            let mut status = 0;
            // SAFETY: the pointer is that of a local variable.
            unsafe { libc::waitpid(child, &raw mut status, 0) };
            assert!(ended.is_ok() && libc::WIFEXITED(status));
            assert_eq!(libc::WEXITSTATUS(status), super::super::FAILED);
        }
    }
}
