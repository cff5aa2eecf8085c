//! Alerts of the rules in `perftest.toml` over the histories of the store.

mod keeper;
mod kept;
mod standing;
mod watch;
mod watched;

pub(crate) use standing::Standing;
pub(crate) use watch::{Scope, Watch};
pub(crate) use watched::Watched;

use keeper::Keeper;
use kept::Kept;
