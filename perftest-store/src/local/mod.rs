//! History in append-only files below one directory.

#[cfg(any(test, feature = "merge"))]
mod add_records;
mod append;
mod change;
#[cfg(any(test, feature = "merge"))]
mod collect;
pub mod directory;
#[cfg(any(test, feature = "merge"))]
mod file_content;
#[cfg(any(test, feature = "merge"))]
mod insert_runs;
mod jsonl_store;
mod layout;
pub(crate) mod lock;
#[cfg(any(test, feature = "merge"))]
mod merge;
pub(crate) mod read;
#[cfg(any(test, feature = "merge"))]
mod record;
#[cfg(any(test, feature = "merge"))]
mod record_file_name;
#[cfg(any(test, feature = "merge"))]
mod record_files;
#[cfg(any(test, feature = "merge"))]
mod record_time;
#[cfg(any(test, feature = "merge"))]
mod recorded_testbeds;
#[cfg(any(test, feature = "merge"))]
mod retention;
#[cfg(any(test, feature = "conformance"))]
mod scratch_directory;
#[cfg(any(test, feature = "merge"))]
mod show_only;
pub(crate) mod tail;

#[cfg(any(test, feature = "merge"))]
pub use add_records::AddedRecords;
pub use change::{act_alone, change_file};
#[cfg(any(test, feature = "merge"))]
pub use collect::CollectedFile;
#[cfg(any(test, feature = "merge"))]
pub use file_content::FileContent;
pub use jsonl_store::JsonlStore;
pub(crate) use layout::Layout;
#[cfg(any(test, feature = "merge"))]
pub use merge::{
    MergedStores, merge_project, merge_show_only, merge_stores, move_project, remove_moved_project,
};
#[cfg(any(test, feature = "merge"))]
pub use record::{ReadPlace, Record};
#[cfg(any(test, feature = "merge"))]
pub use record_file_name::RecordFileName;
#[cfg(any(test, feature = "merge"))]
pub use record_files::{NewRecords, RecordFile, RecordFiles};
#[cfg(any(test, feature = "merge"))]
pub use recorded_testbeds::{RecordedTestbed, RecordedTestbeds};
#[cfg(any(test, feature = "merge"))]
pub use retention::{KeptFor, Retention};
#[cfg(any(test, feature = "conformance"))]
pub use scratch_directory::{ScratchDirectory, scratch};
#[cfg(any(test, feature = "merge"))]
pub use show_only::ShownRecords;
