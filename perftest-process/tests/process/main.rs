//! Projects that are found, executables that are kept, and outcomes that are handed on.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod bench;
mod builds;
mod discovery;
mod executables;
mod irregular;
