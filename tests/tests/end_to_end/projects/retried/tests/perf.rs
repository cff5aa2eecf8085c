use measured::{slow, work};
use perftest::{Bencher, perf_test};

/// Slowed in the first attempts only, where `SLOW_ATTEMPTS` says in how many.
#[perf_test(tolerance = "50%")]
fn tried(b: &mut Bencher) {
    let number = |name: &str| std::env::var(name).ok().and_then(|it| it.parse::<u32>().ok());
    let attempt = number("NEXTEST_ATTEMPT").unwrap_or(1);
    let is_slow = number("SLOW_ATTEMPTS").is_none_or(|slow_attempts| attempt <= slow_attempts);
    let steps = 2_000 * if is_slow { slow() } else { 1 };
    b.iter(|| work(steps));
}

perftest::main!();
