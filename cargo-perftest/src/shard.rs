//! A part of all tests, for jobs that run beside each other.

use perftest_core::model::BenchmarkId;
use perftest_store::Digest;

/// A part of all tests, the same in every job, by their names alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shard {
    /// From 1.
    pub(crate) number: u64,
    pub(crate) count: u64,
}

impl Shard {
    /// Whether a test is in this part.
    pub(crate) fn has(self, benchmark: &BenchmarkId) -> bool {
        let digest = Digest::of(benchmark.as_str().as_bytes()).hex16();
        u64::from_str_radix(&digest, 16).unwrap_or(0) % self.count == self.number - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_test_is_in_one_shard_and_none_is_empty_of_many() {
        let count = 5;
        let mut sizes = [0; 5];
        for test in 0..500 {
            let benchmark = BenchmarkId::from_recorded(format!("codec::perf::test_{test}"));
            let of = |number: &u64| Shard { number: *number, count }.has(&benchmark);
            let shards: Vec<u64> = (1..=count).filter(of).collect();
            assert_eq!(shards.len(), 1, "{benchmark}");
            sizes[shards[0] as usize - 1] += 1;
        }
        assert!(sizes.iter().all(|size| (60..140).contains(size)), "{sizes:?}");
    }
}
