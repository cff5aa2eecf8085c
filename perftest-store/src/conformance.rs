//! Examples and directories for tests of what a [`Store`](crate::Store) keeps. They need the feature `conformance`.

pub use crate::example_run::{example_judgement, example_run};
pub use crate::format::resealed;
pub use crate::local::{ScratchDirectory, scratch};
