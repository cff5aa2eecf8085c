//! Tiny projects under real cargo, for the end-to-end tests.
//!
//! [`TinyProjects`] writes and builds them, an [`Invocation`] runs one of their test binaries or
//! cargo itself in a clean environment, a [`TempStore`] is the history it works on, a
//! [`TempRepository`] where its code is kept, and the [`Outcome`] is what a user would have seen. What only a quiet
//! machine shows is waited for [`patiently`]. Other tests start programs by [`clean_command`], and git by [`git()`].

mod clean_command;
mod git;
mod invocation;
mod outcome;
mod patience;
mod schema;
mod temp_repository;
mod temp_store;
mod tiny_projects;

pub use clean_command::clean_command;
pub use git::{git, git_command};
pub use invocation::Invocation;
pub use outcome::Outcome;
pub use patience::{patiently, until_it_ends_with, until_it_prints};
pub use schema::{assert_json_conforms, assert_xml_conforms};
pub use temp_repository::TempRepository;
pub use temp_store::{StoreFiles, TempStore};
pub use tiny_projects::{ALIGNED, PROFILE, TinyProjects};
