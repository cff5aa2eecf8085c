use contended::{is_fresh, slow, times, work};
use perftest::{Bencher, ThreadBencher, perf_test};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

mod threads {
    use super::*;

    #[perf_test(threads = [1, 2], tolerance = "50%")]
    fn grows(b: &mut ThreadBencher) {
        let steps = 3_000 * slow();
        b.iter(|| work(steps));
    }

    #[perf_test(threads = [1, 2], throughput = items(10))]
    fn shared() -> u64 {
        static SHARED: Mutex<u64> = Mutex::new(0);
        let mut shared = SHARED.lock().unwrap();
        *shared += 1;
        *shared
    }

    #[perf_test(threads = [64], metrics = [wall, switches])]
    fn crowded() -> u64 {
        work(3_000)
    }

    #[perf_test(threads = [2], args = [1, 2])]
    fn fails_at_two(b: &mut ThreadBencher, n: u64) {
        let is_failing = n == 2 && std::env::var_os("FAIL").is_some();
        b.with_inputs(|call| call).iter(|call| assert!(!is_failing || call != 1, "call 1"));
    }
}

mod turns {
    use super::*;
    use std::sync::mpsc::channel;

    /// While one of two threads works, the other waits for its answer.
    #[perf_test(tolerance = "50%")]
    fn answered(b: &mut Bencher) {
        let (questions, asked) = channel();
        let (answers, answered) = channel();
        std::thread::scope(|scope| {
            scope.spawn(move || asked.into_iter().try_for_each(|it| answers.send(work(it))));
            b.iter(|| {
                questions.send(200).unwrap();
                answered.recv().unwrap()
            });
            drop(questions);
        });
    }
}

mod outputs {
    use super::*;

    /// Outputs of a batch together are more than glibc keeps of its heap by itself.
    #[perf_test]
    fn allocated() -> Vec<u8> {
        vec![work(10) as u8; 4_096]
    }
}

mod versus {
    use super::*;

    fn other(b: &mut Bencher) {
        let steps = 1_000 * times("OTHER");
        b.iter(|| work(steps));
    }

    #[perf_test(versus = other, tolerance = "30%")]
    fn compared(b: &mut Bencher) {
        let steps = 1_000 * times("OWN");
        b.iter(|| work(steps));
    }

    /// Slower than the other one only in a process that is not fresh.
    #[perf_test(versus = other)]
    fn slow_here(b: &mut Bencher) {
        let steps = if is_fresh() { 1_000 } else { 5_000 };
        b.iter(|| work(steps));
    }

    #[perf_test(versus = other)]
    fn ends_afresh(b: &mut Bencher) {
        if is_fresh() {
            std::process::exit(7);
        }
        b.iter(|| work(5_000));
    }

    fn fails() -> Result<u64, String> {
        if std::env::var_os("FAIL").is_some() { Err("no work".to_owned()) } else { Ok(work(100)) }
    }

    #[perf_test(versus = fails)]
    fn succeeds() -> u64 {
        work(100)
    }

    fn works() -> u64 {
        work(100)
    }

    #[perf_test(versus = works)]
    fn fails_itself() -> Result<u64, String> {
        fails()
    }

    fn panics() -> u64 {
        assert!(std::env::var_os("FAIL").is_none(), "no strength");
        work(100)
    }

    #[perf_test(versus = panics)]
    fn outlasts() -> u64 {
        work(100)
    }

    #[perf_test(versus = works)]
    fn panics_itself() -> u64 {
        panics()
    }

    /// One of as many places as there may be inputs at a time.
    struct Place;

    static TAKEN: AtomicU32 = AtomicU32::new(0);

    impl Place {
        fn take() -> Self {
            assert!(TAKEN.fetch_add(1, Relaxed) < 64, "no place is free");
            Self
        }
    }

    fn places(b: &mut Bencher) {
        let free = |_: Place| drop(TAKEN.fetch_sub(1, Relaxed));
        b.with_setup(Place::take).with_teardown(free).iter_mut(|_| work(100));
    }

    #[perf_test(versus = places)]
    fn takes_places(b: &mut Bencher) {
        places(b);
    }

    fn by_loop(n: u64) -> u64 {
        work(n)
    }

    #[perf_test(versus = other)]
    fn judges_a_number(b: &mut Bencher) {
        b.iter(works);
        b.metric("size", 7, perftest::Direction::Lower.within("1%"));
    }

    #[perf_test(args = [100, 1_000], versus = by_loop, threads = [1, 2], throughput = bytes(|n| *n))]
    fn of_cases(n: u64) -> u64 {
        by_loop(n)
    }
}
