//! Gives the inputs of a fuzzer to the target with the name of this binary.
#![no_main]

use libfuzzer_sys::fuzz_target;
use perftest_fuzz_targets::TARGETS;

fuzz_target!(|data: &[u8]| {
    let target = TARGETS.iter().find(|it| it.name == env!("CARGO_BIN_NAME"));
    (target.expect("a target has this name").run)(data);
});
