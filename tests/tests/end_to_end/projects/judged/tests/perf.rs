use perftest::{perf_group, perf_test};

#[perf_test(limit = "1ns", expert(max_measurements = 15))]
fn over() -> u64 {
    judged::sum()
}

#[perf_test(limit = "1ns", on_red = "report", expert(max_measurements = 15))]
fn reported() -> u64 {
    judged::sum()
}

// Placed elsewhere than in `before`, the same loop may be twice as slow.
#[perf_test(formerly = "judged::before::sum", tolerance = "900%")]
fn total() -> u64 {
    judged::sum()
}

#[perf_group(budget = "10s", tolerance = 1.25)]
mod db {
    use perftest::{perf_group, perf_test};

    #[perf_test]
    fn scan() -> u64 {
        judged::sum()
    }

    #[perf_test(tolerance = "4%")]
    fn lookup() -> u64 {
        judged::sum()
    }

    #[perf_group(limit = "1h")]
    mod deeper {
        use perftest::perf_test;

        #[perf_test]
        fn leaf() -> u64 {
            judged::sum()
        }
    }
}

perftest::main!();
