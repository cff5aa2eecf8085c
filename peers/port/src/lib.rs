//! What the three ports share: the sizes and the bytes.

/// Bytes of an input: as little as base64 can encode without padding, and what its users encode.
pub const SIZES: [usize; 5] = [3, 50, 100, 500, 3 * 1024];

/// So many bytes in no order that a processor could foresee, the same in each run.
pub fn bytes(count: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[0]
    };
    std::iter::repeat_with(next).take(count).collect()
}
