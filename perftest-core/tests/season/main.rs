//! Daily and weekly patterns over made histories whose truth is known.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod false_patterns;
mod made;
mod odd;
mod stories;
