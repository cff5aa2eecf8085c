use cased::work;
use perftest::{Bencher, perf_test};

#[perf_test(args = [1_000, 3_000], throughput = items(|steps| *steps), tolerance = "50%")]
fn grows(b: &mut Bencher, steps: u64) {
    b.iter(|| work(steps));
}

#[perf_test(args = ["tiny", "not so tiny"], throughput = bytes(|text| text.len()))]
fn r#text(text: &str) -> usize {
    text.bytes().map(usize::from).sum()
}

#[perf_test(args = [("few", 2), ("many", 200)], names = |case| case.0)]
fn named(case: &(&str, u64)) -> u64 {
    work(case.1)
}

#[perf_test(types = [Vec<u8>, Box<[u8]>], consts = [16, 256])]
fn fill<T: FromIterator<u8>, const N: usize>() -> T {
    (0..N).map(|it| it as u8).collect()
}

#[perf_test(args = seldom())]
#[ignore = "takes long"]
fn ignored(n: u64) -> u64 {
    n
}

fn seldom() -> Vec<u64> {
    vec![2, 1]
}

mod inside {
    use perftest::perf_test;

    #[perf_test(args = [1, 2])]
    fn fails_at_two(n: u64) -> Result<u64, String> {
        if n == 2 && std::env::var_os("FAIL").is_some() { Err("two".to_owned()) } else { Ok(n) }
    }
}
