//! Formatting for series of numbers; `perftest_core::words` formats verdicts.

mod effect;
mod season;
mod shape;

pub use effect::effect;
pub use season::season;
pub use shape::{ShapeDetail, shape, shape_of};
