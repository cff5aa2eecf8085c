//! From measurements to a verdict.
//!
//! [`Trial`] decides what to measure next and when enough is known; it never measures itself.
//! The harness, a replay of recorded runs and a simulation drive the very same `Trial`.

mod calibration;
mod condition;
mod curve;
mod drift;
mod earlier;
mod falling_trend;
mod level;
mod mode_shares;
mod normalisation;
mod past;
mod policy;
mod power;
mod round;
mod sight;
mod step;
mod steps;
mod tally;
mod testimony;
mod track_record;
mod trial;
mod usual;

pub use condition::{Condition, Inspector};
pub use curve::Curve;
pub use drift::Drift;
pub use falling_trend::falling_trend;
pub use normalisation::{Covariate, Normalisation};
pub use policy::{Floor, Policy};
pub use power::Power;
pub use step::{Confirmation, Observed, Step};
pub use steps::{Steps, StepsError};
pub use tally::{Tally, is_contended};
pub use track_record::TrackRecord;
pub use trial::Trial;
pub use usual::Usual;
