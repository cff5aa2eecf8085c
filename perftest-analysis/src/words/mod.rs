//! Plain words for what a series of numbers says; `perftest_core::words` has those for verdicts.

mod effect;
mod season;
mod shape;

pub use effect::effect;
pub use season::season;
pub use shape::{ShapeDetail, shape, shape_of};
