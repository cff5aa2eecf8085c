//! Standard output as it was before a body ran: a body may close it, or redirect it elsewhere.

#![allow(unsafe_code)] // One system call; the block explains its safety.

use std::fs::File;
use std::io::{self, Write};

/// Standard output as it is now. When this is dropped, it is so again: results of other tests go there. Restores nothing
/// on systems other than unix, and diverts nothing there.
pub(crate) struct StandardOutput {
    /// `None` where it is closed, or cannot be kept.
    kept: Option<File>,
}

impl StandardOutput {
    pub(crate) fn keep() -> Self {
        Self { kept: system::duplicate() }
    }

    /// Lets what is printed from now on go to standard error.
    pub(crate) fn divert() -> Self {
        let kept = Self::keep();
        let _ = io::stdout().flush();
        if kept.kept.is_some() {
            system::divert();
        }
        kept
    }

    /// Prints to standard output as it was, behind what the body has printed. An error is ignored.
    pub(crate) fn print(&self, text: &str) {
        let mut present = io::stdout().lock();
        let printed = present.flush();
        let _ = match self.kept.as_ref() {
            Some(mut kept) => kept.write_all(text.as_bytes()),
            None => printed
                .and_then(|()| present.write_all(text.as_bytes()))
                .and_then(|()| present.flush()),
        };
    }
}

impl Drop for StandardOutput {
    fn drop(&mut self) {
        let _ = io::stdout().flush();
        if let Some(kept) = self.kept.as_ref().filter(|kept| !system::is_present(kept)) {
            system::restore(kept);
        }
    }
}

#[cfg(unix)]
mod system {
    use std::fs::File;
    use std::io;
    use std::os::fd::{AsFd, AsRawFd};
    use std::os::unix::fs::MetadataExt;

    pub(super) fn duplicate() -> Option<File> {
        io::stdout().as_fd().try_clone_to_owned().ok().map(File::from)
    }

    /// Whether standard output is still this file.
    pub(super) fn is_present(kept: &File) -> bool {
        let place = |file: &File| file.metadata().ok().map(|it| (it.dev(), it.ino()));
        duplicate().is_some_and(|present| place(&present) == place(kept))
    }

    pub(super) fn divert() {
        if let Ok(error) = io::stderr().as_fd().try_clone_to_owned() {
            restore(&File::from(error));
        }
    }

    pub(super) fn restore(kept: &File) {
        // SAFETY: `kept` is open. Nothing owns the number of standard output, so nothing loses what it stands for now.
        unsafe { libc::dup2(kept.as_raw_fd(), libc::STDOUT_FILENO) };
    }
}

#[cfg(not(unix))]
mod system {
    use std::fs::File;

    pub(super) fn duplicate() -> Option<File> {
        None
    }

    pub(super) fn is_present(_: &File) -> bool {
        true
    }

    pub(super) fn divert() {}

    pub(super) fn restore(_: &File) {}
}
