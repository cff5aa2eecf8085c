//! The requests of a parent process on standard input, which a body and its programs may read, too.

#![allow(unsafe_code)] // One system call; the block explains its safety.

use std::fs::File;
use std::io::{self, BufRead, BufReader};

/// What the parent writes to standard input. On unix, what reads standard input afterwards finds its end, as under
/// nextest, and takes no request away.
pub(crate) struct StandardInput {
    /// `None` where it cannot be kept apart.
    kept: Option<BufReader<File>>,
}

impl StandardInput {
    pub(crate) fn take() -> Self {
        Self { kept: system::take().map(BufReader::new) }
    }

    /// Reads the next line with its end; empty where the parent is gone.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn read_line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        match &mut self.kept {
            Some(kept) => kept.read_line(&mut line)?,
            None => io::stdin().lock().read_line(&mut line)?,
        };
        Ok(line)
    }
}

#[cfg(unix)]
mod system {
    use std::fs::File;
    use std::io;
    use std::os::fd::{AsFd, AsRawFd};

    pub(super) fn take() -> Option<File> {
        let nothing = File::open("/dev/null").ok()?;
        let kept = io::stdin().as_fd().try_clone_to_owned().ok().map(File::from)?;
        // SAFETY: `nothing` is open. Nothing owns the number of standard input, so nothing loses what it stands for now.
        unsafe { libc::dup2(nothing.as_raw_fd(), libc::STDIN_FILENO) };
        Some(kept)
    }
}

#[cfg(not(unix))]
mod system {
    use std::fs::File;

    pub(super) fn take() -> Option<File> {
        None
    }
}
