//! The judge and its baselines, driven by scripted measurements: no clock, no waiting.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod accepted_levels;
mod baseline;
mod comparison;
mod counts;
mod curve;
mod doubtful_greens;
mod drift;
mod few_pairs;
mod good_builds;
mod improved_beyond_noise;
mod levels;
mod limit;
mod long;
mod merged;
mod noise;
mod odd_histories;
mod other_speed;
mod pairs;
mod ratchet;
mod regimes;
mod reports;
mod retries;
mod same_code;
mod slow_throughout;
mod smaller_tolerance;
mod trial;
mod world;

#[path = "../support/life.rs"]
mod life;
#[path = "../support/play.rs"]
mod play;
#[path = "../support/script.rs"]
mod script;
#[path = "../support/mod.rs"]
mod support;
