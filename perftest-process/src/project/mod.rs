//! The project around a directory: its repository, its settings file and its CI job.

mod ci_provider;
mod default_branch;
mod discovery;
mod git;
mod github_event;
mod job_branch;
mod repository;
mod settings_file;

pub use ci_provider::CiProvider;
pub use default_branch::DefaultBranch;
pub use discovery::{
    adopt_project, find_project, find_project_in_store, find_project_left_behind, normalise_url,
    project_root,
};
pub use git::{GitQuestion, git_command};
pub use job_branch::JobBranch;
pub use repository::Repository;
pub use settings_file::{SETTINGS_FILE, describe_no_toml, settings_file, settings_text};
