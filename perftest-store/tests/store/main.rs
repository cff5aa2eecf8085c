//! The store in files against what happens to files: crashes, crowds, full disks, newer versions.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod acceptances;
mod bench;
mod by_hand;
mod collect;
mod compatibility;
mod contract;
mod damage;
mod full_disk;
mod irregular;
mod judgements;
mod merge;
mod odd;
mod processes;
mod record_files;
mod testbeds;
