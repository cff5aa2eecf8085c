//! Random bits for identities.

use std::hash::{BuildHasher, Hasher, RandomState};

/// 128 bits that differ from call to call and from process to process: the standard library's
/// hash keys are seeded by the system.
pub(crate) fn entropy() -> u128 {
    let half = || u128::from(RandomState::new().build_hasher().finish());
    (half() << 64) | half()
}

#[cfg(test)]
mod tests {
    #[test]
    fn two_identities_differ() {
        assert_ne!(super::entropy(), super::entropy());
    }
}
