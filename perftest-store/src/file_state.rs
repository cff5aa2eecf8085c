//! Detects a changed file without reading it.

use std::fs::Metadata;
#[cfg(unix)]
use std::os::unix::fs::MetadataExt;

/// Returns what changes whenever a file is written or replaced: device, inode, size, and the times
/// of the last change of content and metadata. `None` where the system reports too little.
#[cfg(unix)]
pub fn file_state(metadata: &Metadata) -> Option<String> {
    let (modified, changed) = (metadata.mtime(), metadata.ctime());
    let ns = [metadata.mtime_nsec(), metadata.ctime_nsec()];
    let (device, inode, size) = (metadata.dev(), metadata.ino(), metadata.size());
    Some(format!("{device} {inode} {size} {modified}.{:09} {changed}.{:09}", ns[0], ns[1]))
}

/// Returns `None`: this system reports too little.
#[cfg(not(unix))]
pub fn file_state(_: &Metadata) -> Option<String> {
    None
}
