//! A cryptographic digest of a text.

use crate::data::{ALICE, pages};
use crate::slowdown::stretch;
use sha2::{Digest, Sha256};

/// The pages of the novel, `factor` times as many as it has.
#[must_use]
pub fn input(factor: f64) -> Vec<&'static str> {
    stretch(&pages(ALICE), factor)
}

/// The SHA-256 of the pages, one after the other.
#[must_use]
pub fn sha256(pages: &[&str]) -> [u8; 32] {
    let mut digest = Sha256::new();
    for page in pages {
        digest.update(page);
    }
    digest.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hexadecimal(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn the_digest_of_the_novel_is_the_one_in_the_readme() {
        assert_eq!(
            hexadecimal(&sha256(&input(1.0))),
            "99e53cbb0aeb274344a254733db996ca2d05d5fcd10fc0ca02d6966f2b2bc961"
        );
    }

    #[test]
    fn where_the_pages_are_cut_does_not_matter() {
        assert_eq!(sha256(&pages(ALICE)), sha256(&[ALICE]));
    }

    #[test]
    fn a_slowdown_adds_text() {
        let bytes = |factor| input(factor).concat().len() as f64;
        assert_eq!(bytes(2.0), 2.0 * bytes(1.0));
        assert!((bytes(1.25) / bytes(1.0) - 1.25).abs() < 0.02);
    }
}
