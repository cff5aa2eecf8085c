//! Daily and weekly patterns over made histories whose truth is known.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::print_stdout, reason = "some print the figures of a document")]

mod false_patterns;
mod made;
#[path = "../../src/noise.rs"]
mod noise;
mod odd;
mod stories;
