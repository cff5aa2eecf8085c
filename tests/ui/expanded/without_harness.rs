//! Where `harness = false` the tests vanish and the registrations remain.
#![forbid(unsafe_code, unused)]
#![deny(warnings)]

#[perftest::perf_test]
fn routine() -> u32 {
    used_by_a_registration_only()
}

const fn used_by_a_registration_only() -> u32 {
    1
}

fn main() {}
