//! Tells whether a file is still the one it was, without reading it.

use std::fs::Metadata;
#[cfg(unix)]
use std::os::unix::fs::MetadataExt;

/// What changes whenever a file is written or replaced: device, inode, size, and the times of the last
/// change of its bytes and of its description. `None` where the system tells too little.
#[cfg(unix)]
pub fn file_state(metadata: &Metadata) -> Option<String> {
    let (modified, changed) = (metadata.mtime(), metadata.ctime());
    let ns = [metadata.mtime_nsec(), metadata.ctime_nsec()];
    let (device, inode, size) = (metadata.dev(), metadata.ino(), metadata.size());
    Some(format!("{device} {inode} {size} {modified}.{:09} {changed}.{:09}", ns[0], ns[1]))
}

/// `None`: this system tells too little.
#[cfg(not(unix))]
pub fn file_state(_: &Metadata) -> Option<String> {
    None
}
