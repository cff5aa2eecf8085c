//! History in append-only files below one directory.

mod append;
mod change;
pub mod directory;
mod jsonl_store;
mod layout;
pub(crate) mod lock;
#[cfg(any(test, feature = "merge"))]
mod merge;
mod read;
mod tail;

pub use change::change_file;
pub use jsonl_store::JsonlStore;
pub(crate) use layout::Layout;
#[cfg(any(test, feature = "merge"))]
pub use merge::{MergedStores, merge_stores};

/// Creates an empty directory for a test.
///
/// # Panics
/// When the directory cannot be created.
#[cfg(any(test, feature = "conformance"))]
pub fn scratch(name: &str) -> std::path::PathBuf {
    let name = format!("perftest-store-{name}-{}", std::process::id());
    let directory = std::env::temp_dir().join(name);
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).expect("a temporary directory can be created");
    directory
}
