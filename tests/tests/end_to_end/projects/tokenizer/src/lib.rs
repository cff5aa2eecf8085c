//! The names of this crate and of its bench target sort behind `perftest`: with LTO they are linked behind it. Each
//! module may be a codegen unit.

pub mod lines;
pub mod words;
