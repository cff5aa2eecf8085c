//! Messages between a test process and a fresh worker process of the same executable.
//!
//! # What the channel does not carry
//!
//! * **Code or settings.** The worker is a test executable, started with the name of a test; it
//!   contains every benchmark and its configuration.
//! * **Time.** Each side has its own clock; a measurement's start counts from its own process.
//! * **Verdicts and history.** A worker only measures. The parent decides on a verdict.
//! * **The machine's state.** The parent reads the sensors before and after.
//! * **Output of the body.** It shares the worker's standard output with the messages. A line of it is decoded to
//!   `None`, and the parent may show or drop it.
//!
//! # The form
//!
//! JSON Lines over the worker's standard input and output. Every message is one object with the
//! key `perftest`, whose value is [`VERSION`]; any other line is stray. A worker begins each
//! message with a line feed, so that half a line printed by the body cannot swallow it. An end of
//! the stream without [`FromWorker::Bye`] means that the worker died.
//!
//! ```text
//! worker                                    parent
//! {"perftest":4,"say":"hello",..}      ->
//! {"perftest":4,"say":"prepared",..}   ->
//!                                     <-    {"perftest":4,"say":"measure","count":30}
//! {"perftest":4,"say":"measured",..}   ->    (as many times as asked)
//!                                     <-    {"perftest":4,"say":"measure","count":1}
//! {"perftest":4,"say":"measured",..}   ->
//!                                     <-    {"perftest":4,"say":"bye"}
//! {"perftest":4,"say":"bye"}           ->
//! ```
//!
//! A worker that also has [`COUNTING_VARIABLE`] only counts instructions. Its work depends on no
//! clock: the only preparation is to build the input. Each further request executes only its
//! iterations.
//!
//! ```text
//! worker                                    parent
//! {"perftest":4,"say":"hello",..}      ->
//!                                     <-    {"perftest":4,"say":"count","iterations":4096}
//! {"perftest":4,"say":"counted",..}    ->
//!                                     <-    {"perftest":4,"say":"bye"}
//! {"perftest":4,"say":"bye"}           ->
//! ```
//!
//! A worker that has [`SAMPLES_VARIABLE`] takes the samples of a profile, once:
//!
//! ```text
//! worker                                    parent
//! {"perftest":4,"say":"hello",..}      ->
//! {"perftest":4,"say":"prepared",..}   ->
//!                                     <-    {"perftest":4,"say":"sample",..}
//! {"perftest":4,"say":"sampled",..}    ->
//!                                     <-    {"perftest":4,"say":"bye"}
//! {"perftest":4,"say":"bye"}           ->
//! ```

pub use super::from_parent::{FromParent, MOST_MEASUREMENTS};
pub use super::from_worker::FromWorker;
pub use super::handshake::{
    BUDGET_VARIABLE, COUNTING_VARIABLE, OWN_PROGRAMS, PROGRAMS_VARIABLE, RIVAL_VARIABLE,
    SAMPLES_VARIABLE, WORKER_VARIABLE,
};
pub use super::message::{ProtocolError, VERSION};
pub use super::sampling::{SampledClock, SamplingPlan, SamplingReport};
