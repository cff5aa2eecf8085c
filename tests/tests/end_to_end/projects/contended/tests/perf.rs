include!("functions/all.rs");

perftest::main!();
