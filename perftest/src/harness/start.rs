//! What happens before `main`, in any executable with perf tests: nothing, unless it is asked to
//! list them. The ordinary harness lists all its tests and cannot tell which of them are perf
//! tests; nobody but us would be asked otherwise.

use crate::config::is_asked_for_list;
use crate::perf_test::PerfTest;
use crate::registry::perf_tests;
use crate::sink;
use perftest_store::ListedTest;

// It may not panic, and we use nothing of the standard library that `main` sets up. The values of
// `args` are the author's; a panic in them is caught where they are listed.
ctor::declarative::ctor! {
    // The registrations of the tests, which have no priority either, were linked before it.
    #[ctor(unsafe, naked)]
    fn before_main() {
        if is_asked_for_list() {
            answer();
        }
    }
}

fn answer() -> ! {
    match perf_tests() {
        Ok(tests) => {
            sink::say(&tests.iter().map(|test| listed(test).encode()).collect::<String>());
            std::process::exit(0)
        }
        Err(message) => {
            sink::complain(&message);
            std::process::exit(1)
        }
    }
}

fn listed(test: &PerfTest) -> ListedTest {
    ListedTest {
        name: test.listed_name(),
        ordinary: test.ordinary_name(),
        benchmark: test.benchmark(),
        is_ignored: test.ignore.is_some(),
        tolerance: test.tolerance,
    }
}
