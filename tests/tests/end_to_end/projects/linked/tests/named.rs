use linked as _;

perftest::main!();
