pub fn lines(text: &str) -> usize {
    text.split('\n').count()
}

#[cfg(test)]
mod perf {
    #[perftest::perf_test(tolerance = "10%")]
    fn lines() -> usize {
        super::lines(perftest::black_box("a b\nc"))
    }
}
