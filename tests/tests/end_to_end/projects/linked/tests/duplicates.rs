const _: () = {
    #[perftest::perf_test]
    fn twice() {}
};

const _: () = {
    #[perftest::perf_test]
    fn twice() {}
};

perftest::main!();
