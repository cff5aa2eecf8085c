//! From measurements to a verdict.
//!
//! [`Trial`] decides what to measure next and when enough is known; it never measures itself.
//! The harness, a replay of recorded runs and a simulation drive the very same `Trial`.

mod curve;
mod interruption;
mod level;
mod policy;
mod round;
mod trial;

pub use curve::Curve;
pub use interruption::{is_contended, is_interrupted};
pub use policy::{Floor, Policy};
pub use trial::{Confirmation, Observed, Step, Trial};
