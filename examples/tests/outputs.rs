//! Functions that allocate their outputs: what a fresh process measures of them depends on the state
//! of its heap. `ci/campaigns/worker-medians.sh` measures them.
//!
//! `cargo test --release -p perftest-examples --test outputs`

use flate2::Compression;
use flate2::write::DeflateEncoder;
use perftest::{Bencher, black_box, perf_test};
use perftest_examples::{data::MEDIA_TYPES, json};
use std::io::{self, Write};

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Four kilobytes of text.
fn text() -> &'static [u8] {
    &MEDIA_TYPES.as_bytes()[..4_096]
}

/// The base64 of `bytes`, whose number is a multiple of three (RFC 4648, section 4).
fn encoded(bytes: &[u8]) -> String {
    let mut encoded = String::with_capacity(bytes.len() / 3 * 4);
    for three in bytes.chunks_exact(3) {
        let bits = u32::from_be_bytes([0, three[0], three[1], three[2]]);
        for place in [18, 12, 6, 0] {
            encoded.push(char::from(DIGITS[(bits >> place) as usize & 63]));
        }
    }
    encoded
}

/// The value of each digit.
fn values() -> [u32; 256] {
    let mut values = [0; 256];
    DIGITS.iter().zip(0..).for_each(|(digit, value)| values[usize::from(*digit)] = value);
    values
}

fn decoded(digits: &[u8], values: &[u32; 256]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(digits.len() / 4 * 3);
    for four in digits.chunks_exact(4) {
        let bits = four.iter().fold(0, |bits, digit| bits << 6 | values[usize::from(*digit)]);
        decoded.extend_from_slice(&bits.to_be_bytes()[1..]);
    }
    decoded
}

#[perf_test]
fn base64_encode(b: &mut Bencher) {
    b.iter(|| encoded(black_box(text())));
}

#[perf_test]
fn base64_decode(b: &mut Bencher) {
    let (digits, values) = (encoded(text()), values());
    b.iter(|| decoded(black_box(digits.as_bytes()), &values));
}

#[perf_test]
fn deflate(b: &mut Bencher) {
    b.try_iter(|| -> io::Result<Vec<u8>> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(black_box(text()))?;
        encoder.finish()
    });
}

#[perf_test]
fn json_write(b: &mut Bencher) -> serde_json::Result<()> {
    let document: serde_json::Value = serde_json::from_str(&json::input(1.0)[0])?;
    b.iter(|| black_box(&document).to_string());
    Ok(())
}

perftest::main!();
