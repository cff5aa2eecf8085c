//! Tiny projects under real cargo, for the end-to-end tests.
//!
//! [`TinyProjects`] writes and builds them, an [`Invocation`] runs one of their test binaries or
//! cargo itself in a clean environment, a [`TempStore`] is the history it works on, a
//! [`TempRepository`] where its code is kept, and the [`Outcome`] is what a user would have seen. What only a quiet
//! machine shows is waited for [`patiently`].

mod invocation;
mod outcome;
mod patience;
mod temp_repository;
mod temp_store;
mod tiny_projects;

pub use invocation::Invocation;
pub use outcome::Outcome;
pub use patience::{patiently, until_it_ends_with, until_it_prints};
pub use temp_repository::TempRepository;
pub use temp_store::{StoreFiles, TempStore};
pub use tiny_projects::{ALIGNED, PROFILE, TinyProjects};
