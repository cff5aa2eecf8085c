pub fn words(text: &str) -> usize {
    text.split(' ').count()
}

#[cfg(test)]
mod perf {
    #[perftest::perf_test(tolerance = "10%")]
    fn words() -> usize {
        super::words(perftest::black_box("a b\nc"))
    }
}
