perftest::main!();
