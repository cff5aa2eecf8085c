//! The functions under divan, with its defaults.

use peer_overhead as functions;

#[divan::bench]
fn empty() {
    functions::empty();
}

#[divan::bench]
fn independent() -> u64 {
    functions::independent()
}

#[divan::bench]
fn about_1_ns() -> u64 {
    functions::about_1_ns()
}

#[divan::bench]
fn about_50_ns() -> u64 {
    functions::about_50_ns()
}

#[divan::bench]
fn about_1_us() -> u64 {
    functions::about_1_us()
}

fn main() {
    divan::main();
}
