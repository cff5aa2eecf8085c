//! A program with a test of its own, called as one of the library and one of a test target.

fn main() {}

#[cfg(test)]
mod tests {
    use measured::work;
    use perftest::perf_test;

    #[perf_test(expert(max_measurements = 15))]
    fn inner() -> u64 {
        work(500)
    }
}
