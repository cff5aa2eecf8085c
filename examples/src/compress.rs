//! Compressing a text in blocks that can be read one by one, as databases and file systems do.

use crate::data::PARADISE_LOST;
use crate::slowdown::stretch;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use std::io::{self, Read, Write};

/// The size of a block before compression, in bytes.
pub const BLOCK_BYTES: usize = 8 * 1024;

/// The blocks of the poem, `factor` times as many as it has.
#[must_use]
pub fn input(factor: f64) -> Vec<&'static [u8]> {
    let blocks: Vec<_> = PARADISE_LOST.as_bytes().chunks(BLOCK_BYTES).collect();
    stretch(&blocks, factor)
}

/// Each block as a zlib stream of its own.
///
/// # Errors
/// None for the writers used here, which write to memory.
pub fn compress(blocks: &[&[u8]], level: Compression) -> io::Result<Vec<Vec<u8>>> {
    // One encoder for all blocks: its tables are larger than a block.
    let mut encoder = ZlibEncoder::new(Vec::new(), level);
    blocks
        .iter()
        .map(|block| {
            encoder.write_all(block)?;
            encoder.reset(Vec::new())
        })
        .collect()
}

/// The bytes that [`compress`] was given, block after block.
///
/// # Errors
/// When a block is not a whole zlib stream or its checksum is wrong.
pub fn decompress<B: AsRef<[u8]>>(blocks: &[B]) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(blocks.len() * BLOCK_BYTES);
    for block in blocks {
        ZlibDecoder::new(block.as_ref()).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_poem_comes_back_unchanged_and_was_less_than_half_as_long() {
        let blocks = compress(&input(1.0), Compression::default()).unwrap();
        assert_eq!(decompress(&blocks).unwrap(), PARADISE_LOST.as_bytes());
        assert!(blocks.concat().len() * 2 < PARADISE_LOST.len());
    }

    #[test]
    fn a_damaged_block_is_an_error() {
        let mut blocks = compress(&input(1.0), Compression::fast()).unwrap();
        *blocks[3].last_mut().unwrap() ^= 1;
        assert!(decompress(&blocks).is_err());
    }

    #[test]
    fn a_slowdown_adds_blocks() {
        let usual = input(1.0).len();
        let blocks = compress(&input(1.5), Compression::fast()).unwrap();
        assert_eq!(blocks.len(), (1.5 * usual as f64).round() as usize);
    }
}
