//! How often the verdicts are wrong, on simulated machines whose truth is known.
//!
//! A [`World`] is a machine and a test on it. [`decisions`] lives through one such machine: its
//! runs are judged by the same `Trial` as live, count for the baseline as live, and code that is slower by a known
//! factor is decided on. A [`Survey`] does so thousands of times and counts; [`breaches`] holds
//! the counts against what is promised. [`side_by_side`] does the same for comparisons of two
//! revisions.

mod build_history;
mod figures;
mod fresh;
mod lifetime;
mod limit;
mod machine;
mod noise;
mod phases;
mod process;
mod random;
mod session;
mod side_by_side;
#[cfg(test)]
mod slow_drift;
mod survey;
mod table;
mod world;

pub use figures::Figures;
pub use lifetime::{LifetimeDecision, decisions};
pub use limit::{Breach, Limit, breaches};
pub use noise::Family;
pub use phases::Phases;
pub use random::Random;
pub use side_by_side::side_by_side;
pub use survey::{Cell, Survey};
pub use table::{json, markdown, text, worlds};
pub use world::{CodeEffect, Interference, Layouts, Promise, SlowProcesses, SpeedDrift, World};
