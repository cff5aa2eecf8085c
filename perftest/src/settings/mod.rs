//! The settings of a test, and where they come from: attribute, group, `perftest.toml`,
//! environment.

mod choices;
mod effective;
mod file;
mod key;
mod layer;
mod listing;
mod sources;
mod unmatched;
mod written;

pub use choices::{Learn, OnDebug, OnImproved, OnRed, OnUnclear};
pub(crate) use effective::{SettingOrigin, Settings};
pub(crate) use key::{of_variables, setting_variables};
pub use layer::Layer;
pub(crate) use listing::{SettingsRow, as_json, as_table};
pub(crate) use sources::Sources;
